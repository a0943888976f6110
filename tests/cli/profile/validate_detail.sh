# Errors of kernels by kind and limit: figures are those of the machines, so digits are masked.
cyclotron validate --only 'as compiled: reductions' --detail |
    sed -e 's/[+-]*[0-9][0-9]*\.[0-9]/N.N/g; s/[0-9][0-9]*/N/g' -e 's/  *-  / - /g; s/  */ /g' -e 's/ - .*|/ |/' |
    grep -v '^ .* us ' | sort -u
cyclotron validate --only 'as compiled: reductions' --detail --format json |
    grep -c '"limit"'

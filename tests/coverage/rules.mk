# == Search for faults
# make coverage    lines that the suites run, per folder, and those that none runs; SUITES='unit timing' runs some
# make mutate      do the suites find N=400 small faults of SEED=1, IN=model/import,model/fusion or of all?  JOBS=1 at once; AGAIN=1 tries survivors anew
# make tidy        clang-tidy over kernels and model: minutes
# make analyzer    gcc -fanalyzer over kernels and model: minutes
.PHONY: coverage coverage-run mutate tidy analyzer
# validation and physics replay thousands of kernels and steps: too long in this build
coverage:
	@find $(BUILD)-coverage -name '*.gcda' -exec rm {} + 2>/dev/null || true
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-coverage OPT=-O0 SUITES='$(filter-out validation physics,$(SUITES))' SAN='--coverage -fprofile-update=atomic' \
	  LDLIBS='$(BUILD)-coverage/tests/coverage/coverage_exit.o -Wl,--wrap=_exit $(LDLIBS)' coverage-run

# the cases of installed libraries link examples without the code that counts
coverage-run: $(BUILD)/tests/coverage/coverage_exit.o
	@$(MAKE) --no-print-directory unit-tests
	@$(TEST_ENV) tests/cli/run >$(BUILD)/cli.log 2>&1 || grep '^FAIL' $(BUILD)/cli.log
	@scripts/coverage $(BUILD)

# N and SEED have other values by default for `make fuzz-hlo`
mutate: N := $(if $(filter command line environment,$(origin N)),$(N),400)
mutate: scripts/mutate
	@BUILD=$(BUILD) scripts/mutate $(N) $(SEED) $(if $(AGAIN),--again) $(if $(JOBS),--jobs $(JOBS)) $(if $(IN),--in $(IN))

tidy:
	$(call setup_of,tidy)
	@BUILD=$(BUILD) scripts/tidy

# -fanalyzer of gcc 12 looks at each file by itself; objects of its own, as the code differs
analyzer:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-analyzer OPT='-O1 -fanalyzer' all

# make determinism  one output of compilers, -O levels, sanitizers and numbers of workers: minutes
# make cross       one output of arm64 and s390x too, under qemu
.PHONY: determinism cross
determinism:
	@scripts/check/determinism --full
cross:
	$(call setup_of,cross)
	@scripts/check/determinism --cross $(BUILD)/cross

# == Test
# make test-cluster  install Slurm and OpenMPI, run a sweep on a cluster of this one machine and by mpirun
# == Build and install
# make MPI=1       a program for `mpirun cyclotron sweep`; give it a BUILD of its own
.PHONY: test-cluster
test-cluster:
	@scripts/setup cluster
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-mpi MPI=1 all
	@tests/cluster/run "$(WHOLE)/cyclotron" "$(WHOLE)-mpi/cyclotron"

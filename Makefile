# make           $(BUILD)/cyclotron and $(BUILD)/libcyclotron.a
# make run       install what is missing, build, replay the 3DGAN step on a TPU v3-8
# make test      install what is missing, build, run all test suites
# make check     test + layers + format + cppcheck
# make san       the tests under ASan and UBSan
# make install   program, library and the headers of the event kernel to $(DESTDIR)$(PREFIX), PREFIX=/usr/local
# make uninstall   and away again
# make test-rtl    install verilator, hold the matrix unit's model against Verilog; test-rtl-short for CI
# make test-cluster  install Slurm and OpenMPI, run a sweep on a cluster of this one machine and by mpirun
# make MPI=1     with `mpirun cyclotron sweep`; a BUILD of its own is best
# make test-html     install Chromium, open the HTML reports in it, try zoom and sorting
# make test-viewers  install GTKWave and protoc, have them read waves and traces
# make exact-only  the binary without any *_fold.c
# make bench     install what is missing, time all that is measured: bench-des (the event kernel beside SystemC),
#                  bench-net (torus networks beside BookSim2's figures), bench-vcd (waves),
#                  bench-hbm (memory beside figures of DRAMsim3 and Ramulator)
# make test-systemc  play the models of tests/conformance on our kernel and on SystemC, compare the logs
# make traces    write traces/*.trace.zst anew        make docs   write docs/params.md and README.md anew
BUILD   ?= build
PREFIX  ?= /usr/local
Q       := $(if $(V),,@) # make V=1 shows every command
say      = $(if $(V),,@printf '  %-4s %s\n' $(1) $@)
CC      ?= cc
OPT     ?= -O2
WARN    := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS  += $(OPT) -g -std=c11 -D_GNU_SOURCE -Imodel -I. $(WARN) -MMD -MP $(SAN)
LDLIBS  := -lgmp -lzstd -lxxhash -linih -ljansson -lsqlite3 -lm

LIBSRC  := $(sort $(filter-out model/cli/%,$(wildcard model/*/*.c model/*/*/*.c)) $(wildcard kernels/*.c traces/*.c))
CLISRC  := $(sort $(wildcard model/cli/*.c))
ifdef EXACT_ONLY # design decision: shortcuts live in *_fold.c, and a binary without them prints the same
LIBSRC  := $(filter-out %_fold.c,$(LIBSRC))
CFLAGS  += -DEXACT_ONLY
endif
MACHINES := $(sort $(wildcard model/machines/*.ini model/machines/parts/*.ini model/machines/reference/*.ini))
ifdef MPI # `mpirun cyclotron sweep`: docs/cluster.md
LIBSRC  := $(filter-out %/ranks_one.c,$(LIBSRC))
CFLAGS  += $(filter-out -Wl%,$(shell mpicc --showme:compile))
LDLIBS  += $(shell mpicc --showme:link)
else
LIBSRC  := $(filter-out %/ranks_mpi.c,$(LIBSRC))
endif
LIBOBJ  := $(LIBSRC:%.c=$(BUILD)/%.o) $(BUILD)/machines_data.o $(BUILD)/tables_data.o $(BUILD)/html_data.o
CLIOBJ  := $(CLISRC:%.c=$(BUILD)/%.o)
# a folder of tests/ with C files is a suite, one binary
SUITES  := $(sort $(patsubst tests/%/,%,$(dir $(wildcard tests/unit/*.c tests/timing/*.c tests/golden/*.c \
             tests/physics/*.c tests/validation/*.c tests/conformance/*.c tests/timelines/*.c))))
FORMAT  := $(sort $(wildcard model/*/*.[ch] model/*/*/*.[ch] kernels/*.[ch] traces/*.[ch] tests/*/*.[ch] docs/examples/*.c))
TEST_ENV := CYCLOTRON=$(abspath $(BUILD)/cyclotron)

.PHONY: test-html test-viewers test-systemc bench bench-net bench-hbm bench-des bench-vcd des-benches all run test check san exact-only layers format cppcheck traces docs clean setup unit-tests cli-tests
all: $(BUILD)/cyclotron $(BUILD)/libcyclotron.a

install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export PREFIX := $(PREFIX)
install: export LDLIBS := $(LDLIBS)
install: all
	@scripts/install $(BUILD)
uninstall:
	@scripts/install --remove

setup:
	@scripts/setup test

run:
	@scripts/setup build
	@$(MAKE) --no-print-directory all
	$(BUILD)/cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8

test: setup
	@$(MAKE) --no-print-directory unit-tests cli-tests

unit-tests: all $(SUITES:%=$(BUILD)/test-%)
	@for s in $(SUITES); do $(TEST_ENV) scripts/run-suite $(BUILD)/test-$$s || exit 1; done

cli-tests: all
	@CYCLOTRON=$(abspath $(BUILD)/cyclotron) tests/cli/run

check:
	@scripts/setup check
	@$(MAKE) --no-print-directory unit-tests cli-tests layers format cppcheck

layers:
	@scripts/check-layers

format:
	@clang-format --dry-run -Werror $(FORMAT)

cppcheck:
	@cppcheck -q --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 -Imodel -I. model kernels traces

# validation replays thousands of kernels and steps: the code that it runs, the other suites run too
san:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 SUITES='$(filter-out validation,$(SUITES))' \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' unit-tests cli-tests

exact-only:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-exact EXACT_ONLY=1 all

.PHONY: test-cluster
test-cluster:
	@scripts/setup cluster
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-mpi MPI=1 all
	@tests/cluster/run $(abspath $(BUILD))/cyclotron $(abspath $(BUILD))-mpi/cyclotron

bench: bench-des bench-net bench-vcd bench-hbm

bench-des:
	@scripts/setup bench
	@$(MAKE) --no-print-directory des-benches
	@BUILD=$(BUILD) scripts/bench-des $(if $(SHORT),--short)

bench-net: $(BUILD)/bench/net_bench
	@$(BUILD)/bench/net_bench $(if $(SHORT),--short) >$(BUILD)/bench/net.json.new
	@mv $(BUILD)/bench/net.json.new $(BUILD)/bench/net.json

bench-hbm: $(BUILD)/bench/hbm_bench
	@$(BUILD)/bench/hbm_bench >$(BUILD)/bench/hbm.json.new
	@mv $(BUILD)/bench/hbm.json.new $(BUILD)/bench/hbm.json

test-viewers:
	@scripts/setup look
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/timelines/viewers

test-html:
	@scripts/setup html
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/html/run

bench-vcd: all
	@BUILD=$(BUILD) scripts/bench-vcd

des-benches: $(BUILD)/bench/des_bench $(BUILD)/bench/systemc/des_bench $(BUILD)/bench/systemc/des_bench_count

test-systemc:
	@scripts/setup bench
	@$(MAKE) --no-print-directory $(BUILD)/bench/conformance $(BUILD)/bench/systemc/conformance
	@cd $(BUILD)/bench && for models in all random=2000; do \
	  ./conformance $$models >ours.log 2>ours.err; systemc/conformance $$models >systemc.log 2>systemc.err; \
	  diff -u -F '^== ' ours.log systemc.log && echo "conformance: $$(grep -c '^== ' ours.log) models, one log" || exit 1; \
	done

traces: all
	@for w in 3dgan exatrkx mlpf; do $(BUILD)/cyclotron trace gen $$w -o traces/$$w.trace.zst || exit 1; done

docs: all
	@$(BUILD)/cyclotron params --markdown -o docs/params.md
	@scripts/update-readme $(BUILD)/cyclotron

clean:
	rm -rf $(BUILD) $(BUILD)-san $(BUILD)-exact $(BUILD)-mpi

$(BUILD)/cyclotron: $(CLIOBJ) $(BUILD)/libcyclotron.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(BUILD)/libcyclotron.a: $(LIBOBJ)
	$(call say,AR)
	@rm -f $@
	$(Q)ar rcs $@ $(LIBOBJ)

$(BUILD)/machines_data.c: scripts/embed $(MACHINES)
	@mkdir -p $(@D)
	$(Q)scripts/embed machine $(MACHINES) > $@.new
	@mv $@.new $@

$(BUILD)/tables_data.c: scripts/embed $(wildcard tests/validation/*.csv)
	@mkdir -p $(@D)
	$(Q)scripts/embed table tests/validation/*.csv > $@.new
	@mv $@.new $@

$(BUILD)/html_data.c: scripts/embed-text $(wildcard model/report/html/report.*)
	@mkdir -p $(@D)
	$(Q)scripts/embed-text report/html/html_page.h html_page=model/report/html/report.html \
	  html_style=model/report/html/report.css html_script=model/report/html/report.js > $@.new
	@mv $@.new $@

$(BUILD)/machines_data.o $(BUILD)/tables_data.o $(BUILD)/html_data.o: %.o: %.c
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

define suite
$(BUILD)/test-$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/$(1)/*.c)) $(BUILD)/libcyclotron.a
	@mkdir -p $$(@D)
	$$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $$^ -o $$@ -lcriterion $(LDLIBS)
endef
$(foreach s,$(SUITES),$(eval $(call suite,$(s))))

$(BUILD)/bench/des_bench: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/des_bench*.c)) $(BUILD)/libcyclotron.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(BUILD)/bench/net_bench: $(BUILD)/tests/bench/net_bench.o $(BUILD)/libcyclotron.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(BUILD)/bench/hbm_bench: $(BUILD)/tests/bench/hbm_bench.o $(BUILD)/libcyclotron.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

# the second binary counts the waits inside sc_fifo, under the mangled name of wait(event)
SYSTEMC_WAIT := _ZN7sc_core4waitERKNS_8sc_eventEPNS_13sc_simcontextE
$(BUILD)/bench/systemc/des_bench_count: SYSTEMC_LINK := -Wl,--wrap=$(SYSTEMC_WAIT)
$(BUILD)/bench/systemc/des_bench_count: $(BUILD)/tests/bench/systemc/count_waits.o
$(BUILD)/bench/systemc/des_bench $(BUILD)/bench/systemc/des_bench_count: $(BUILD)/tests/bench/systemc/des_bench.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX) $(SYSTEMC_LINK) $^ -o $@ -lsystemc

$(BUILD)/tests/bench/systemc/%.o: tests/bench/systemc/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) -O2 -g -std=c++17 -Wall -Wextra -MMD -MP -c $< -o $@

MODELS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/conformance/test_%,$(wildcard tests/conformance/*.c)))
$(BUILD)/bench/conformance: $(BUILD)/tests/bench/conformance.o $(MODELS) $(BUILD)/libcyclotron.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(BUILD)/bench/systemc/conformance: $(BUILD)/tests/bench/systemc/conformance.o $(filter-out %/kernel.o,$(MODELS))
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX) $^ -o $@ -lsystemc

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

include tests/rtl/rules.mk

-include $(LIBOBJ:.o=.d) $(CLIOBJ:.o=.d) $(patsubst %.c,$(BUILD)/%.d,$(wildcard tests/*/*.c)) \
  $(patsubst %.cpp,$(BUILD)/%.d,$(wildcard tests/bench/systemc/*.cpp))

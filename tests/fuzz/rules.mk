# == Search for faults
# make fuzz         every target (or TARGETS='trace machine') for T=60 seconds under libFuzzer, ASan and UBSan
# make fuzz-replay  the committed corpus and N_FUZZ=200 mutations of SEED=1 for each target, by any compiler
# make fuzz-san     the same under ASan and UBSan
# make fuzz-calls   10^6 sequences of the library's calls under ASan and UBSan, N_CALLS=10000 times a hundred: an hour
# make flips        N_FLIPS=10000 damaged copies of every sample: refused, or nothing has changed
T       ?= 60
N_FUZZ  ?= 200
N_CALLS ?= 10000
# mutations of targets that do more than one thing each: a hundred sequences of calls
N_OF_calls ?= 30
N_FLIPS ?= 10000
SEED    ?= 1
FUZZ_ALL := $(sort $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
TARGETS ?= $(FUZZ_ALL)
FUZZER  ?= clang
FUZZ_IN := tests/fuzz/corpus

.PHONY: fuzz fuzz-run fuzz-replay fuzz-san fuzz-calls flips $(FUZZ_ALL:%=fuzz-replay-%)
fuzz:
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=$(FUZZER) OPT=-O1 FUZZ_LINK=-fsanitize=fuzzer \
	  SAN='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer' WARN= fuzz-run

# new inputs are kept in build-fuzz/found, a finding in build-fuzz/crash-TARGET-*
fuzz-run: $(TARGETS:%=$(BUILD)/fuzz/%)
	@bad=0; for t in $(TARGETS); do BUILD=$(BUILD) tests/fuzz/run $$t $(T) || bad=1; done; exit $$bad

fuzz-replay: $(TARGETS:%=fuzz-replay-%)
$(FUZZ_ALL:%=fuzz-replay-%): fuzz-replay-%: $(BUILD)/fuzz/%
	@FUZZ_ROOT="$(CURDIR)" $< -n $(or $(N_OF_$*),$(N_FUZZ)) -s $(SEED) $(FUZZ_IN)/$* 2>$(BUILD)/fuzz/$*.log || { tail -n 40 $(BUILD)/fuzz/$*.log; exit 1; }

fuzz-san:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' fuzz-replay

# little of what is freed is kept aside: half as much time
fuzz-calls:
	@ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=4 $(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
	  N_OF_calls=$(N_CALLS) fuzz-replay-calls

flips: $(BUILD)/cyclotron $(BUILD)/fuzz/flips
	@tests/fuzz/flip-samples $(BUILD) $(N_FLIPS) $(SEED)

FUZZ_OBJ := $(patsubst %,$(BUILD)/tests/fuzz/%.o,change folder database imported) $(BUILD)/tests/profiles/profile_spoil.o \
  $(filter-out $(BUILD)/model/cli/main.o,$(CLIOBJ)) $(BUILD)/tests/fuzz/program_main.o
$(FUZZ_ALL:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/fuzz_%.o $(if $(FUZZ_LINK),,$(BUILD)/tests/fuzz/driver.o) $(FUZZ_OBJ) $(BUILD)/libcyclotron.a
	$(link) $(FUZZ_LINK) $(LDLIBS)

$(BUILD)/fuzz/flips: $(BUILD)/tests/fuzz/flips.o $(FUZZ_OBJ) $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

# the program itself, with main under another name
$(BUILD)/tests/fuzz/program_main.o: model/cli/main.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -Wno-missing-prototypes -Dmain=cyclotron_main -c $< -o $@

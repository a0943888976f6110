# make fuzz-hlo    parse, import and lower N=200000 spoiled HLO modules of SEED=1 (FILES='a.hlo b.hlo': of files) under ASan and UBSan
# make corpus      import all HLO text below HLO_CORPUS=folder, .zst too: how much becomes a trace, what does not and why
N       ?= 200000
SEED    ?= 1

.PHONY: fuzz-hlo fuzz-hlo-run corpus
fuzz-hlo:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' fuzz-hlo-run

fuzz-hlo-run: $(BUILD)/bench/hlo_mutate
	@$(BUILD)/bench/hlo_mutate $(N) $(SEED) 0 $(FILES)

corpus: $(BUILD)/bench/hlo_corpus
	@$(BUILD)/bench/hlo_corpus "$(HLO_CORPUS)"

$(BUILD)/bench/hlo_mutate: $(BUILD)/tests/hlo/mutate.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

$(BUILD)/bench/hlo_corpus: $(BUILD)/tests/hlo/corpus.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

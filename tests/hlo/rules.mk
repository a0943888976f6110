# == Predictions and constants
# make corpus      import all HLO text below HLO_CORPUS=folder, .zst too: how much becomes a trace, what does not and why
.PHONY: corpus
corpus: $(BUILD)/bench/hlo_corpus
	@$(BUILD)/bench/hlo_corpus "$(HLO_CORPUS)"

$(BUILD)/bench/hlo_corpus: $(BUILD)/tests/hlo/corpus.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

# == Test
# make test-systemc  play the models of tests/conformance on our kernel and on SystemC, compare the logs
.PHONY: test-systemc
test-systemc:
	@scripts/setup bench
	@$(MAKE) --no-print-directory $(BUILD)/bench/conformance $(BUILD)/bench/systemc/conformance
	@cd $(BUILD)/bench && for models in all random=2000; do \
	  ./conformance $$models >ours.log 2>ours.err; systemc/conformance $$models >systemc.log 2>systemc.err; \
	  diff -u -F '^== ' ours.log systemc.log && echo "conformance: $$(grep -c '^== ' ours.log) models, one log" || exit 1; \
	done

MODELS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/conformance/test_%,$(wildcard tests/conformance/*.c)))
$(BUILD)/bench/conformance: $(BUILD)/tests/bench/conformance.o $(MODELS) $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

$(BUILD)/bench/systemc/conformance: $(BUILD)/tests/bench/systemc/systemc_conformance.o $(filter-out %/kernel.o,$(MODELS)) $(BUILD)/libcyclotron.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX) $^ -o $@ -lsystemc $(LDLIBS)

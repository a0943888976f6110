# == Measure speed
# make bench       install what is missing and run all benches into one build/bench/bench.json; SHORT=1 for CI
# make bench-des   the event kernel beside SystemC
# make bench-net   torus networks beside BookSim2's figures
# make bench-hbm   memory beside figures of DRAMsim3 and Ramulator
# make bench-vcd   waves: changes a second
# make bench-commands  whole commands (tests/bench/commands.txt): CPU seconds and memory, build/bench/commands.json;
#                  COUNT=1: instructions too, by callgrind; scripts/bench-compare OLD NEW
# make bench-growth  cost against operations, cores and rows of a product: build/bench/growth.json, docs/growth.svg
.PHONY: bench bench-des bench-net bench-hbm bench-vcd bench-commands bench-growth des-benches
bench: bench-des bench-net bench-vcd bench-hbm bench-commands
	@for f in commands des net hbm; do printf '%s"%s": ' "$$comma" $$f; cat $(BUILD)/bench/$$f.json; comma=,; done | \
	  { echo '{'; cat; echo '}'; } >$(BUILD)/bench/bench.json

# the sweep of 1,000 points takes minutes
bench-commands: $(BUILD)/bench/command_bench all
	@$(if $(COUNT),scripts/setup cost)
	@rm -rf $(BUILD)/bench/cases && mkdir -p $(BUILD)/bench/cases
	@$(BUILD)/cyclotron trace gen exatrkx graph=region -o $(BUILD)/bench/cases/regions.trace.zst
	@$(BUILD)/cyclotron trace gen fc -o $(BUILD)/bench/cases/fc.trace.zst
	@sed $(if $(SHORT),-e /sweep/d) -e 's|$$DIR|$(BUILD)/bench/cases|g' tests/bench/commands.txt >$(BUILD)/bench/cases/commands.txt
	@$(BUILD)/bench/command_bench $(BUILD)/cyclotron $(BUILD)/bench/cases/commands.txt $(if $(SHORT),--short) $(if $(COUNT),--count) \
	  >$(BUILD)/bench/commands.json.new
	@mv $(BUILD)/bench/commands.json.new $(BUILD)/bench/commands.json

bench-growth: $(BUILD)/bench/command_bench all
	@scripts/setup cost
	@BUILD=$(BUILD) scripts/bench-growth $(if $(SHORT),--short)

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

bench-vcd: all
	@BUILD=$(BUILD) scripts/bench-vcd

des-benches: $(BUILD)/bench/des_bench $(BUILD)/bench/systemc/des_bench $(BUILD)/bench/systemc/des_bench_count

$(BUILD)/bench/des_bench: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/des_bench*.c)) $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

$(BUILD)/bench/net_bench: $(BUILD)/tests/bench/net_bench.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

$(BUILD)/bench/command_bench: $(BUILD)/tests/bench/command_bench.o
	@mkdir -p $(@D)
	$(link)

$(BUILD)/bench/hbm_bench: $(BUILD)/tests/bench/hbm_bench.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

# the second binary counts the waits inside sc_fifo, under the mangled name of wait(event)
SYSTEMC_WAIT := _ZN7sc_core4waitERKNS_8sc_eventEPNS_13sc_simcontextE
$(BUILD)/bench/systemc/des_bench_count: SYSTEMC_LINK := -Wl,--wrap=$(SYSTEMC_WAIT)
$(BUILD)/bench/systemc/des_bench_count: $(BUILD)/tests/bench/systemc/count_waits.o
$(BUILD)/bench/systemc/des_bench $(BUILD)/bench/systemc/des_bench_count: $(BUILD)/tests/bench/systemc/systemc_bench.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX) $(SYSTEMC_LINK) $^ -o $@ -lsystemc

$(BUILD)/tests/bench/systemc/%.o: tests/bench/systemc/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) -O2 -g -std=c++17 -Wall -Wextra -MMD -MP -c $< -o $@

-include $(patsubst %.cpp,$(BUILD)/%.d,$(wildcard tests/bench/systemc/*.cpp))

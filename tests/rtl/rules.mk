# == Test
# make test-rtl    install Verilator, hold the matrix unit against Verilog; test-rtl-short for CI
#
# An array is sSIZE_wWEIGHTROWS_rROWS_LOAD: size, weight rows and streamed rows a cycle, load mode.
RTL        := $(BUILD)/rtl
rtl_arrays  = $(foreach s,$(1),$(foreach r,r1 r2,$(foreach l,serial exposed shadow wave,$(s)_$(r)_$(l))))
RTL_SHORT  := $(call rtl_arrays,s4_w1 s4_w4 s8_w1 s8_w3)
RTL_FULL   := $(RTL_SHORT) $(call rtl_arrays,s8_w2 s16_w1 s16_w2 s32_w1)
RTL_OBJ    := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/rtl/*.c)) $(BUILD)/libcyclotron.a
CXX        ?= c++
RTL_CXX     = $(CXX) -O1 -std=c++17 -Wall -Wextra -Werror $(SAN) -I. -isystem $(shell verilator --getenv VERILATOR_ROOT)/include

.PHONY: test-rtl test-rtl-short
test-rtl test-rtl-short:
	@scripts/setup rtl
	@$(MAKE) --no-print-directory rtl-run-$(if $(filter %-short,$@),short,full)

# RTL test: name, arrays, sequences of each
define rtl_test
.PHONY: rtl-run-$(1)
rtl-run-$(1): $(RTL)/test-$(1)
	$$< -n $(3)

$(RTL)/test-$(1): $(RTL)/$(1).o $(2:%=$(RTL)/%.o) $(RTL)/runtime.o $(RTL_OBJ)
	$$(call say,LINK)
	$(Q)$(CXX) $(SAN) $$^ -pthread $(LDLIBS) -o $$@

$(RTL)/$(1).c: tests/rtl/rules.mk
	@mkdir -p $$(@D)
	@{ echo '#include "tests/rtl/dut.h"'; printf 'extern const struct dut %s;\n' $(2); \
	   echo 'extern const struct dut *const duts[];'; echo 'const struct dut *const duts[] = {'; \
	   printf '    &%s,\n' $(2); echo '    0,'; echo '};'; } > $$@
endef
$(eval $(call rtl_test,short,$(RTL_SHORT),200))
$(eval $(call rtl_test,full,$(RTL_FULL),500))

$(RTL)/short.o $(RTL)/full.o: %.o: %.c
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

$(RTL)/s%.o: tests/rtl/verilate tests/rtl/dut.cpp tests/rtl/dut.h $(wildcard tests/rtl/*.v)
	@mkdir -p $(@D)
	$(call say,RTL)
	$(Q)tests/rtl/verilate s$* $(RTL)/s$* $@ $(RTL_CXX)

$(RTL)/runtime.o:
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)printf '#include <%s>\n' verilated.cpp verilated_threads.cpp | $(RTL_CXX) -x c++ -c - -o $@

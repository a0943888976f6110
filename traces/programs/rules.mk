# == Predictions and constants
# make programs    compile the programs that are missing or older than their source: hours for all
#
# PROGRAM[_VARIANT].MACHINE: those shipped, in traces/programs, then more, in $(BUILD)/programs.
COMPILED := $(addprefix exatrkx.tpu-,v3-8 v2-8 v4-8 v5e-4 v6e-4 v7-8) \
            $(addprefix exatrkx_vary2.tpu-,v3-8 v2-32) \
            $(addprefix mlpf.tpu-,v3-8 v4-8 v5e-4 v6e-4 v7-8) \
            $(addprefix gan3d.tpu-,v3-8 v2-8 v4-8 v3-32 v2-32 v5e-4 v6e-4 v7-8)
MORE     := fc.tpu-v2-8 fc.tpu-v3-8 resnet50.tpu-v2-8 resnet50.tpu-v3-8 gpt.tpu-v4-8 gpt.tpu-v5e-4
COMPILED := $(COMPILED:%=traces/programs/%.hlo.zst) $(MORE:%=$(BUILD)/programs/%.hlo.zst)
MODEL_exatrkx_vary2 := model=vary2

.PHONY: programs
programs: $(COMPILED)

# the source of a program, in a rule that is expanded when the target is known
.SECONDEXPANSION:
$(COMPILED): traces/programs/$$(firstword $$(subst _, ,$$(basename $$(basename $$(basename $$(@F)))))).py
	@mkdir -p $(@D)
	@nice scripts/compile $< $(MODEL_$(basename $(basename $(basename $(@F))))) -o $@ \
	  -t $(patsubst .%,%,$(suffix $(basename $(basename $(@F)))))

# Pairs of small programs before and after optimisation, for `make oracle`: minutes for all.
PAIR := $(addprefix $(BUILD)/pairs/fc.tpu-,$(addsuffix .hlo.zst,v2-8 v3-8 v4-8 v5e-4 v6e-4 v7-8))

.PHONY: pairs
pairs: $(PAIR)

$(PAIR): traces/programs/fc.py
	@mkdir -p $(@D)
	@nice scripts/compile $< --before -o $@ -t $(patsubst .%,%,$(suffix $(basename $(basename $(@F)))))

# == Test
# make unit-tests  all suites that are programs; SUITES='unit timing' runs some
# make cli-tests   the command line against what it is expected to print
# == Search for faults
# make san         unit-tests and cli-tests under ASan and UBSan
# make tsan        replays by several threads under ThreadSanitizer, beside those of one: minutes
#
# A folder of tests/ with one of these names is a suite: its C files become one program.
SUITES   := unit api extremes timing golden physics validation conformance timelines programs profiles
TEST_ENV := CYCLOTRON="$(WHOLE)/cyclotron"

.PHONY: test unit-tests cli-tests san tsan
test: setup
	@$(MAKE) --no-print-directory unit-tests cli-tests fuzz-replay

# a whole validation takes a minute: that of the suite is kept for `make docs`;
# the library's calls a second time in a process with a decimal comma: tests/locale
unit-tests: all locale $(SUITES:%=$(BUILD)/test-%)
	@for s in $(SUITES); do $(TEST_ENV) VALIDATION_JSON="$(WHOLE)/validation.json" scripts/run-suite $(BUILD)/test-$$s || exit 1; done
	@! [ -x $(BUILD)/test-api ] || [ "$(SAN)" ] || $(TEST_ENV) TEST_LOCALE="$(WHOLE)/locale" scripts/run-suite $(BUILD)/test-api

# what has numbers and letters in it a second time in a process with a decimal comma
CLI_LOCALE := replay_json replay_csv sweep_report html profile compare op_text network_text machine_round_trip trace_import
cli-tests: all $(BUILD)/locale/cyclotron
	@$(TEST_ENV) tests/cli/run $(CLI_CASES)
	@[ -z "$(CLI_LOCALE)" ] || CYCLOTRON="$(WHOLE)/locale/cyclotron" PROGRAM="$(WHOLE)/cyclotron" tests/cli/run $(CLI_LOCALE)

# validation, physics and extremes replay thousands of kernels and steps, cases of tests/cli/project print documents and install:
# the code that they run, the others run too
CLI_SAN := $(basename $(notdir $(filter-out tests/cli/project/%,$(wildcard tests/cli/*/*.sh))))
san:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 SUITES='$(filter-out validation physics extremes,$(SUITES))' CLI_CASES='$(CLI_SAN)' CLI_LOCALE= \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' unit-tests cli-tests

tsan:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-tsan OPT=-O1 SAN=-fsanitize=thread $(BUILD)-tsan/cyclotron
	@CYCLOTRON=$(abspath $(BUILD)-tsan)/cyclotron tests/cli/run threads

define suite
$(BUILD)/test-$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/$(1)/*.c tests/$(1)/*/*.c)) $(BUILD)/tests/locale/comma.o $(LIBRARY)
	$$(link) -lcriterion $(LDLIBS)
endef
$(foreach s,$(SUITES),$(eval $(call suite,$(s))))

# == Test
# make test-locale  all suites and the command line in a process with a decimal comma, in which I is no capital of i
.PHONY: test-locale locale
# what the suites of unit-tests that run a second time need
LOCALES := $(BUILD)/locale
locale: $(LOCALES)/comma.iso88599/LC_NUMERIC
$(LOCALES)/comma.iso88599/LC_NUMERIC:
	@mkdir -p $(LOCALES)
	@localedef -c --no-archive -i tr_TR -f ISO-8859-9 "$(WHOLE)/locale/comma.iso88599"

$(BUILD)/comma.so: $(BUILD)/tests/locale/comma.o
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared $< -o $@

# the program alone is preloaded, not the tools that tests use beside it
# (a sanitizer's runtime wants to be the first library)
$(LOCALES)/cyclotron: $(BUILD)/comma.so tests/locale/rules.mk | locale
	@printf '#!/bin/sh\nASAN_OPTIONS="$${ASAN_OPTIONS:+$$ASAN_OPTIONS:}verify_asan_link_order=0" LD_PRELOAD="%s" TEST_LOCALE="%s" exec "%s" "$$@"\n' \
	  "$(WHOLE)/comma.so" "$(WHOLE)/locale" "$(WHOLE)/cyclotron" > $@
	@chmod +x $@

test-locale: all locale $(LOCALES)/cyclotron $(SUITES:%=$(BUILD)/test-%)
	@for s in $(SUITES); do $(TEST_ENV) TEST_LOCALE="$(WHOLE)/locale" scripts/run-suite $(BUILD)/test-$$s || exit 1; done
	@CYCLOTRON="$(WHOLE)/locale/cyclotron" PROGRAM="$(WHOLE)/cyclotron" tests/cli/run

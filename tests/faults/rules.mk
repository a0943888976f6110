# == Search for faults
# make test-faults  each command with want of memory at MOST=200 of its allocations, full disks, closed pipes, signals
MOST ?= 200

# make faults-san   the same under ASan and UBSan, MOST=20 of them

.PHONY: test-faults faults-san
test-faults: all $(BUILD)/faults/inject $(BUILD)/faults/refuse.so
	@MOST=$(MOST) $(TEST_ENV) $(if $(SAN),ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0) tests/faults/run $(BUILD)/faults/inject $(BUILD)/faults/refuse.so $(CASES)

# what is refused is refused before a sanitizer sees it; leaks are not looked for, as the program ends at once
faults-san:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 MOST=$(if $(filter file,$(origin MOST)),20,$(MOST)) \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' test-faults

$(BUILD)/faults/inject: $(BUILD)/tests/faults/inject.o
	$(link)

$(BUILD)/faults/refuse.so: tests/faults/refuse.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -shared $(if $(SAN),-DNEXT) $< -o $@

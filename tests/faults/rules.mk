# make test-faults  each command with want of memory at MOST=200 of its allocations, full disks, closed pipes, signals
MOST ?= 200

.PHONY: test-faults
test-faults: all $(BUILD)/faults/inject $(BUILD)/faults/refuse.so
	@MOST=$(MOST) $(TEST_ENV) tests/faults/run $(BUILD)/faults/inject $(BUILD)/faults/refuse.so $(CASES)

$(BUILD)/faults/inject: $(BUILD)/tests/faults/inject.o
	$(link)

$(BUILD)/faults/refuse.so: tests/faults/refuse.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -shared $< -o $@

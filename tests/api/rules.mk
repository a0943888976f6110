# make test-library  what is installed serves a program in C and in C++, static and shared; exports; ABI
.PHONY: test-library
STAGE := $(BUILD)/stage
test-library: all shared
	@tests/api/check-exports $(BUILD)/$(SONAME)
	@rm -rf $(STAGE) && DESTDIR=$(abspath $(STAGE)) PREFIX=/usr LDLIBS="$(LDLIBS)" scripts/install $(BUILD)
	@tests/api/check-consumers $(abspath $(STAGE)/usr) $(BUILD)

# == Test
# make test-library  what is installed serves a program in C and in C++, static and shared; exports; ABI
.PHONY: test-library
STAGE := $(BUILD)/stage
test-library: all shared
	@tests/api/check-exports $(BUILD)/$(SONAME)
	@rm -rf $(STAGE) && DESTDIR="$(WHOLE)/stage" PREFIX=/usr LDLIBS="$(LDLIBS)" scripts/install $(BUILD)
	@tests/api/check-consumers "$(WHOLE)/stage/usr" $(BUILD)

# make abi         the shared library's binary interface against that of the last release; UPDATE_ABI=1 writes it anew
# make abi-breaks  does that find what would break programs of an older header?
.PHONY: abi abi-breaks
abi: shared
	$(call setup_of,abi)
	@tests/api/check-abi $(BUILD)/$(SONAME) $(UPDATE_ABI)
abi-breaks: shared
	$(call setup_of,abi)
	@tests/api/break-abi $(BUILD) "$(CFLAGS)" "$(LDLIBS)"

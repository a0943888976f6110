# == Build and install
# make             $(BUILD)/cyclotron and $(BUILD)/libcyclotron.a
# make run         install what is missing, build, replay the 3DGAN step on a TPU v3-8
# make shared      $(BUILD)/libcyclotron.so, which make install, make test-library and make wheel need
# make install     program, libraries, headers, manual pages, completion, docs, traces to $(DESTDIR)$(PREFIX), PREFIX=/usr/local
# make uninstall   take them away again
# make dist        the last commit as $(BUILD)/dist/cyclotron-VERSION.tar.gz, its SHA-256, the licences of all that is linked
# make dist-check  unpack that beside it, build it there without git, run its tests; SUITES='api golden' runs some of them
# make deb         Debian packages of that in $(BUILD)/deb, looked at by lintian
# make pgo         the program in $(BUILD)/pgo, built for what replays of the shipped traces run through
# make exact-only  the binary without any *_fold.c
# == Test
# make test        install what is missing, build, run all test suites
# make check       test, and all that reads the sources: layers circles names format cppcheck
# == Predictions and constants
# make traces      write traces/*.trace.zst anew
# make evidence    what replays say of measurements that cover them, after predictions have changed
# make fit         are the constants of TPU v4 and v6e those that measured kernels give?  takes some minutes
# make fit-gpu     the same of GPUs: NCCL, and the errors of products and kernels on the rows fitted on and held out
# make oracle      our own passes beside the compiler's; PAIRS=DIR, else pairs compiled here
# make kernels     compile the measured kernels that are missing: hours for all
# == Documents
# make docs        write docs/reference/params.md, the tables of docs/evidence and the samples of documents anew: 2 minutes, less after make test
# make findings    what real compilers, tools and formats do against expectation: minutes, some GB to fetch
# make site        the documents as pages for a browser in $(BUILD)/site; fetches mkdocs-material
# make help        these lines, by subject, and those of */*/rules.mk
BUILD   ?= build
# the same as a whole path, in quotes wherever it is used: abspath would cut a path at its blanks
WHOLE   := $(if $(filter /%,$(BUILD)),,$(CURDIR)/)$(BUILD)
PREFIX  ?= /usr/local
LIBDIR  ?= lib
Q       := $(if $(V),,@) # make V=1 shows every command
say      = $(if $(V),,@printf '  %-4s %s\n' $(1) $@)
CC      ?= cc
OPT     ?= -O2
WARN    := -Wall -Wextra -Wformat-nonliteral -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
# one set of objects makes the program and both libraries
PIC     := -fPIC -fno-semantic-interposition
# Skylake and its successors decode a branch anew each time that crosses or ends a line of 32 bytes
BRANCHES := $(shell for f in -Wa,-mbranches-within-32B-boundaries -mbranches-within-32B-boundaries; do \
              echo | $(CC) $$f -x c -c - -o /dev/null 2>/dev/null && echo $$f && break; done)
CFLAGS  += $(OPT) $(HOT) $(PIC) $(BRANCHES) -g -std=c11 -D_GNU_SOURCE -Imodel -I. -I$(BUILD)/gen $(WARN) -MMD -MP $(CPPFLAGS) $(SAN)
LDLIBS  := -lgmp -lzstd -lxxhash -linih -ljansson -lprotobuf-c -lsqlite3 -lz -lm

LIBSRC  := $(sort $(filter-out model/cli/%,$(wildcard model/*/*.c model/*/*/*.c model/*/*/*/*.c)) $(wildcard kernels/*.c kernels/*/*.c traces/*.c))
CLISRC  := $(sort $(wildcard model/cli/*.c model/cli/*/*.c))
ifdef EXACT_ONLY # design decision: shortcuts live in *_fold.c, and a binary without them prints the same
LIBSRC  := $(filter-out %_fold.c,$(LIBSRC))
CFLAGS  += -DEXACT_ONLY
endif
MACHINES := $(sort $(wildcard model/machines/*.ini model/machines/libraries/*.ini model/machines/parts/*.ini model/machines/reference/*.ini))
ifdef MPI # `mpirun cyclotron sweep`: docs/guide/sweeps.md
LIBSRC  := $(filter-out %/ranks_one.c,$(LIBSRC))
CFLAGS  += $(filter-out -Wl%,$(shell mpicc --showme:compile))
LDLIBS  += $(shell mpicc --showme:link)
else
LIBSRC  := $(filter-out %/ranks_mpi.c,$(LIBSRC))
endif
SCHEMA  := $(BUILD)/gen/import/chakra/chakra.pb-c
LIBOBJ  := $(LIBSRC:%.c=$(BUILD)/%.o) $(BUILD)/machines_data.o $(BUILD)/tables_data.o $(BUILD)/packed_data.o $(BUILD)/html_data.o $(SCHEMA).o
CLIOBJ  := $(CLISRC:%.c=$(BUILD)/%.o)
VERSION := $(shell sed -n 's/^\#define CYCLOTRON_VERSION "\(.*\)"/\1/p' model/base/version.h)
SONAME  := libcyclotron.so.$(firstword $(subst ., ,$(VERSION)))
EXPORTS := model/api/exports.map
# what the program and the suites are linked to
LIBRARY ?= $(BUILD)/libcyclotron.a
FORMAT  := $(sort $(wildcard model/*/*.[ch] model/*/*/*.[ch] model/*/*/*/*.[ch] kernels/*.[ch] kernels/*/*.[ch] traces/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] docs/examples/*.c docs/examples/extending/*.[ch]))

# how a program is linked from all that it depends on
define link
@mkdir -p $(@D)
$(call say,LINK)
$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
endef

.PHONY: all shared dist dist-check deb help pgo install uninstall setup run check layers circles names format cppcheck exact-only traces evidence fit fit-gpu oracle kernels docs findings site clean
all: $(BUILD)/cyclotron $(BUILD)/libcyclotron.a

install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export PREFIX := $(PREFIX)
install: export LDLIBS := $(LDLIBS)
install: export LIBDIR := $(LIBDIR)
install: all shared
	@scripts/install $(BUILD)
uninstall:
	@scripts/install --remove

dist:
	$(call setup_of,deb)
	@LDLIBS="$(LDLIBS)" scripts/package/make-dist $(BUILD)
dist-check: dist
	@rm -rf $(BUILD)/dist-check && mkdir $(BUILD)/dist-check && tar -xf $(BUILD)/dist/cyclotron-$(VERSION).tar.gz -C $(BUILD)/dist-check
	@GIT_CEILING_DIRECTORIES=$(abspath $(BUILD))/dist-check $(MAKE) --no-print-directory -C $(BUILD)/dist-check/cyclotron-$(VERSION) \
	  BUILD=build SETUP=no SUITES='$(SUITES)' all unit-tests cli-tests
deb: dist
	@scripts/package/make-deb $(BUILD)

help:
	@awk '/^# == / { group = substr($$0, 6); if (!(group in lines)) order[++n] = group } \
	  /^# make/ { lines[group] = lines[group] "  " substr($$0, 3) "\n" } \
	  END { for (i = 1; i <= n; i++) printf "%s%s\n%s", (i > 1 ? "\n" : ""), order[i], lines[order[i]] }' \
	  Makefile tests/rules.mk $(sort $(wildcard tests/*/rules.mk traces/*/rules.mk))

# SETUP=no: install nothing
SETUP ?= yes
setup_of = $(if $(filter no,$(SETUP)),@:,@scripts/setup $(1))
setup:
	$(call setup_of,test)

run: # on all cores, unless -j says otherwise
	$(call setup_of,build)
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) all
	$(BUILD)/cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8

check:
	$(call setup_of,check)
	@$(MAKE) --no-print-directory unit-tests cli-tests layers circles names format cppcheck

layers:
	@scripts/check/layers

circles: all
	@OBJECTS=$(BUILD) scripts/check/circles

names:
	@scripts/check/names && scripts/check/locale && scripts/check/documented && scripts/check/words && scripts/check/docs && scripts/check/recipes && scripts/check/numbers

format:
	@clang-format --dry-run -Werror $(FORMAT)

# what is known of files that have not changed lies in $(BUILD)/cppcheck: 6 s in place of minutes
cppcheck:
	@mkdir -p $(BUILD)/cppcheck
	@cppcheck -q -j$$(nproc) --cppcheck-build-dir=$(BUILD)/cppcheck --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 -Imodel -I. model kernels traces

# profiles lie beside the objects, where the second build looks for them
PGO := $(BUILD)/pgo
pgo:
	@$(MAKE) --no-print-directory BUILD=$(PGO) OPT="$(OPT) -fprofile-generate" all
	@for t in 3dgan mlpf exatrkx; do for m in tpu-v3-8 tpu-v3-2048 tpu-v4-8 v100x4; do \
	  $(PGO)/cyclotron replay traces/$$t.trace.zst -m $$m >$(PGO)/out.txt || exit 1; done; done
	@$(PGO)/cyclotron replay traces/programs/gan3d.tpu-v3-8.hlo.zst >$(PGO)/out.txt
	@find $(PGO) -name '*.o' -exec rm {} +
	@rm -f $(PGO)/cyclotron $(PGO)/libcyclotron.a
	@$(MAKE) --no-print-directory BUILD=$(PGO) OPT="$(OPT) -fprofile-use -fprofile-correction -Wno-missing-profile" all

exact-only:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-exact EXACT_ONLY=1 all

traces: all
	@for w in 3dgan exatrkx mlpf; do $(BUILD)/cyclotron trace gen $$w -o traces/$$w.trace.zst || exit 1; done

# what replays say of measurements that cover them: after predictions have changed
evidence: $(BUILD)/test-validation
	@UPDATE_EVIDENCE=1 $(BUILD)/test-validation --filter 'evidence/*'

# the measured kernels as the compiler makes them: hours; kernels that are there are kept
kernels:
	@scripts/compile-kernels v4
	@scripts/compile-kernels v6e
	@for g in v2 v3 v4 v6e; do scripts/compile-kernels $$g --programs || exit 1; done

# the constants that are calibrated on measured kernels of TPU v4 and v6e; fails if a machine file has others
fit: all
	@CYCLOTRON="$(WHOLE)/cyclotron" scripts/fit
	@$(MAKE) --no-print-directory fit-gpu

# those of GPUs; --improve of fit-products, and fit-kernels without --errors, search for better ones
fit-gpu: all
	@scripts/fit-nccl
	@CYCLOTRON="$(WHOLE)/cyclotron" scripts/fit-products
	@CYCLOTRON="$(WHOLE)/cyclotron" scripts/fit-kernels --errors

# our own passes beside the compiler's, on pairs of programs: those of PAIRS=DIR, or some compiled here
oracle: all $(if $(PAIRS),,pairs)
	@scripts/oracle --binary $(BUILD)/cyclotron --write docs/evidence/compiler.md $(or $(PAIRS),$(BUILD)/pairs)

$(BUILD)/validation.json: $(BUILD)/cyclotron
	@$(BUILD)/cyclotron validate --detail --format json -o $@

docs: all $(BUILD)/validation.json
	@scripts/evidence $(BUILD)/validation.json
	@$(BUILD)/cyclotron params --markdown -o docs/reference/params.md
	@scripts/update-readme $(BUILD)/cyclotron
	@scripts/samples --write $(BUILD)/cyclotron $$(grep -l '^```console$$' README.md docs/*/*.md)

# each installs public packages of its own
findings:
	@for f in findings/*.sh; do echo "=== $$f"; "$$f" || exit 1; done

site:
	@scripts/site $(BUILD)

clean:
	rm -rf -- "$(BUILD)" "$(BUILD)-san" "$(BUILD)-exact" "$(BUILD)-mpi"

$(BUILD)/cyclotron: $(CLIOBJ) $(LIBRARY)
	$(link) $(LDLIBS)

$(BUILD)/libcyclotron.a: $(LIBOBJ)
	$(call say,AR)
	@rm -f $@
	$(Q)ar rcs $@ $(LIBOBJ)

shared: $(BUILD)/$(SONAME)
$(BUILD)/$(SONAME): $(LIBOBJ) $(EXPORTS)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(EXPORTS) -Wl,-z,defs $(LIBOBJ) -o $@ $(LDLIBS)
	@ln -sf $(SONAME) $(BUILD)/libcyclotron.so

# with all symbols, as the suites call inner functions too: one object can be exchanged without linking them (scripts/mutate)
$(BUILD)/libcyclotron-open.so: $(LIBOBJ)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--strip-debug $(LIBOBJ) -o $@ $(LDLIBS)

# the folders too: a file that is gone must go from the program
$(BUILD)/machines_data.c: scripts/embed $(MACHINES) $(sort $(dir $(MACHINES)))
	@mkdir -p $(@D)
	$(Q)scripts/embed machine $(MACHINES) > $@.new
	@mv $@.new $@

$(BUILD)/tables_data.c: scripts/embed $(wildcard model/measured/*.csv)
	@mkdir -p $(@D)
	$(Q)scripts/embed published model/measured/*.csv > $@.new
	@mv $@.new $@

$(BUILD)/packed_data.c: scripts/embed $(wildcard model/measured/*.zst)
	@mkdir -p $(@D)
	$(Q)scripts/embed packed model/measured/*.zst > $@.new
	@mv $@.new $@

HTML := model/report/html
$(BUILD)/html_data.c: scripts/embed-text $(wildcard $(HTML)/*.html $(HTML)/*.css $(HTML)/*.js)
	@mkdir -p $(@D)
	$(Q)scripts/embed-text report/html/html_page.h html_page=$(HTML)/page.html html_style=$(HTML)/page.css \
	  html_script=$(HTML)/page.js+$(HTML)/report.js+$(HTML)/report_groups.js+$(HTML)/report_lanes.js+$(HTML)/report_panels.js+$(HTML)/report_flow.js+$(HTML)/page_end.js \
	  html_profile_script=$(HTML)/page.js+$(HTML)/profile.js+$(HTML)/page_end.js \
	  html_compare_script=$(HTML)/page.js+$(HTML)/compare.js+$(HTML)/page_end.js \
	  html_sweep_script=$(HTML)/page.js+$(HTML)/sweep.js+$(HTML)/page_end.js > $@.new
	@mv $@.new $@

$(BUILD)/machines_data.o $(BUILD)/tables_data.o $(BUILD)/packed_data.o $(BUILD)/html_data.o: %.o: %.c
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

# what protoc-c writes is not ours to warn about
$(SCHEMA).c $(SCHEMA).h &: model/import/chakra/chakra.proto
	@mkdir -p $(BUILD)/gen
	$(Q)protoc-c --proto_path=model --c_out=$(BUILD)/gen import/chakra/chakra.proto
$(SCHEMA).o: $(SCHEMA).c
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -w -c $< -o $@
$(patsubst %.c,$(BUILD)/%.o,$(wildcard model/import/chakra/*.c tests/unit/import/test_chakra*.c tests/fuzz/fuzz_chakra.c)): | $(SCHEMA).h

# most of a replay runs in these rooms
$(BUILD)/model/des/%.o $(BUILD)/model/hw/%.o $(BUILD)/model/task/%.o: HOT = $(if $(filter -O2,$(OPT)),-O3)

# the code of suites is not hot, and optimising it takes two thirds of the time that it takes to compile;
# headers refuse to be fortified without
SUITE_ROOMS := $(patsubst %,$(BUILD)/%%.o,$(filter-out tests/bench/ tests/fuzz/ tests/rtl/,$(wildcard tests/*/)))
$(SUITE_ROOMS): override OPT := -O0
$(SUITE_ROOMS): override CPPFLAGS := $(CPPFLAGS) -U_FORTIFY_SOURCE

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

include tests/rules.mk $(sort $(wildcard tests/*/rules.mk traces/*/rules.mk))

-include $(LIBOBJ:.o=.d) $(CLIOBJ:.o=.d) $(patsubst %.c,$(BUILD)/%.d,$(wildcard tests/*/*.c tests/*/*/*.c))

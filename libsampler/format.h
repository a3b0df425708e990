/* SPDX-License-Identifier: MIT */
/*
 * format.h - the constants of the recorded stream.
 *
 * This is the one header that the recorder and the converters share. doc/format.md is the
 * specification, byte by byte; this file only names the numbers in it.
 *
 * All integers are varints (LEB128: seven bits a byte, least significant first, the top bit says
 * that more follow, ten bytes at most) unless the specification says otherwise. Signed integers are
 * zigzag coded first: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
 */
#ifndef CPS_FORMAT_H
#define CPS_FORMAT_H

#include <stdint.h>

/* The plain head of a stream: eight bytes of magic, one byte of version; zlib data follows. */
#define CPS_MAGIC	  "CPSAMPLE"
#define CPS_MAGIC_BYTES	  8
#define CPS_VERSION	  4 /* 1 had no columns, 2 no numbers of stacks, 3 one resource */
#define CPS_VERSION_CLOCK 3 /* of a recording of one clock, which has nothing of version 4 */
#define CPS_HEAD_BYTES	  (CPS_MAGIC_BYTES + 1)
#define CPS_SUFFIX	  ".cps" /* of the file's name */

/* Within the zlib data: record = tag, length, payload[length], CRC-32 of these (4 bytes, little
 * endian). A reader skips a record whose tag it does not know. */
enum cps_tag {
	CPS_TAG_PROCESS = 1, /* fields (enum cps_process_field) */
	CPS_TAG_MODULE = 2,  /* id, path, build id, bias, flags, segments */
	CPS_TAG_THREAD = 3,  /* id, tid, start, name; a later one replaces an earlier one */
	CPS_TAG_SAMPLES = 4, /* a batch of samples */
	CPS_TAG_LOSS = 5,    /* (reason, count) pairs; totals so far, the last one holds */
	CPS_TAG_END = 6,     /* fields (enum cps_end_field); nothing follows */
	CPS_TAG_MARK = 7,    /* time (us since the start), thread id, name: set by the program */
	CPS_TAG_ENGINE = 8,  /* engine, why: from here on another clock ticks */
	CPS_TAG_JIT = 9,     /* the payload is a piece of a perf map */
	CPS_TAG_COLUMNAR_2 = 10, /* a batch of samples in columns, as version 2 had it */
	CPS_TAG_COLUMNAR = 11,	 /* a batch of samples, in columns */
	CPS_TAG_RESOURCE = 12,	 /* fields (enum cps_resource_field) */
	CPS_TAG_ATOM = 13,	 /* fields (enum cps_atom_field) */
	CPS_TAG_COUNTED = 14,	 /* (resource, gticks, events); totals so far, the last one holds */
	CPS_TAG_FREED = 15,	 /* time, then (number, time) pairs: blocks that were freed */
	CPS_TAG_BLOCK = 16,	 /* number: a block of the stream begins */
	CPS_TAG_SHORT = 17,	 /* fields (enum cps_short_field); not in streams, see CPS_SHORT */
	CPS_TAG_CALLED =
		17, /* in streams: first, then (module + 1, address) of functions that were called */
	CPS_TAG_CALLS = 18,	 /* states of a machine that counts calls, see CPS_CALLS */
	CPS_TAG_CALL_TIMES = 19, /* what was spent in these states, likewise */
};

/* The last bytes of a flush of zlib's, and those of two flushes without anything between them: then a block begins, which
 * can be read without what is before it. */
#define CPS_FLUSH	UINT64_C(0x0000ffff)
#define CPS_BLOCK_FLUSH UINT64_C(0x00ffff000000ffff)

/* No record is longer than this. A batch never exceeds a buffer of the journal. */
#define CPS_RECORD_BYTES_MAX (1u << 20)

/* Fields of CPS_TAG_PROCESS, _END, _RESOURCE and _ATOM: key = number * 2 + (1 if text), then a
 * varint, or for a text its length and bytes. A reader skips a number that it does not know. */
enum cps_process_field {
	CPS_PROCESS_PID = 1,
	CPS_PROCESS_PPID = 2,
	CPS_PROCESS_START_NS = 3,	/* CLOCK_REALTIME when recording began */
	CPS_PROCESS_RESOURCE = 4,	/* text: "cpu", "signals" */
	CPS_PROCESS_UNIT = 5,		/* text: what one gtick is, "ns" or "signals" */
	CPS_PROCESS_SCALE = 6,		/* gticks per unit of weight */
	CPS_PROCESS_INTERVAL = 7,	/* mean sampling interval in gticks; 0 = none */
	CPS_PROCESS_ENGINE = 8,		/* text: the name of the clock that ticked */
	CPS_PROCESS_EXE = 9,		/* text: absolute path of the executable */
	CPS_PROCESS_ARG = 10,		/* text, once per argument, in order */
	CPS_PROCESS_CWD = 11,		/* text: where the program was started */
	CPS_PROCESS_HOST = 12,		/* text */
	CPS_PROCESS_MACHINE = 13,	/* text: "x86_64" */
	CPS_PROCESS_CPU_BEFORE_NS = 14, /* CPU time of the process before recording began */
	CPS_PROCESS_JOURNAL = 15,	/* a number that the journal of this stream repeats */
	CPS_PROCESS_ENGINE_WHY = 16,	/* text: why that clock, if another one was asked for */
	CPS_PROCESS_RECORDER = 17,	/* text: version of the recorder */
	CPS_PROCESS_TREE_PID = 18,	/* the topmost recorded ancestor, or the process itself */
	CPS_PROCESS_TREE_START =
		19,		   /* its start: clock ticks after boot, /proc/PID/stat field 22 */
	CPS_PROCESS_UNWINDER = 20, /* text: what followed the stacks; absent: "native" */
	CPS_PROCESS_UNWINDER_WHY = 21, /* text: why that one, if another one was asked for */
	CPS_PROCESS_STARTED_AS = 22, /* text: path of a link to the executable that was executed */
	CPS_PROCESS_ANCESTOR =
		23, /* an ancestor when the stream was made; repeated, parent first */
	CPS_PROCESS_ATOM_BITS = 24, /* batches have thread << bits | atom; absent: 0 */
	CPS_PROCESS_RUNTIME = 25, /* text: "Go": programs of this runtime end past the C library */
	CPS_PROCESS_RANK = 26,	  /* among the processes of a launcher, below CPS_RANKS */
	CPS_PROCESS_LAUNCHED =
		27, /* text: the command of CPS_PROCESS_TREE_PID, if that is another process */
	CPS_PROCESS_BEGAN_NS =
		28, /* CLOCK_REALTIME when the process was made, if recording was begun from outside */
};

#define CPS_ATOM_BITS_MAX 8u
#define CPS_RESOURCES_MAX 256u

#define CPS_RANKS	  (UINT64_C(1) << 31)
#define CPS_ANCESTORS_MAX 32 /* of CPS_PROCESS_ANCESTOR; those further up are left out */

enum cps_end_field {
	CPS_END_TIME_US = 1,	     /* microseconds after CPS_PROCESS_START_NS */
	CPS_END_CPU_NS = 2,	     /* CPU time of the process while sampling was on */
	CPS_END_TICKS = 3,	     /* samples that are ticks, over all batches */
	CPS_END_BYTES = 4,	     /* bytes of records before compression */
	CPS_END_STOP = 5,	     /* enum cps_stop */
	CPS_END_ERROR = 6,	     /* the errno that goes with it; 0 = none */
	CPS_END_OWN_NS = 7,	     /* CPU time that recording took, which is not credited */
	CPS_END_OWN_KERNEL_NS = 8,   /* the part of it that the kernel took to bring ticks */
	CPS_END_DENIED = 9,	     /* processes made by fork that could not write recordings */
	CPS_END_DENIED_ERROR = 10,   /* the errno of the latest of them */
	CPS_END_PYTHON = 11,	     /* Python functions that stacks have by name */
	CPS_END_PYTHON_UNNAMED = 12, /* evaluators of Python whose functions have no names */
	CPS_END_CHILDREN_NS = 13,    /* CPU time of children that were waited for, and of theirs */
	CPS_END_INTERRUPTED = 14,    /* waits that failed with EINTR because of a tick */
	CPS_END_READY_NS = 15,	     /* time in which threads were ready to run and did not */
	CPS_END_HOOKS_NS = 16,	     /* the part of OWN_NS in which calls were counted */
};

/*
 * CPS_SHORT: a file of a run of cpsample, in the directory of its recordings. In it each process adds what it has used that
 * ends, or becomes another program, without a recording. Its name has the run's CPS_PROCESS_TREE_PID and
 * CPS_PROCESS_TREE_START: .cpsample.PID.START.short. Each entry has the letters and a record of CPS_TAG_SHORT, not deflated.
 */
#define CPS_SHORT_PREFIX     ".cpsample."
#define CPS_SHORT_SUFFIX     ".short"
#define CPS_SHORT_MAGIC	     "CPSHORT\n" /* of CPS_MAGIC_BYTES */
#define CPS_SHORT_BYTES	     256	 /* of an entry, at most */
#define CPS_SHORT_FILE_BYTES (16u << 20) /* of the file, at most */

enum cps_short_field {
	CPS_SHORT_PID = 1,
	CPS_SHORT_PPID = 2,
	CPS_SHORT_START_NS = 3,	     /* CLOCK_REALTIME when the program, or the fork, began */
	CPS_SHORT_TIME_US = 4,	     /* when this was written, in us after that */
	CPS_SHORT_CPU_NS = 5,	     /* CPU time of the process since it was made ... */
	CPS_SHORT_CPU_BEFORE_NS = 6, /* ... and of that what it had used at START_NS */
	CPS_SHORT_CHILDREN_NS = 7,   /* likewise of children that were waited for, and of theirs */
	CPS_SHORT_CHILDREN_BEFORE_NS = 8,
	CPS_SHORT_STOP = 9,  /* CPS_STOP_EXEC; absent: the process ends */
	CPS_SHORT_NAME = 10, /* text: of the program, without its directory */
	CPS_SHORT_ARG = 11,  /* text, once per argument behind the program, in order */
	/* text: of the program, with its last slash; the end of it, without a slash before, if it does not fit */
	CPS_SHORT_DIRECTORY = 12,
};

/* A resource that is counted. Fields 4 to 8 of the process record are those of resource 0. */
enum cps_resource_field {
	CPS_RESOURCE_ID = 1,	   /* 0, 1, ...: the order in which they were asked for */
	CPS_RESOURCE_NAME = 2,	   /* text: "cpu", "alloc" */
	CPS_RESOURCE_UNIT = 3,	   /* text: what one gtick is, "ns", "bytes" */
	CPS_RESOURCE_SCALE = 4,	   /* gticks per unit of weight */
	CPS_RESOURCE_INTERVAL = 5, /* mean sampling interval in gticks; 0 = none */
	CPS_RESOURCE_ENGINE = 6,   /* text */
	CPS_RESOURCE_WHY = 7,	   /* text: why that engine, or what is missing */
	CPS_RESOURCE_FLAGS = 8,
};

#define CPS_RESOURCE_IS_TIME 1u /* weights are CPU time or real time */
#define CPS_RESOURCE_IS_LIVE 2u /* of its samples those count whose blocks are not freed */

/* An atom is a kind of samples: those of one state, which are counted in the same resources. */
enum cps_atom_field {
	CPS_ATOM_ID = 1,       /* below 1 << CPS_PROCESS_ATOM_BITS */
	CPS_ATOM_STATE = 2,    /* text: "running", "io"; absent: none */
	CPS_ATOM_RESOURCE = 3, /* a resource that counts it; repeated */
	CPS_ATOM_GRAIN = 4,    /* of its weights in columns; from 1 */
	CPS_ATOM_FLAGS = 5,
};

#define CPS_ATOM_IS_TIME   1u /* weights are microseconds and predict the times of samples */
#define CPS_ATOM_IN_KERNEL 2u /* the thread was in the kernel, called by the innermost frame */

/* Why recording ended before the process did. */
enum cps_stop {
	CPS_STOP_NONE = 0,	/* it did not end before; the process ended */
	CPS_STOP_EXEC = 1,	/* the process became another program */
	CPS_STOP_DURATION = 2,	/* CPSAMPLE_DURATION is over */
	CPS_STOP_SECCOMP = 3,	/* the program installed a seccomp filter */
	CPS_STOP_LIMIT = 4,	/* CPSAMPLE_MAX_BYTES is reached */
	CPS_STOP_CREATE = 5,	/* the output cannot be created */
	CPS_STOP_WRITE = 6,	/* the output cannot be written */
	CPS_STOP_CLOCK = 7,	/* the clock cannot be started */
	CPS_STOP_SWITCH = 8,	/* recording was turned off */
	CPS_STOP_DISPATCH = 9,	/* the program handles system calls itself */
	CPS_STOP_DETACHED = 10, /* cpsample -p has let go of the process */
	CPS_STOP_COUNT
};

/* CPS_TAG_MODULE: flags. */
#define CPS_MODULE_VDSO 1u

/* CPS_TAG_SAMPLES: buffer, sequence, time, then items. The head of an item: these bits, and
 * above them the number of innermost frames that leave the previous item's stack. */
#define CPS_ITEM_THREAD	   1u /* the thread's id follows; else the same thread as before */
#define CPS_ITEM_TAIL	   2u /* not a tick, but the rest of what a thread has used, at its end */
#define CPS_ITEM_MARK	   4u /* enum cps_mark follows; else the stack is complete */
#define CPS_ITEM_POP_SHIFT 3

/* Why a stack is not complete. */
enum cps_mark {
	CPS_MARK_COMPLETE = 0,
	CPS_MARK_NO_RECIPE = 1,	  /* code without unwind information or frame pointer */
	CPS_MARK_BAD_MEMORY = 2,  /* a frame that cannot be read */
	CPS_MARK_NO_PROGRESS = 3, /* the stack pointer did not move outward */
	CPS_MARK_TOO_DEEP = 4,	  /* both ends were kept, with a gap at CPS_CUT_ADDRESS */
	CPS_MARK_BOUNDED = 5,	  /* to follow it further would have taken too long */
	CPS_MARK_NOT_SAMPLED =
		6, /* no tick has seen where the thread was; only its start is known */
	CPS_MARK_COPIED =
		7, /* the copy of the stack ends there, which was made to be walked elsewhere */
	CPS_MARK_COUNT
};

/* Added to the mark when the number of a block of memory follows it. */
#define CPS_MARK_NUMBERED 8u

/* Frame codes, outermost first. The successors of an address are the last four distinct
 * addresses that followed it in this batch, most recent first. */
#define CPS_FRAME_SUCCESSORS 4u /* codes 0..3: that successor of the frame before */
#define CPS_FRAME_NEW	     4u /* module + 1 (0: none), address: the next id of the batch */
#define CPS_FRAME_RUN	     5u /* n: the next n frames are each the first successor */
#define CPS_FRAME_KNOWN	     6u /* 6 + id: an address that this batch has introduced */

/* CPS_TAG_COLUMNAR: buffer, sequence, time, grain, step, whether it begins anew, the length of each
 * column; the columns. A head: these bits, and above them what is popped. */
enum cps_column {
	CPS_COLUMN_HEAD,
	CPS_COLUMN_EXTRA,  /* thread, mark, rest of a weight, lengths of runs */
	CPS_COLUMN_WEIGHT, /* in grains */
	CPS_COLUMN_TIME,   /* in steps */
	CPS_COLUMN_CODE,   /* a byte for each frame or run */
	CPS_COLUMN_KNOWN,  /* ids: the low byte, and in the next column the high one */
	CPS_COLUMN_KNOWN_HIGH,
	CPS_COLUMN_NEAR, /* differences of addresses, likewise */
	CPS_COLUMN_NEAR_HIGH,
	CPS_COLUMN_FAR, /* of larger differences the three low bytes, a column each */
	CPS_COLUMN_FAR_1,
	CPS_COLUMN_FAR_2,
	CPS_COLUMN_FAR_REST, /* module, the rest of the difference */
	CPS_COLUMNS_2,
	CPS_COLUMN_AGAIN = CPS_COLUMNS_2, /* a byte for each sample, see below */
	CPS_COLUMN_NUMBER,		  /* of a stack, low and high byte */
	CPS_COLUMN_NUMBER_HIGH,
	CPS_COLUMNS
};

/* CPS_COLUMN_AGAIN: the stack, thread and mark of a sample are those of one before it. Samples
 * that have a head get the numbers 0, 1, ..., CPS_STACKS - 1, 0, ... */
#define CPS_AGAIN_NOT	 0u   /* it has a head, and perhaps frames */
#define CPS_AGAIN_NUMBER 255u /* its stack's number follows; else how recent it is, plus 1 */
#define CPS_RECENT	 254u
#define CPS_STACKS	 32768u

#define CPS_HEAD_EXTRA	   1u /* bits CPS_ITEM_* and values are in CPS_COLUMN_EXTRA */
#define CPS_HEAD_NO_FRAMES 2u /* nothing is pushed */
#define CPS_HEAD_POP_SHIFT 2
#define CPS_ITEM_REST	   8u /* the weight is not a multiple of the grain; the rest follows */

#define CPS_COLUMN_SUCCESSORS 16u
#define CPS_COLUMN_IDS	      32768u

/* Codes 0..15: that successor of the frame before. Frames end with a leaf: an address that was
 * innermost when it was last pushed. */
enum cps_code {
	CPS_CODE_RUN = CPS_COLUMN_SUCCESSORS, /* a run of frames, each the first successor */
	CPS_CODE_FLIP,			      /* the next frame becomes a leaf, or none any more */
	CPS_CODE_KNOWN,			      /* an id */
	CPS_CODE_NEAR,			      /* a new address, near the first successor */
	CPS_CODE_NEAR_LEAF,
	CPS_CODE_FAR, /* a new address */
	CPS_CODE_FAR_LEAF,
	CPS_CODE_COUNT
};

/* The address, without module, of the frame that stands for the frames that were left out. */
#define CPS_CUT_ADDRESS 0u
/* Likewise, of the frame that stands for where a thread was when no tick has seen it. */
#define CPS_NOT_SAMPLED_ADDRESS 1u
/* Function n of a Python program is this + (n + 1) * CPS_PYTHON_LINES + the line that it was at, 0 if that is not known,
 * without module. Names of functions and paths of files are lines of the perf map: those of functions are of these
 * addresses, those of files of the ones that are CPS_PYTHON_PATHS higher. */
#define CPS_PYTHON_ADDRESS UINT64_C(0x5079000000000000)
#define CPS_PYTHON_LINES   UINT64_C(0x100000000)
#define CPS_PYTHON_PATHS   UINT64_C(0x2000000000000)
/* From here on, without module, are addresses of the kernel. */
#define CPS_KERNEL_ADDRESS (UINT64_C(1) << 63)

/* Limits that a writer keeps and a reader enforces. */
#define CPS_DEPTH_MAX	   65536u /* frames in a stack */
#define CPS_DICTIONARY_MAX 16384u /* addresses that one batch introduces */
#define CPS_MODULES_MAX	   65535u
#define CPS_SEGMENTS_MAX   64u
#define CPS_TEXT_MAX	   65536u /* bytes of any text */
#define CPS_WEIGHT_MAX	   (UINT64_C(1) << 62)

/* Why a tick gave no sample, or a sample did not reach the stream. */
enum cps_loss {
	CPS_LOSS_REENTERED = 0, /* the tick hit the recorder itself */
	CPS_LOSS_BUSY = 1,	/* every buffer or stack of the recorder's was in use */
	CPS_LOSS_MEMORY = 2,	/* no memory for a thread or a buffer */
	CPS_LOSS_OUTPUT = 3,	/* the output could not be created or written */
	CPS_LOSS_STACK = 4,	/* no frame could be found */
	CPS_LOSS_BUDGET = 5,	/* recording had taken its share of the CPU time */
	/* Older recorders count what follows as CPS_LOSS_BUSY, older readers show it as unknown. */
	CPS_LOSS_DESCRIPTORS = 6, /* the target had none left to create or write the file */
	CPS_LOSS_CREATING = 7,	  /* another thread was creating the file */
	CPS_LOSS_UNWINDER = 8,	  /* another thread was in libunwind */
	CPS_LOSS_FREES = 9,	  /* that a block was freed could not be kept; no tick */
	CPS_LOSS_MARKS = 10,	  /* a mark found its buffer in use; no tick */
	CPS_LOSS_DAMAGED = 11,	  /* told by readers: a part of the file is damaged */
	CPS_LOSS_UNREAD = 12, /* of a recording from outside: the kernel had no room to keep it */
	CPS_LOSS_COUNT
};

/* What people read of each, after a number. */
#define CPS_LOSS_TEXTS                                                                             \
	[CPS_LOSS_REENTERED] = "inside the recorder", [CPS_LOSS_BUSY] = "buffers busy",            \
	[CPS_LOSS_MEMORY] = "no memory", [CPS_LOSS_OUTPUT] = "output not written",                 \
	[CPS_LOSS_STACK] = "no stack", [CPS_LOSS_BUDGET] = "left out to keep the budget",          \
	[CPS_LOSS_DESCRIPTORS] = "no descriptor left",                                             \
	[CPS_LOSS_CREATING] = "while the file was created",                                        \
	[CPS_LOSS_UNWINDER] = "libunwind busy", [CPS_LOSS_FREES] = "freed blocks not kept",        \
	[CPS_LOSS_MARKS] = "marks not kept", [CPS_LOSS_DAMAGED] = "in a damaged part of the file", \
	[CPS_LOSS_UNREAD] = "while the kernel's buffer was full"

/*
 * CPS_CALLS: calls that were counted, by the states of machines (Spivey 2004, steps B1 to B3). In a stream the records come
 * before the end record: of each machine CPS_TAG_CALLED, CPS_TAG_CALLS and CPS_TAG_CALL_TIMES. After an exec that has failed they come once more:
 * function 0 begins anew.
 *
 * CPS_TAG_CALLS: machine, transitions, missed calls, number of the first state, then for each state: the state that it was
 * created from, the function times 2 plus CPS_CALLS_CUT, calls that led to it, direct recursions in it. States are numbered from
 * 1 up in each machine; 0 is the root, in which nothing runs.
 *
 * CPS_TAG_CALL_TIMES: machine, cycles of the processor that have passed since counting began, ns that have, number of the first
 * state, then for each state cycles that were spent in it, without its calls. It is there if the ends of calls are told, and
 * CPSAMPLE_CALLS is "time".
 *
 * While the program runs they stand in a file beside the stream, STREAM.calls, which is made anew and renamed: the letters, the
 * version, 8 bytes each, little endian, of the journal's id, of microseconds after the start, and of the CPU time (ns) of the
 * hooks until then; then the same records, not deflated.
 */
#define CPS_CALLS_CUT	     1u /* its history was not kept */
#define CPS_CALLS_SUFFIX     ".calls"
#define CPS_CALLS_MAGIC	     "CPSCALLS"
#define CPS_CALLS_VERSION    1
#define CPS_CALLS_HEAD_BYTES 33u

/*
 * The journal is a file of fixed layout beside the stream, STREAM.journal. It holds what has not
 * yet been deflated. Its integers are little endian, of fixed width.
 *
 *   0    struct cps_journal_head
 *   64   struct cps_journal_buffer [buffers], and one more if data_offset leaves room for it
 *   data_offset + i * buffer_bytes   the bytes of buffer i, page_room of them in each page
 *
 * Buffer 0 holds whole records; buffer i > 0 the payload of one CPS_TAG_SAMPLES record, which
 * counts unless the stream already has a batch of the same buffer and sequence. data_offset is a
 * multiple of CPS_JOURNAL_ALIGN, so that the buffers can be mapped.
 */
#define CPS_JOURNAL_MAGIC	"CPJOURNL"
#define CPS_JOURNAL_VERSION	3
#define CPS_JOURNAL_OLD_VERSION 2 /* the same; no buffer is so large that it has `latest` */
#define CPS_JOURNAL_SUFFIX	".journal"
#define CPS_JOURNAL_ALIGN	4096u /* a page */
#define CPS_JOURNAL_PAGE_ROOM	4088u
#define CPS_JOURNAL_BUFFERS_MAX 65536u
#define CPS_JOURNAL_LOSSES	7 /* counts in an entry */
#define CPS_JOURNAL_REASONS                                                                        \
	13 /* and, without the first one of the last entry, in both that have losses */
#define CPS_JOURNAL_LATEST    48u
#define CPS_JOURNAL_COMMITTED 0xffffffu /* bytes; the bits above: how many are in `latest` */

struct cps_journal_head {
	uint8_t magic[8];
	uint32_t version;
	uint32_t buffers;
	uint32_t buffer_bytes;
	uint32_t data_offset;
	uint64_t id;	    /* CPS_PROCESS_JOURNAL of the stream */
	uint32_t stop;	    /* enum cps_stop: recording has ended, the process has not */
	int32_t stop_error; /* the errno that goes with it; 0 = none */
	uint8_t scratch[8]; /* means nothing */
	uint32_t rest_ms;   /* what was added for so long may be missing; 0 = nothing */
	uint32_t page_room; /* so many bytes of each page of 4096 are used */
	uint64_t
		children_ns; /* CPU time of children, as CPS_END_CHILDREN_NS, some time before now */
};

/* The last bytes of a buffer of samples may stand in its entry, so that a sample is a store to one page. */
struct cps_journal_buffer {
	uint32_t committed; /* bytes that are valid; written last, with release order */
	uint32_t sequence;
	union {
		/* Of buffer 0: totals by enum cps_loss, 0 to 6. Of the one more, from the second on: 7 to 12. */
		uint64_t losses[CPS_JOURNAL_LOSSES];
		struct {
			uint8_t scratch[8]; /* means nothing */
			uint8_t latest[CPS_JOURNAL_LATEST];
		};
	};
};

#endif

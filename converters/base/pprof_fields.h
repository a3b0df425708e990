/* SPDX-License-Identifier: MIT */
/*
 * pprof_fields.h - the numbers of the fields of profile.proto (github.com/google/pprof, proto/profile.proto).
 *
 * In: nothing. Out: numbers.
 */
#ifndef PPROF_FIELDS_H
#define PPROF_FIELDS_H

enum pprof_profile {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME = 9,
	PPROF_DURATION = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

enum pprof_value_type { PPROF_TYPE_TYPE = 1, PPROF_TYPE_UNIT = 2 };

enum pprof_sample { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE = 2, PPROF_SAMPLE_LABEL = 3 };

enum pprof_label {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_STR = 2,
	PPROF_LABEL_NUM = 3,
	PPROF_LABEL_UNIT = 4
};

enum pprof_mapping {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_LIMIT = 3,
	PPROF_MAPPING_OFFSET = 4,
	PPROF_MAPPING_FILENAME = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7, /* and filenames, line numbers, inlined frames */
	PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
};

enum pprof_location {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4,
};

enum pprof_line { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE = 2, PPROF_LINE_COLUMN = 3 };

enum pprof_function {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3,
	PPROF_FUNCTION_FILENAME = 4,
};

#endif

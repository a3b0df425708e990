/* SPDX-License-Identifier: MIT */
/*
 * recording_name.h - where the recording of this process goes.
 */
#ifndef CPS_RECORDING_NAME_H
#define CPS_RECORDING_NAME_H

#include "door/config.h"
#include "stream/record.h"

/* Make the name from the template and tell it to who writes the recording. Both arguments must stay valid. 0; or
 * -1: it is too long. */
int cps_recording_name_prepare(const struct cps_config *config, struct cps_identity *identity);

/* The name, in two parts between which a number may go. */
const char *cps_recording_name_stem(void);
const char *cps_recording_name_suffix(void);

#endif

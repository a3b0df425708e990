/* SPDX-License-Identifier: MIT */
/*
 * duration.h - a time as users write it.
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

/* The seconds of "10", "10s", "500ms" or "5min". Another unit counts as seconds: the recorder has checked the text before. */
double duration_seconds(const char *text);

#endif

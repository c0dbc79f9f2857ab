/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * caution - what may spoil a comparison: set-ups that differ, rounds that drift, and the like.
 *
 * Pure; the last part of comparison_make().
 */
#ifndef CMTIME_CORE_CAUTION_H
#define CMTIME_CORE_CAUTION_H

struct comparison;

/* Adds to the comparison's cautions. 0 or -ENOMEM. */
int caution_all(struct comparison *comparison);

#endif

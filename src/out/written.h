/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* written - whether all that was printed has left. main only. */
#ifndef CMTIME_OUT_WRITTEN_H
#define CMTIME_OUT_WRITTEN_H

#include <errno.h>
#include <stdio.h>

/*
 * Flushes: 0, or -errno of whatever call failed since the caller set errno to 0; -EIO where it was
 * left alone.
 */
static inline int written(FILE *file)
{
	if (!fflush(file) && !ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * saved - files of results by the names that the command line gives them: "-" is standard input.
 *
 * main only.
 */
#ifndef CMTIME_SAVED_H
#define CMTIME_SAVED_H

struct result_set;

/* 0, or -errno, logged, with *set untouched. Free with result_set_free() (core/result_file.h). */
int saved_load(struct result_set *set, const char *path);

#endif

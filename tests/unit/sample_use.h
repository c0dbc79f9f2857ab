/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sample_use - walks through the lines of tests/data/compare.txt, which tests/data/compare.py
 * worked out.
 */
#ifndef CMTIME_TESTS_SAMPLE_USE_H
#define CMTIME_TESTS_SAMPLE_USE_H

#include "data.h"

enum { SAMPLE_MOST = 512 };

struct sample {
	double values[SAMPLE_MOST];
	size_t n;
};

/* The next number of a line. */
static inline double sample_number(char **at)
{
	char *end;
	double value = strtod(*at, &end);

	assert_ptr_not_equal(*at, end);
	*at = end;
	return value;
}

/* The next sample of a line: numbers joined by commas. */
static inline struct sample sample_next(char **at)
{
	struct sample s = { .n = 0 };

	do {
		assert_true(s.n < SAMPLE_MOST);
		s.values[s.n++] = sample_number(at);
	} while (*(*at)++ == ',');
	(*at)--;
	return s;
}

/* Calls check() with the name and the rest of each line of that kind; there are some. */
static inline void sample_each(const char *kind, void (*check)(const char *name, char *rest))
{
	char *text = data_read(DATA("compare.txt")), *save = NULL;
	int n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *name = strchr(line, ' '), *rest;

		assert_non_null(name);
		*name++ = '\0';
		rest = strchr(name, ' ');
		assert_non_null(rest);
		*rest++ = '\0';
		if (strcmp(line, kind))
			continue;
		check(name, rest);
		n++;
	}
	assert_true(n > 5);
	free(text);
}

#endif

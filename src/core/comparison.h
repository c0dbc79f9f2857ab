/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * comparison - files of results held against the first of them, measure by measure.
 *
 * The result, a process's, is the unit: its value is the median over its rounds. Rules and words
 * are those of cmtime(1), COMPARE. Pure; between the files and the reports of them.
 */
#ifndef CMTIME_CORE_COMPARISON_H
#define CMTIME_CORE_COMPARISON_H

#include "core/bootstrap.h"
#include "core/measure.h"
#include "core/result_file.h"

/* A verdict is one of the first four; of the others each says why there is none. */
enum verdict {
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_SAME,	     /* the whole interval is within the margin */
	VERDICT_OPEN,	     /* no difference was shown, nor that there is none */
	VERDICT_TOO_FEW,     /* values for any p to be below COMPARISON_ALPHA */
	VERDICT_WINDOWS,     /* a percentile, and the windows differ */
	VERDICT_CONNECTIONS, /* the total, and the numbers of connections differ */
	VERDICT_MISSING,     /* one of both has no data */
	VERDICT_ZERO,	     /* the first has values of 0: there is no ratio to it */
	VERDICTS
};

#define COMPARISON_ALPHA 0.05

/* One file of a comparison. What is borrowed must outlive it. */
struct contender {
	const char *name; /* borrowed; printable ASCII */
	const struct result_set *set;
	size_t rounds;	/* of all its results */
	bool by_rounds; /* one result, whose rounds stand in its place */
};

/* One file's values of a measure, and how they compare to the first file's. */
struct finding {
	size_t n;	  /* values; 0: all else is "no data" */
	double median_ns; /* of them */
	/* The first file's finding ends here. */
	enum verdict verdict;
	double ratio; /* of the medians; NAN for no data, as in the next three */
	struct interval interval;
	double p;
};

struct comparison {
	struct contender *contenders; /* owned */
	size_t n;		      /* at least 2 */
	double margin;		      /* 0.03: a difference of 3 % is none */
	bool summed[STEPS];	      /* the steps in MEASURE_TOTAL: those that all files have */
	struct measure *measures;     /* owned; in the order of reports */
	size_t n_measures;
	struct finding *findings; /* owned; n_measures times n */
	char **cautions;	  /* owned, each too; a line of words */
	size_t n_cautions;
};

/*
 * Compares sets[1] and up to sets[0]; names and sets are borrowed. A measure that no file has data
 * of is left out. 0 or -ENOMEM. Free with comparison_free().
 */
int comparison_make(struct comparison *comparison, const char *const *names,
		    const struct result_set *sets, size_t n, double margin);
void comparison_free(struct comparison *comparison);

/* That of the i-th measure in the k-th file. */
const struct finding *comparison_at(const struct comparison *comparison, size_t i, size_t k);

/* For comparison.c and caution.c: the values of a file, a unit each, into values, which has room
 * for all its results and rounds. Returns how many. scratch has room for a result's rounds. */
size_t contender_values(const struct contender *contender, const struct measure *measure,
			const bool summed[static STEPS], double *values, double *scratch);

#endif

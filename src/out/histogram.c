// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * histogram - puts neighbouring buckets together until they fit, and draws them.
 *
 * main only. A bar's length is its share of the longest bar, in eighths of a character where the
 * terminal has those.
 */
#include "out/histogram.h"

#include "core/histogram.h"
#include "out/text.h"
#include "out/written.h"

#include <errno.h>
#include <inttypes.h>

enum { BAR = 40, EIGHTHS = 8 };

/* Rows first to last, each of so many buckets. */
struct rows {
	size_t first, last, width;
	uint64_t most; /* the largest count of a row */
};

static uint64_t row_count(const struct histogram *histogram, const struct rows *rows, size_t row)
{
	uint64_t count = 0;

	for (size_t i = row * rows->width; i < (row + 1) * rows->width && i < HISTOGRAM_BUCKETS;
	     i++)
		count += histogram->buckets[i];
	return count;
}

/* The last row of the gap that begins with that one; the row itself if it isn't empty. */
static size_t row_end(const struct histogram *histogram, const struct rows *rows, size_t row)
{
	if (!row_count(histogram, rows, row)) {
		while (!row_count(histogram, rows, row + 1))
			row++;
	}
	return row;
}

/*
 * Widths are powers of two, so that wide rows begin where a doubling does. Empty rows side by side
 * are one: a straggler that comes after seconds does not blur the milliseconds.
 */
static void rows_fit(struct rows *rows, const struct histogram *histogram)
{
	for (rows->width = 1;; rows->width *= 2) {
		rows->first = histogram_bucket(histogram->min_ns) / rows->width;
		rows->last = histogram_bucket(histogram->max_ns) / rows->width;
		unsigned int shown = 0;

		rows->most = 0;
		for (size_t row = rows->first; row <= rows->last; row++) {
			uint64_t count = row_count(histogram, rows, row);

			if (count > rows->most)
				rows->most = count;
			row = row_end(histogram, rows, row);
			shown++;
		}
		if (shown <= HISTOGRAM_ROWS)
			return;
	}
}

static void print_bar(FILE *file, uint64_t count, uint64_t most, bool utf8)
{
	static const char *const parts[EIGHTHS] = { "",	      "\u258f", "\u258e", "\u258d",
						    "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned int whole = utf8 ? EIGHTHS : 1;
	unsigned int length = (unsigned int)((double)count / (double)most * BAR * whole + 0.5);

	if (count && !length)
		length = 1;
	for (; length >= whole; length -= whole)
		fputs(utf8 ? "\u2588" : "#", file);
	fputs(parts[length], file);
}

/* From the first row's beginning to the last one's end, within what was measured. */
static void print_row(FILE *file, const struct histogram *histogram, const struct rows *rows,
		      size_t first, size_t last, bool utf8)
{
	uint64_t count = row_count(histogram, rows, first);
	uint64_t from_ns =
		first == rows->first ? histogram->min_ns : histogram_from_ns(first * rows->width);
	uint64_t to_ns = last == rows->last ? histogram->max_ns
					    : histogram_from_ns((last + 1) * rows->width);
	char from[TEXT_DURATION], to[TEXT_DURATION];

	fprintf(file, "%9s to %9s%10" PRIu64, text_duration(from_ns, from),
		text_duration(to_ns, to), count);
	if (count)
		fputs(utf8 ? "  " : " |", file);
	print_bar(file, count, rows->most, utf8);
	fputc('\n', file);
}

int histogram_print(FILE *file, const char *label, const struct histogram *histogram, bool utf8)
{
	struct rows rows;

	if (!histogram->count)
		return 0;
	rows_fit(&rows, histogram);
	errno = 0;
	fprintf(file, "\n%s\n", label);
	for (size_t row = rows.first; row <= rows.last; row++) {
		size_t last = row_end(histogram, &rows, row);

		print_row(file, histogram, &rows, row, last, utf8);
		row = last;
	}
	return written(file);
}

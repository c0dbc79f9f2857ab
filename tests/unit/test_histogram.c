// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Buckets at their bounds, and the bars in a terminal, against tests/data/histogram.*. */
#include "cmocka_all.h"
#include "core/histogram.h"
#include "data.h"
#include "out/histogram.h"

#include <errno.h>

static void bucket__of_a_bound__begins_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		assert_int_equal(histogram_bucket(histogram_from_ns(i)), i);
		if (i)
			assert_int_equal(histogram_bucket(histogram_from_ns(i) - 1), i - 1);
	}
	assert_int_equal(histogram_bucket(0), 0);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	assert_true(histogram_from_ns(HISTOGRAM_BUCKETS) == UINT64_MAX);
}

static void bucket__is_an_eighth_of_a_doubling_wide(void **state)
{
	(void)state;
	for (uint64_t octave = 8; octave <= UINT64_C(1) << 62; octave *= 2) {
		size_t first = histogram_bucket(octave);

		assert_int_equal(histogram_bucket(2 * octave) - first, HISTOGRAM_OCTAVE);
		assert_true(histogram_from_ns(first + 1) == octave + octave / 8);
	}
}

static void count__of_every_bucket__is_exact(void **state)
{
	struct histogram h = { 0 };
	uint64_t all = 0;

	(void)state;
	histogram_add(&h, 0);
	histogram_add(&h, UINT64_MAX);
	for (uint64_t ns = 1000; ns < 2000; ns++)
		histogram_add(&h, ns);
	assert_int_equal(h.count, 1002);
	assert_int_equal(h.min_ns, 0);
	assert_true(h.max_ns == UINT64_MAX);
	assert_int_equal(h.buckets[0], 1);
	assert_int_equal(h.buckets[HISTOGRAM_BUCKETS - 1], 1);
	assert_int_equal(h.buckets[histogram_bucket(1024)], 128);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		all += h.buckets[i];
	assert_int_equal(all, h.count);
}

static void add_many(struct histogram *h, uint64_t ns, uint64_t times)
{
	while (times--)
		histogram_add(h, ns);
}

/* What is printed; the caller frees. */
static char *printed(const char *label, const struct histogram *h, bool utf8)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(histogram_print(file, label, h, utf8), 0);
	fclose(file);
	return text;
}

/* 10,000 connects: most take some 38 ms, the first ones less, and three were sent again. */
static struct histogram made_up(void)
{
	struct histogram h = { 0 };

	for (uint64_t i = 0; i < 9600; i++)
		histogram_add(&h, 36000000 + i * 500);
	for (uint64_t i = 0; i < 397; i++)
		histogram_add(&h, 610000 + i * 90000);
	add_many(&h, 4100000000, 3);
	return h;
}

static void bars__of_a_made_up_step__are_as_written(void **state)
{
	struct histogram h = made_up();
	char *blocks = data_read(DATA("histogram.blocks")),
	     *plain = data_read(DATA("histogram.plain"));
	char *got = printed("connect", &h, true);

	(void)state;
	assert_string_equal(got, blocks);
	free(got);
	got = printed("connect", &h, false);
	assert_string_equal(got, plain);
	free(got);
	free(blocks);
	free(plain);
}

static void rows__are_never_more_than_fit(void **state)
{
	(void)state;
	for (uint64_t max = 1; max < UINT64_MAX / 3; max *= 3) {
		struct histogram h = { 0 };
		int lines = 0;
		char *text;

		histogram_add(&h, 1);
		histogram_add(&h, max);
		text = printed("step", &h, false);
		for (const char *c = text; *c; c++)
			lines += *c == '\n';
		assert_in_range(lines, 3, 2 + HISTOGRAM_ROWS);
		free(text);
	}
}

static void rows__begin_with_the_shortest_and_end_with_the_longest(void **state)
{
	struct histogram h = { 0 };
	char *text;

	(void)state;
	histogram_add(&h, 15000);
	histogram_add(&h, 310000);
	text = printed("create id", &h, true);
	assert_non_null(strstr(text, "\ncreate id\n  15.0 us to "));
	assert_non_null(strstr(text, " to    310 us         1  "));
	free(text);
}

static void gap__of_many_rows__is_one_row(void **state)
{
	struct histogram h = { 0 };
	char *text;

	(void)state;
	for (uint64_t ns = 1024; ns < 2048; ns += 128)
		histogram_add(&h, ns);
	histogram_add(&h, UINT64_C(1) << 40);
	text = printed("step", &h, false);
	assert_non_null(strstr(text, "\n  1.02 us to   1.15 us         1 |"));
	assert_non_null(strstr(text, "\n  1.92 us to   2.05 us         1 |"));
	assert_non_null(
		strstr(text, "\n  2.05 us to    1100 s         0\n   1100 s to    1100 s  "));
	free(text);
}

static void bar__of_a_count_that_is_not_0__can_be_seen(void **state)
{
	struct histogram h = { 0 };
	char *text;

	(void)state;
	add_many(&h, 1000, 1000000);
	histogram_add(&h, 5000);
	text = printed("step", &h, true);
	assert_non_null(strstr(text, "         1  \u258f\n"));
	free(text);
	text = printed("step", &h, false);
	assert_non_null(strstr(text, "         1 |#\n"));
	assert_non_null(strstr(text, "         0\n"));
	free(text);
}

static void histogram__of_one_duration__has_one_row(void **state)
{
	struct histogram h = { 0 };
	char *text;

	(void)state;
	histogram_add(&h, UINT64_MAX);
	text = printed("step", &h, false);
	assert_non_null(strstr(text, "\nstep\n18446744074 s to 18446744074 s         1 |####"));
	free(text);
}

static void histogram__of_nothing__prints_nothing(void **state)
{
	struct histogram h = { 0 };
	char *text = printed("step", &h, true);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void histogram__that_cannot_be_written__is_an_error(void **state)
{
	struct histogram h = made_up();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(histogram_print(full, "connect", &h, true), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bucket__of_a_bound__begins_there),
		cmocka_unit_test(bucket__is_an_eighth_of_a_doubling_wide),
		cmocka_unit_test(count__of_every_bucket__is_exact),
		cmocka_unit_test(bars__of_a_made_up_step__are_as_written),
		cmocka_unit_test(rows__are_never_more_than_fit),
		cmocka_unit_test(rows__begin_with_the_shortest_and_end_with_the_longest),
		cmocka_unit_test(gap__of_many_rows__is_one_row),
		cmocka_unit_test(bar__of_a_count_that_is_not_0__can_be_seen),
		cmocka_unit_test(histogram__of_one_duration__has_one_row),
		cmocka_unit_test(histogram__of_nothing__prints_nothing),
		cmocka_unit_test(histogram__that_cannot_be_written__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

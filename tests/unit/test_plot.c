// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scripts for gnuplot: whole, against tests/data/plot.*, and where text comes from outside. */
#include "cmocka_all.h"
#include "data.h"
#include "out/plot.h"
#include "out/plot_script.h"

#include <errno.h>

static struct plot_point flooded[] = {
	{ 0, 1200000000 }, { 120000, 1300000000 }, { 240000, 5700000000 }, { 240001, 5700000001 }
};
static struct plot_point windowed[] = { { 0, 600000 }, { 600000, 1200000 }, { 9000000, 1200000 } };

static struct plot made_up(enum plot_kind kind)
{
	struct plot plot = { .kind = kind, .step = STEP_CONNECT, .n_runs = 2 };

	plot.runs[0] =
		(struct plot_run){ .label = "flooded", .points = flooded, .n = 4, .failed = 3 };
	plot.runs[1] = (struct plot_run){ .label = "windowed", .points = windowed, .n = 3 };
	plot.runs[0].each_ns[STEP_CREATE_ID] = 17600;
	plot.runs[1].each_ns[STEP_CREATE_ID] = 17610;
	plot.runs[0].each_ns[STEP_CONNECT] = 2632300;
	plot.runs[1].each_ns[STEP_CONNECT] = 621440;
	plot.runs[1].each_ns[STEP_DISCONNECT] = 140080;
	return plot;
}

/* The script; the caller frees. */
static char *script(const struct plot *plot)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(plot_write(file, plot), 0);
	fclose(file);
	return text;
}

static void is_as_written(const struct plot *plot, const char *path)
{
	char *want = data_read(path), *got = script(plot);

	assert_string_equal(got, want);
	free(got);
	free(want);
}

static size_t count(const char *text, const char *words)
{
	size_t n = 0;

	for (; (text = strstr(text, words)); text += strlen(words))
		n++;
	return n;
}

static void plot__of_two_runs_over_time__has_a_panel_each(void **state)
{
	struct plot plot = made_up(PLOT_TIME);

	(void)state;
	is_as_written(&plot, DATA("plot.time"));
	plot.log = true;
	plot.format = PLOT_SVG;
	is_as_written(&plot, DATA("plot.time-log"));
}

static void plot__of_two_runs__has_a_curve_each(void **state)
{
	struct plot plot = made_up(PLOT_DISTRIBUTION);

	(void)state;
	plot.format = PLOT_PDF;
	is_as_written(&plot, DATA("plot.distribution"));
}

static void plot__of_steps__has_a_bar_a_run_and_a_gap_where_one_did_not_do_it(void **state)
{
	struct plot plot = made_up(PLOT_STEPS);

	(void)state;
	is_as_written(&plot, DATA("plot.steps"));
	plot.log = true;
	is_as_written(&plot, DATA("plot.steps-log"));
}

static char *quoted(const char *text)
{
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	assert_non_null(file);
	script_text(file, text);
	fclose(file);
	return out;
}

static void text__from_outside__stays_within_its_quotes(void **state)
{
	static const struct {
		const char *text, *quoted;
	} cases[] = {
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "it's", "'it''s'" },
		{ "'; system('id", "'''; system(''id'" },
		{ "`id` $(id) \"x\" \\", "'`id` $(id) \"x\" \\'" },
		{ "a\nplot b\r\t\x7f.", "'a?plot b???.'" },
		{ "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
		  "'\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80'" },
		{ "\xc3", "'?'" },
		{ "\xc3(", "'?('" },
		{ "\xff\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80.", "'?????????????.'" },
		{ "\xc2\x85.", "'??.'" },
	};
	char *long_text = malloc(1001), *got;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		got = quoted(cases[i].text);
		assert_string_equal(got, cases[i].quoted);
		free(got);
	}
	assert_non_null(long_text);
	memset(long_text, 'x', 1000);
	long_text[1000] = '\0';
	got = quoted(long_text);
	assert_int_equal(strlen(got), SCRIPT_TEXT + 2);
	free(got);
	free(long_text);
}

static void label_and_title__from_outside__are_quoted_in_every_picture(void **state)
{
	(void)state;
	for (enum plot_kind kind = 0; kind < PLOT_KINDS; kind++) {
		struct plot plot = made_up(kind);
		char *text;

		plot.title = "o'clock\nexit";
		plot.runs[1].label = "a'b\nquit";
		text = script(&plot);
		assert_int_equal(count(text, "'o''clock?exit'"), 1);
		assert_int_equal(count(text, "'a''b?quit"), 1);
		assert_null(strstr(text, "\nexit"));
		assert_null(strstr(text, "\nquit"));
		free(text);
	}
}

static void points__that_cover_each_other__are_thinned_but_no_outlier_is_lost(void **state)
{
	enum { MANY = 100000 };
	struct plot_point *points = calloc(MANY, sizeof(*points));
	struct plot plot = { .step = STEP_CONNECT, .n_runs = 1 };
	char *text;

	(void)state;
	assert_non_null(points);
	for (uint64_t i = 0; i < MANY; i++)
		points[i] = (struct plot_point){ i * 10000, 2000000 + i % 7 };
	points[54321].ns = 900000000;
	plot.runs[0] = (struct plot_run){ .label = "run", .points = points, .n = MANY };
	text = script(&plot);
	assert_in_range(count(text, "\n"), 100, 400);
	assert_non_null(strstr(text, "\n543.21 900\n"));
	assert_non_null(strstr(text, "drawn once"));
	assert_non_null(strstr(text, "run: 100000, median 2.00 ms, longest 900 ms"));
	free(text);
	plot.runs[0].n = 2;
	text = script(&plot);
	assert_null(strstr(text, "drawn once"));
	free(text);
	free(points);
}

static void curve__ends_at_all_of_them(void **state)
{
	struct plot_point same[] = { { 0, 500 }, { 1, 500 }, { 2, 500 } };
	struct plot plot = { .kind = PLOT_DISTRIBUTION, .step = STEP_CONNECT, .n_runs = 1 };
	char *text;

	(void)state;
	plot.runs[0] = (struct plot_run){ .label = "run", .points = same, .n = 3 };
	text = script(&plot);
	assert_non_null(strstr(text, "$run1 << end\n500 0\n500 100\nend\n"));
	free(text);
}

static void extremes__make_a_script_too(void **state)
{
	struct plot_point points[] = { { 0, 0 }, { UINT64_MAX, UINT64_MAX } };

	(void)state;
	for (enum plot_kind kind = 0; kind < PLOT_STEPS; kind++) {
		for (size_t n = 1; n <= 2; n++) {
			struct plot plot = { .kind = kind,
					     .step = STEP_CONNECT,
					     .n_runs = 1,
					     .log = kind == PLOT_TIME };
			char *text;

			plot.runs[0] = (struct plot_run){ .label = "", .points = points, .n = n };
			text = script(&plot);
			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf"));
			free(text);
		}
	}
}

static double linear(unsigned int byte)
{
	double c = byte / 255.0;

	return c * c; /* near enough to tell light from dark */
}

static void colors__differ_in_grey(void **state)
{
	double lightness[PLOT_RUNS];

	(void)state;
	for (size_t i = 0; i < PLOT_RUNS; i++) {
		unsigned int r, g, b;

		assert_int_equal(sscanf(script_color(i), "#%2x%2x%2x", &r, &g, &b), 3);
		lightness[i] = 0.21 * linear(r) + 0.72 * linear(g) + 0.07 * linear(b);
		for (size_t k = 0; k < i; k++) {
			double ratio = (lightness[i] + 0.05) / (lightness[k] + 0.05);

			if (ratio < 1.15 && ratio > 1 / 1.15)
				fail_msg("%s and %s are the same grey", script_color(i),
					 script_color(k));
		}
	}
}

static void script__that_cannot_be_written__is_an_error(void **state)
{
	struct plot plot = made_up(PLOT_TIME);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(plot_write(full, &plot), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plot__of_two_runs_over_time__has_a_panel_each),
		cmocka_unit_test(plot__of_two_runs__has_a_curve_each),
		cmocka_unit_test(plot__of_steps__has_a_bar_a_run_and_a_gap_where_one_did_not_do_it),
		cmocka_unit_test(text__from_outside__stays_within_its_quotes),
		cmocka_unit_test(label_and_title__from_outside__are_quoted_in_every_picture),
		cmocka_unit_test(points__that_cover_each_other__are_thinned_but_no_outlier_is_lost),
		cmocka_unit_test(curve__ends_at_all_of_them),
		cmocka_unit_test(extremes__make_a_script_too),
		cmocka_unit_test(colors__differ_in_grey),
		cmocka_unit_test(script__that_cannot_be_written__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

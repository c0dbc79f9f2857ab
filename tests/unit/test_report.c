// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What leaves the program: formats, files that are opened before the run, and the words when one of
 * them cannot be written. */
#include "cmocka_all.h"
#include "core/timeline.h"
#include "data.h"
#include "file_use.h"
#include "options.h"
#include "report.h"

#include <stdbool.h>

static const char none[] = "";

static int saved_stderr, logged;

/* From here on, what is logged is held back. Not in a file: that may be limited. */
static void log_begin(void)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	fflush(stderr);
	logged = ends[0];
	saved_stderr = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
}

/* Wants this to be all that was logged. */
static void log_had(const char *text)
{
	char got[4096];
	ssize_t n;

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	n = read(logged, got, sizeof(got) - 1);
	got[n > 0 ? n : 0] = '\0';
	close(logged);
	assert_string_equal(got, text);
}

static void report_to(struct report *report, const struct options *options)
{
	assert_int_equal(report_open(report, options), 0);
}

/* A run whose only step took that long, once. */
static struct result result_of(uint64_t connect_ns)
{
	struct result result;

	assert_int_equal(result_init(&result, 1), 0);
	strcpy(result.run.run_id, "0123456789abcdef");
	result.rounds[0].figures[SIDE_CLIENT][STEP_CONNECT] =
		(struct figures){ .count = 1,
				  .total_ns = connect_ns,
				  .sum_ns = connect_ns,
				  .mean_ns = connect_ns,
				  .min_ns = connect_ns,
				  .p50_ns = connect_ns,
				  .p90_ns = connect_ns,
				  .p99_ns = connect_ns,
				  .p999_ns = connect_ns,
				  .max_ns = connect_ns };
	return result;
}

#define FIGURES                                                                                    \
	"run_id,round,side,step,count,failed,total_ns,sum_ns,mean_ns,min_ns,p50_ns,p90_ns,p99_ns," \
	"p999_ns,max_ns,stddev_ns,spread_ns,per_second,in_flight\n"
#define ROW(ns)                                                                                    \
	"0123456789abcdef,1,client,connect,1,0," ns "," ns "," ns "," ns "," ns "," ns "," ns      \
	"," ns "," ns ",0,0,"

/* ---- results ---- */

static void results__of_runs__are_added_with_one_header(void **state)
{
	struct options options = { .format = FORMAT_CSV, .output = "out" };
	struct result result = result_of(1000000);
	struct report report;

	(void)state;
	report_to(&report, &options);
	report_result(&report, &result);
	file_has("out", FIGURES ROW("1000000") "1000,1\n");
	report_result(&report, &result);
	file_has("out", FIGURES ROW("1000000") "1000,1\n" ROW("1000000") "1000,1\n");
	assert_false(report.lost);
	report_close(&report);
	result_free(&result);
}

static void result__that_did_not_fit__is_said_and_the_next_has_no_second_header(void **state)
{
	struct options options = { .format = FORMAT_CSV, .output = "out" };
	struct result result = result_of(1000000);
	struct report report;

	(void)state;
	report_to(&report, &options);
	report_result(&report, &result);
	file_limit((rlim_t)strlen(FIGURES ROW("1000000") "1000,1\n") + 5);
	log_begin();
	report_result(&report, &result);
	log_had("cmtime: cannot write the report out: EFBIG: File too large\n");
	file_limit(RLIM_INFINITY);
	assert_true(report.lost);
	report_result(&report, &result);
	report_close(&report);
	file_has("out", FIGURES ROW("1000000") "1000,1\n" ROW("1000000") "1000,1\n");
	result_free(&result);
}

static void result__that_was_the_first_and_did_not_fit__leaves_the_header_to_the_next(void **state)
{
	struct options options = { .format = FORMAT_CSV, .output = "out" };
	struct result result = result_of(1000000);
	struct report report;

	(void)state;
	report_to(&report, &options);
	file_limit(5);
	log_begin();
	report_result(&report, &result);
	log_had("cmtime: cannot write the report out: EFBIG: File too large\n");
	file_limit(RLIM_INFINITY);
	report_result(&report, &result);
	report_close(&report);
	file_has("out", FIGURES ROW("1000000") "1000,1\n");
	result_free(&result);
}

static void results__as_json__are_an_object_a_line(void **state)
{
	struct options options = { .format = FORMAT_JSON, .output = "out" };
	struct result result = data_result(DATA("result.json"));
	struct report report;
	json_t *want = data_json(DATA("result.json"));
	char *text, *line;

	(void)state;
	report_to(&report, &options);
	report_result(&report, &result);
	report_result(&report, &result);
	report_close(&report);
	text = data_read("out");
	line = text;
	for (int i = 0; i < 2; i++) {
		char *end = strchr(line, '\n');
		json_t *got;

		assert_non_null(end);
		*end = '\0';
		got = json_loads(line, 0, NULL);
		assert_true(json_equal(got, want));
		json_decref(got);
		line = end + 1;
	}
	assert_string_equal(line, "");
	free(text);
	json_decref(want);
	result_free(&result);
}

static void format__that_is_asked_for__is_that_of_the_report(void **state)
{
	static const struct {
		enum format format;
		const char *begin;
	} cases[] = {
		{ FORMAT_TEXT, "cmtime 0.1.0  client 10.0.0.1 -> " },
		{ FORMAT_CLASSIC, "step              total ms     max ms " },
		{ FORMAT_JSON, "{\"schema\":\"cmtime-result/1\"" },
		{ FORMAT_CSV, "run_id,round,side,step,count," },
	};
	struct result result = data_result(DATA("result.json"));

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct options options = { .format = cases[i].format, .output = "out" };
		struct report report;
		char *text;

		report_to(&report, &options);
		report_result(&report, &result);
		report_close(&report);
		text = data_read("out");
		assert_memory_equal(text, cases[i].begin, strlen(cases[i].begin));
		free(text);
	}
	result_free(&result);
}

static void report__to_a_full_disk__is_lost_in_words_whatever_the_format(void **state)
{
	struct result result = data_result(DATA("result.json"));

	(void)state;
	if (access("/dev/full", W_OK)) {
		result_free(&result);
		print_message("skipped: there is no /dev/full\n");
		skip();
	}
	for (enum format format = 0; format < FORMATS; format++) {
		struct options options = { .format = format, .output = "/dev/full" };
		struct report report;

		report_to(&report, &options);
		log_begin();
		report_result(&report, &result);
		log_had("cmtime: cannot write the report /dev/full: ENOSPC: No space left on "
			"device\n");
		assert_true(report.lost);
		report_close(&report);
	}
	result_free(&result);
}

/* ---- paths ---- */

static void path__that_is_wrong__is_said_before_the_run_and_nothing_is_left(void **state)
{
	struct options wrong_output = { .output = "no/out", .samples = "samples" };
	struct options wrong_samples = { .output = "out", .samples = "no/samples" };
	struct report report;

	(void)state;
	log_begin();
	assert_int_equal(report_open(&report, &wrong_output), -ENOENT);
	log_had("cmtime: cannot write no/out: ENOENT: No such file or directory\n");
	log_begin();
	assert_int_equal(report_open(&report, &wrong_samples), -ENOENT);
	log_had("cmtime: cannot write no/samples: ENOENT: No such file or directory\n");
	assert_int_equal(folder_names(0), 0);
}

static void run__without_a_result__leaves_the_files_as_they_were(void **state)
{
	struct options options = { .output = "out", .samples = "samples", .histogram = true };
	struct timeline timeline;
	struct report report;

	(void)state;
	file_make("out", "before\n");
	report_to(&report, &options);
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 1), 0);
	report_round(&report, 1, &timeline, NULL);
	timeline_free(&timeline);
	report_close(&report);
	file_has("out", "before\n");
	assert_int_equal(folder_names(0), 1);
}

/* ---- samples ---- */

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void samples__of_rounds__have_one_header_and_both_sides(void **state)
{
	struct options options = { .output = "out", .samples = "samples" };
	struct result result = result_of(1);
	struct timeline client, server;
	struct report report;
	char *text;

	(void)state;
	assert_int_equal(timeline_init(&client, SIDE_CLIENT, 2), 0);
	assert_int_equal(timeline_init(&server, SIDE_SERVER, 2), 0);
	report_to(&report, &options);
	report_round(&report, 1, &client, &server);
	report_round(&report, 2, &client, NULL);
	report_result(&report, &result);
	report_close(&report);
	text = data_read("samples");
	assert_int_equal(lines_of(text), 1 + 4 + 2);
	assert_memory_equal(text, "connection,side,", strlen("connection,side,"));
	assert_null(strstr(text + 1, "connection,side,"));
	assert_non_null(strstr(text, "\n0,server,"));
	assert_non_null(strstr(text, ",2,,,,,,,,\n1,client,"));
	free(text);
	timeline_free(&client);
	timeline_free(&server);
	result_free(&result);
}

static void samples__that_do_not_fit__are_said_and_the_report_is_there(void **state)
{
	struct options options = { .format = FORMAT_CSV, .output = "out", .samples = "/dev/full" };
	struct result result = result_of(1000000);

	(void)state;
	if (access("/dev/full", W_OK)) {
		result_free(&result);
		print_message("skipped: there is no /dev/full\n");
		skip();
	}
	for (uint32_t n = 1; n < 200; n += 7) {
		struct timeline timeline;
		struct report report;

		assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, n), 0);
		report_to(&report, &options);
		report_round(&report, 1, &timeline, NULL);
		report_round(&report, 2, &timeline, NULL);
		log_begin();
		report_result(&report, &result);
		log_had("cmtime: cannot write the samples /dev/full: ENOSPC: No space left on "
			"device\n");
		assert_true(report.lost);
		report_close(&report);
		file_has("out", FIGURES ROW("1000000") "1000,1\n");
		timeline_free(&timeline);
	}
	result_free(&result);
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void samples__that_reach_a_limit_midway__are_said_by_its_name(void **state)
{
	struct options options = { .format = FORMAT_CSV, .output = "out", .samples = "samples" };
	struct result result = result_of(1000000);

	(void)state;
	for (uint32_t n = 10; n < 500; n += 7) {
		struct timeline timeline;
		struct report report;

		assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, n), 0);
		report_to(&report, &options);
		file_limit(700);
		report_round(&report, 1, &timeline, &timeline);
		/* The disk may be the report's, too. */
		assert_int_equal(size_of(report.samples.draft), 0);
		log_begin();
		report_result(&report, &result);
		log_had("cmtime: cannot write the samples samples: EFBIG: File too large\n");
		file_limit(RLIM_INFINITY);
		report_close(&report);
		assert_int_equal(folder_names(1), 1);
		timeline_free(&timeline);
	}
	result_free(&result);
}

/* ---- histograms ---- */

static void histogram__of_each_step_that_was_done__is_below_the_text(void **state)
{
	struct options options = { .output = "out", .histogram = true };
	struct result result = data_result(DATA("result.json"));
	struct timeline client, server;
	struct report report;
	char *text;

	(void)state;
	assert_int_equal(timeline_init(&client, SIDE_CLIENT, 2), 0);
	assert_int_equal(timeline_init(&server, SIDE_SERVER, 2), 0);
	*timeline_span(&client, STEP_CONNECT, 0) = (struct span){ 1000, 5000 };
	*timeline_span(&client, STEP_DISCONNECT, 1) = (struct span){ 1000, 5000 };
	client.outcomes[1] = (struct outcome){ STEP_DISCONNECT, EVENT_TIMEOUT, 0 };
	*timeline_span(&server, STEP_ESTABLISH, 0) = (struct span){ 1000, 5000 };
	report_to(&report, &options);
	report_round(&report, 1, &client, &server);
	report_round(&report, 2, &client, &server);
	report_result(&report, &result);
	report_close(&report);
	text = data_read("out");
	assert_non_null(strstr(text, "connects/s\n\nconnect\n"));
	assert_non_null(strstr(text, " 2  "));
	assert_null(strstr(text, "\ndisconnect\n"));
	assert_null(strstr(text, "\nestablish\n"));
	free(text);
	timeline_free(&client);
	timeline_free(&server);
	result_free(&result);
}

/* ---- limits ---- */

static void limit(struct options *options, const char *text, bool above)
{
	char why[256];

	assert_int_equal(threshold_parse(&options->thresholds[options->n_thresholds++], text, above,
					 why, sizeof(why)),
			 0);
}

static void limits__that_are_broken__are_all_named_with_the_figure(void **state)
{
	struct options options = { .output = "out" };
	struct result result = result_of(1234567);
	struct report report;

	(void)state;
	report_to(&report, &options);
	log_begin();
	assert_true(report_thresholds_hold(&report, &result));
	limit(&options, "connect.p99=2ms", true);
	limit(&options, "connect.count=1", false);
	assert_true(report_thresholds_hold(&report, &result));
	log_had(none);
	limit(&options, "connect.p99=1ms", true);
	limit(&options, "connect.count=10", false);
	limit(&options, "connect.per_second=1k", false);
	limit(&options, "server.accept.max=1s", true);
	log_begin();
	assert_false(report_thresholds_hold(&report, &result));
	log_had("cmtime: warning: --fail-above connect.p99=1ms: it is 1.23 ms, above 1.00 ms\n"
		"cmtime: warning: --fail-below connect.count=10: it is 1, below 10\n"
		"cmtime: warning: --fail-below connect.per_second=1k: it is 810.001, below 1000\n"
		"cmtime: warning: --fail-above server.accept.max=1s: there is no such figure in "
		"this run\n");
	report_close(&report);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(results__of_runs__are_added_with_one_header),
		FILE_TEST(result__that_did_not_fit__is_said_and_the_next_has_no_second_header),
		FILE_TEST(
			result__that_was_the_first_and_did_not_fit__leaves_the_header_to_the_next),
		FILE_TEST(results__as_json__are_an_object_a_line),
		FILE_TEST(format__that_is_asked_for__is_that_of_the_report),
		FILE_TEST(report__to_a_full_disk__is_lost_in_words_whatever_the_format),
		FILE_TEST(path__that_is_wrong__is_said_before_the_run_and_nothing_is_left),
		FILE_TEST(run__without_a_result__leaves_the_files_as_they_were),
		FILE_TEST(samples__of_rounds__have_one_header_and_both_sides),
		FILE_TEST(samples__that_do_not_fit__are_said_and_the_report_is_there),
		FILE_TEST(samples__that_reach_a_limit_midway__are_said_by_its_name),
		FILE_TEST(histogram__of_each_step_that_was_done__is_below_the_text),
		FILE_TEST(limits__that_are_broken__are_all_named_with_the_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of results: whatever way the objects stand in them, and what is said of what is none. */
#include "cmocka_all.h"
#include "core/result_file.h"
#include "data.h"

#include <errno.h>

#define SMALL                                                                                      \
	"{\"schema\":\"cmtime-result/1\",\"version\":\"0.1.0\","                                   \
	"\"run\":{\"reported_by\":\"client\",\"connections\":7},\"rounds\":[{}]}"

static int load(struct result_set *set, const char *text, size_t size, char why[])
{
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
	int ret;

	assert_non_null(file);
	ret = result_set_load(set, file, why);
	fclose(file);
	return ret;
}

static void holds(const char *text, size_t n)
{
	struct result_set set;
	char why[RESULT_SET_WHY] = "";

	if (load(&set, text, strlen(text), why))
		fail_msg("%s: %s", text, why);
	assert_int_equal(set.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(set.results[i].run.connections, 7);
	result_set_free(&set);
	assert_int_equal(set.n, 0);
}

static void refuses_bytes(const char *text, size_t size, int error, const char *words)
{
	struct result_set set = { .n = 42 };
	char why[RESULT_SET_WHY] = "";

	assert_int_equal(load(&set, text, size, why), error);
	assert_int_equal(set.n, 42);
	if (!strstr(why, words))
		fail_msg("'%s' is not in '%s'", words, why);
	for (const char *c = why; *c; c++)
		assert_in_range(*c, ' ', '~');
}

static void refuses(const char *text, const char *words)
{
	refuses_bytes(text, strlen(text), -EPROTO, words);
}

static void results__of_a_line_each_or_of_many_lines__are_all_there(void **state)
{
	(void)state;
	holds(SMALL, 1);
	holds(SMALL "\n", 1);
	holds(SMALL "\n" SMALL "\n" SMALL "\n", 3);
	holds(SMALL SMALL, 2);
	holds("\r\n\t " SMALL "\r\n\r\n" SMALL "  ", 2);
}

static void result__over_many_lines__is_followed_by_the_next(void **state)
{
	char *text = data_read(DATA("result.json")), *twice = NULL, why[RESULT_SET_WHY];
	struct result_set set;

	(void)state;
	assert_true(asprintf(&twice, "%s%s", text, text) > 0);
	assert_int_equal(load(&set, twice, strlen(twice), why), 0);
	assert_int_equal(set.n, 2);
	assert_int_equal(set.results[1].run.connections, 10000);
	result_set_free(&set);
	free(twice);
	free(text);
}

static void results__by_the_thousand__are_taken_and_no_more_than_that(void **state)
{
	size_t each = strlen(SMALL), size = (RESULT_SET_MOST + 1) * each;
	char *text = malloc(size), why[RESULT_SET_WHY];
	struct result_set set;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i <= RESULT_SET_MOST; i++)
		memcpy(text + i * each, SMALL, each);
	assert_int_equal(load(&set, text, size - each, why), 0);
	assert_int_equal(set.n, RESULT_SET_MOST);
	result_set_free(&set);
	refuses_bytes(text, size, -E2BIG, "line 1: more than 10000 results");
	free(text);
}

static void object__that_does_not_end__is_given_up(void **state)
{
	size_t size = RESULT_OBJECT_BYTES + 2;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, ' ', size);
	text[0] = '\n';
	text[1] = '{';
	refuses_bytes(text, size, -E2BIG, "line 2: an object of over 64 MiB");
	free(text);
}

static void file__with_nothing_in_it__holds_no_result(void **state)
{
	FILE *file = fopen("/dev/null", "r");
	struct result_set set;
	char why[RESULT_SET_WHY];

	(void)state;
	refuses(" \n\n", "no result in it");
	assert_non_null(file);
	assert_int_equal(result_set_load(&set, file, why), -EPROTO);
	fclose(file);
}

static void file__that_is_none_of_ours__is_refused_by_line(void **state)
{
	(void)state;
	refuses("hello", "line 1: no JSON: ");
	refuses(SMALL "\n" SMALL "\n42\n", "line 3: no JSON: ");
	refuses(SMALL "\n{\n\"a\":\n}", "line 4: no JSON: ");
	refuses(SMALL "\n{\"a\":1,\n\"a\":2}", "line 3: no JSON: duplicate");
	refuses(SMALL "\n{\"schema\":", "line 2: no JSON: ");
	refuses("[" SMALL "]", "line 1: an object without \"schema\"");
	refuses("{}", "line 1: an object without \"schema\"");
	refuses("\n{\"schema\":\"cmtime-result/2\"}", "line 2: schema \"cmtime-result/2\", only ");
	refuses(SMALL "\n{\"schema\":\n\"cmtime-result/1\"}", "line 2: what begins here");
	refuses_bytes(SMALL "\0" SMALL, 2 * strlen(SMALL) + 1, -EPROTO, "line 1: ");
}

static void words__of_a_refusal__bring_nothing_to_a_terminal(void **state)
{
	(void)state;
	refuses("{\"schema\":\"\\u001b[2J\"}", "schema \"?[2J\"");
	refuses("\x1b[2J", "line 1");
	refuses("{\x1b[2J", "line 1");
}

static void stream__that_cannot_be_read__says_so(void **state)
{
	FILE *file = fopen("/", "r");
	struct result_set set;
	char why[RESULT_SET_WHY];

	(void)state;
	assert_non_null(file);
	assert_int_equal(result_set_load(&set, file, why), -EISDIR);
	assert_string_equal(why, "cannot be read: Is a directory");
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results__of_a_line_each_or_of_many_lines__are_all_there),
		cmocka_unit_test(result__over_many_lines__is_followed_by_the_next),
		cmocka_unit_test(results__by_the_thousand__are_taken_and_no_more_than_that),
		cmocka_unit_test(object__that_does_not_end__is_given_up),
		cmocka_unit_test(file__with_nothing_in_it__holds_no_result),
		cmocka_unit_test(file__that_is_none_of_ours__is_refused_by_line),
		cmocka_unit_test(words__of_a_refusal__bring_nothing_to_a_terminal),
		cmocka_unit_test(stream__that_cannot_be_read__says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The reports of a comparison, held against tests/data; tests/data/runs.py made up the results. */
#include "cmocka_all.h"
#include "core/comparison.h"
#include "data.h"
#include "out/compare.h"

#include <errno.h>

static const char *const files[] = { DATA("runs-base.json"), DATA("runs-new.json"),
				     DATA("result.json") };
static const char *const names[] = { "base.json", "new.json", "other.json" };

static struct result_set sets[3];
static struct comparison comparison;

static int load(void **state)
{
	char why[RESULT_SET_WHY];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		FILE *file = fopen(files[i], "r");

		if (!file || result_set_load(&sets[i], file, why))
			return -1;
		fclose(file);
	}
	return 0;
}

static int unload(void **state)
{
	(void)state;
	comparison_free(&comparison);
	for (size_t i = 0; i < 3; i++)
		result_set_free(&sets[i]);
	return 0;
}

static char *printed(int (*print)(FILE *, const struct comparison *), const struct comparison *c)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(print(file, c), 0);
	fclose(file);
	return text;
}

static void is_as_written(size_t n, int (*print)(FILE *, const struct comparison *),
			  const char *path)
{
	char *want = data_read(path), *got;

	assert_int_equal(comparison_make(&comparison, names, sets, n, 0.03), 0);
	got = printed(print, &comparison);
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void table__of_two_files__is_as_written(void **state)
{
	(void)state;
	is_as_written(2, compare_print_text, DATA("compare.text"));
}

static void table__of_more_files__has_ratios_to_the_first(void **state)
{
	(void)state;
	is_as_written(3, compare_print_text, DATA("compare-many.text"));
}

static void json__is_as_written(void **state)
{
	(void)state;
	is_as_written(3, compare_print_json, DATA("compare.json"));
}

static void report__that_cannot_be_written__is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(comparison_make(&comparison, names, sets, 2, 0.03), 0);
	assert_int_equal(compare_print_text(full, &comparison), -ENOSPC);
	fclose(full);
	full = fopen("/dev/full", "w");
	assert_non_null(full);
	assert_int_equal(compare_print_json(full, &comparison), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(table__of_two_files__is_as_written, load, unload),
		cmocka_unit_test_setup_teardown(table__of_more_files__has_ratios_to_the_first, load,
						unload),
		cmocka_unit_test_setup_teardown(json__is_as_written, load, unload),
		cmocka_unit_test_setup_teardown(report__that_cannot_be_written__is_an_error, load,
						unload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

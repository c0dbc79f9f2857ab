// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Progress: when it writes, and what, on a pipe and on a pseudoterminal. */
#include "cmocka_all.h"
#include "out/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static int ends[2];

static int open_pipe(void **state)
{
	(void)state;
	return pipe2(ends, O_NONBLOCK);
}

static int close_ends(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

/* What has been written since. */
static const char *written(void)
{
	static char text[1024];
	ssize_t n = read(ends[0], text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void progress__off_a_terminal__is_silent_unless_asked_for(void **state)
{
	struct progress p;

	(void)state;
	progress_init(&p, PROGRESS_AUTO, ends[1]);
	progress_update(&p, "connect", 1, 2, 0, 1, 0);
	progress_end(&p);
	progress_init(&p, PROGRESS_NEVER, ends[1]);
	progress_update(&p, "connect", 1, 2, 0, 1, 0);
	progress_end(&p);
	assert_string_equal(written(), "");
}

static void progress__off_a_terminal__is_a_line_every_two_seconds_and_one_a_step(void **state)
{
	struct progress p;

	(void)state;
	progress_init(&p, PROGRESS_ALWAYS, ends[1]);
	progress_update(&p, "create id", 1, 9, 0, 0, 0);
	assert_string_equal(written(), "create id: 1 of 9, 0 in flight\n");
	progress_update(&p, "create id", 2, 9, 0, 0, 1999 * MS);
	assert_string_equal(written(), "");
	progress_update(&p, "connect", 0, 9, 0, 4, 1999 * MS);
	assert_string_equal(written(), "connect: 0 of 9, 4 in flight\n");
	progress_update(&p, "connect", 5, 9, 3, 4, 3998 * MS);
	assert_string_equal(written(), "");
	progress_update(&p, "connect", 5, 9, 3, 4, 3999 * MS);
	assert_string_equal(written(), "connect: 5 of 9, 2.5/s, 3 failed, 4 in flight, 2 s left\n");
	progress_end(&p);
	assert_string_equal(written(), "");
}

static void progress__of_a_long_step__has_its_rate_and_the_time_left(void **state)
{
	struct progress p;

	(void)state;
	progress_init(&p, PROGRESS_ALWAYS, ends[1]);
	progress_update(&p, "connect", 100, 1000000, 0, 64, 0);
	assert_string_equal(written(), "connect: 100 of 1000000, 64 in flight\n");
	progress_update(&p, "connect", 2100, 1000000, 0, 64, 2000 * MS);
	assert_string_equal(written(),
			    "connect: 2100 of 1000000, 1000/s, 64 in flight, 17 min left\n");
	progress_update(&p, "connect", 2101, 1000000000, 0, 64, 4000 * MS);
	assert_string_equal(written(),
			    "connect: 2101 of 1000000000, 500/s, 64 in flight, 555 h left\n");
	progress_update(&p, "connect", 999999, 999999, 0, 0, 6000 * MS);
	assert_string_equal(written(), "connect: 999999 of 999999, 166650/s, 0 in flight\n");
	/* Nothing done: no rate, and no time that would never end. */
	progress_update(&p, "disconnect", 0, 9, 0, 9, 7000 * MS);
	written();
	progress_update(&p, "disconnect", 0, 9, 0, 9, 60000 * MS);
	assert_string_equal(written(), "disconnect: 0 of 9, 9 in flight\n");
}

static void progress__on_a_terminal__rewrites_one_line_and_clears_it(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	struct progress p;

	(void)state;
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		skip();
	close(ends[0]);
	close(ends[1]);
	ends[0] = terminal;
	ends[1] = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	assert_true(ends[1] >= 0);
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);

	progress_init(&p, PROGRESS_AUTO, ends[1]);
	progress_update(&p, "connect", 10, 12, 0, 2, 5 * MS);
	assert_string_equal(written(), "\rconnect: 10 of 12, 2 in flight");
	progress_update(&p, "connect", 11, 12, 0, 1, 104 * MS);
	assert_string_equal(written(), "");
	progress_update(&p, "connect", 1, 2, 0, 1, 105 * MS);
	assert_string_equal(written(), "\rconnect: 1 of 2, 1 in flight  ");
	progress_end(&p);
	assert_string_equal(written(), "\r                            \r");
	progress_end(&p);
	assert_string_equal(written(), "");
}

static void progress__that_cannot_be_written__is_dropped(void **state)
{
	struct progress p;

	(void)state;
	progress_init(&p, PROGRESS_ALWAYS, -1);
	progress_update(&p, "connect", 1, 2, 0, 1, 0);
	progress_end(&p);
	progress_init(&p, PROGRESS_ALWAYS, ends[0]);
	progress_update(&p, "connect", 1, 2, 0, 1, 0);
	progress_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			progress__off_a_terminal__is_silent_unless_asked_for, open_pipe,
			close_ends),
		cmocka_unit_test_setup_teardown(
			progress__off_a_terminal__is_a_line_every_two_seconds_and_one_a_step,
			open_pipe, close_ends),
		cmocka_unit_test_setup_teardown(
			progress__of_a_long_step__has_its_rate_and_the_time_left, open_pipe,
			close_ends),
		cmocka_unit_test_setup_teardown(
			progress__on_a_terminal__rewrites_one_line_and_clears_it, open_pipe,
			close_ends),
		cmocka_unit_test_setup_teardown(progress__that_cannot_be_written__is_dropped,
						open_pipe, close_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

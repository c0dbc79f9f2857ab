// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a comparison warns of, in which words, and what it does not warn of. */
#include "cmocka_all.h"
#include "contest_use.h"

static struct contest even(void (*change)(struct result_set *base, struct result_set *new))
{
	struct result_set base = CONTEST_SET(100, 102, 99, 101, 103),
			  new = CONTEST_SET(101, 100, 103, 99, 102);

	if (change)
		change(&base, &new);
	return contest_of(base, new, 0.03);
}

/* That change is warned of in these words, or with "" not at all. */
static void warns(void (*change)(struct result_set *base, struct result_set *new),
		  const char *words)
{
	struct contest contest = even(change);
	const char *got = contest_caution(&contest);

	if (*words ? !strstr(got, words) : *got)
		fail_msg("'%s', not '%s'", got, words);
	contest_free(&contest);
}

static void sound_sets__are_warned_of_in_no_way(void **state)
{
	(void)state;
	warns(NULL, "");
}

static void other_device(struct result_set *base, struct result_set *new)
{
	for (size_t i = 0; i < base->n; i++)
		strcpy(base->results[i].run.ends[SIDE_SERVER].device, "rxe0");
	for (size_t i = 0; i < new->n; i++)
		snprintf(new->results[i].run.ends[SIDE_SERVER].device, RESULT_NAME, "mlx5_%zu", i);
}

static void no_data(struct result_set *base, struct result_set *new)
{
	(void)base;
	for (size_t i = 0; i < new->n; i++)
		strcpy(new->results[i].run.reap, "inline");
}

static void other_side(struct result_set *base, struct result_set *new)
{
	(void)new;
	base->results[4].run.reported_by = SIDE_SERVER;
}

static void setups__that_differ__are_named_with_their_values(void **state)
{
	(void)state;
	warns(other_device,
	      "server's device rxe0 in base; mlx5_0, mlx5_1, mlx5_2, mlx5_3, ... in new");
	warns(other_side, "reporting side client, server in base; client in new");
}

static void other_kernel(struct result_set *base, struct result_set *new)
{
	for (enum side side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < base->n; i++)
			strcpy(base->results[i].run.ends[side].kernel, "6.1");
		for (size_t i = 0; i < new->n; i++)
			strcpy(new->results[i].run.ends[side].kernel, "6.6");
	}
}

static void setup__of_both_sides_alike__is_named_once(void **state)
{
	(void)state;
	warns(other_kernel, "the set-ups differ: both sides' kernel 6.1 in base; 6.6 in new");
}

static void setup__without_data__is_no_difference(void **state)
{
	(void)state;
	warns(no_data, "");
}

static void failed_figure(struct result_set *base, struct result_set *new)
{
	(void)base;
	new->results[0].rounds[0].figures[SIDE_SERVER][STEP_ACCEPT].failed = 1;
	new->results[3].rounds[0].figures[SIDE_CLIENT][STEP_CONNECT].failed = 9;
}

static void failed_row(struct result_set *base, struct result_set *new)
{
	struct ledger_row row = { .side = SIDE_CLIENT,
				  .count = 1,
				  .outcome = { .step = STEP_CONNECT, .event = EVENT_REJECTED } };

	(void)new;
	assert_int_equal(ledger_append(&base->results[1].rounds[0].ledger, &row), 0);
}

static void failures__are_counted_by_results(void **state)
{
	(void)state;
	warns(failed_figure, "connections failed in 2 of 5 results in new: ");
	warns(failed_row, "connections failed in 1 of 5 results in base: ");
}

static void retried(struct result_set *base, struct result_set *new)
{
	struct cm_counts row = { .step = STEP_DISCONNECT };

	(void)base;
	row.msg[CM_REP].retries = 1; /* the server's own affair */
	assert_int_equal(round_add_cm(&new->results[1].rounds[0], &row), 0);
	row.msg[CM_DREQ].retries = 1;
	assert_int_equal(round_add_cm(&new->results[2].rounds[0], &row), 0);
	row.msg[CM_REQ].retries = 7;
	assert_int_equal(round_add_cm(&new->results[4].rounds[0], &row), 0);
}

static void retries__are_counted_by_results(void **state)
{
	(void)state;
	warns(retried, "CM messages were sent again in 2 of 5 results in new: ");
}

static void same_run(struct result_set *base, struct result_set *new)
{
	strcpy(base->results[0].run.run_id, "00000000000000aa");
	strcpy(base->results[1].run.run_id, "00000000000000bb");
	strcpy(new->results[4].run.run_id, "00000000000000aa");
}

static void run__that_is_there_twice__is_no_second_run(void **state)
{
	(void)state;
	warns(same_run, "1 of the 10 results is of a run that is there already: ");
}

static void slower_all_the_time(struct result_set *base, struct result_set *new)
{
	static const double rising[] = { 100, 101, 103, 104, 106, 107, 109, 110 };

	(void)base;
	result_set_free(new);
	*new = contest_set(8, 1, rising);
}

static void slower_in_each(struct result_set *base, struct result_set *new)
{
	static const double rising[] = { 90,  95,  100, 105, 99,  91,  97, 103,
					 106, 110, 93,	96,  101, 105, 108 };

	(void)base;
	result_set_free(new);
	*new = contest_set(3, 5, rising);
}

static void a_little_slower(struct result_set *base, struct result_set *new)
{
	static const double rising[] = { 100, 100.1, 100.2, 100.3, 100.4, 100.5, 100.6, 100.7 };

	(void)base;
	result_set_free(new);
	*new = contest_set(8, 1, rising);
}

static void cold_at_first(struct result_set *base, struct result_set *new)
{
	static const double cold[] = { 200, 99,	 101, 100, 102, 210, 101, 99,  102, 100,
				       190, 102, 99,  101, 100, 205, 99,  100, 102, 101 };

	(void)base;
	result_set_free(new);
	*new = contest_set(4, 5, cold);
}

static void drift__is_a_trend_that_goes_beyond_the_margin(void **state)
{
	(void)state;
	warns(slower_all_the_time,
	      "the results of new drift, first third to last, in us/conn of connect +9.0 %");
	warns(slower_in_each,
	      "the rounds of new drift, first third to last, in us/conn of connect +16.1 %");
	warns(a_little_slower, "");
}

static void round__that_is_cold_and_first__is_no_trend(void **state)
{
	(void)state;
	warns(cold_at_first, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_sets__are_warned_of_in_no_way),
		cmocka_unit_test(setups__that_differ__are_named_with_their_values),
		cmocka_unit_test(setup__of_both_sides_alike__is_named_once),
		cmocka_unit_test(setup__without_data__is_no_difference),
		cmocka_unit_test(failures__are_counted_by_results),
		cmocka_unit_test(retries__are_counted_by_results),
		cmocka_unit_test(run__that_is_there_twice__is_no_second_run),
		cmocka_unit_test(drift__is_a_trend_that_goes_beyond_the_margin),
		cmocka_unit_test(round__that_is_cold_and_first__is_no_trend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

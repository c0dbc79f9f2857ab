// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* samples_file - a line at a time, as a run may have a million connections: main only. */
#include "core/samples_file.h"

#include "core/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_NAME = 40 };

enum what { IGNORED, SIDE, ROUND, OUTCOME, BEGIN, DURATION };

struct column {
	enum what what;
	enum step step; /* of BEGIN and DURATION */
	char name[COLUMN_NAME];
};

struct reader {
	FILE *file;
	struct samples_error *error;
	size_t line, n_columns;
	struct column columns[SAMPLES_COLUMNS];
	char text[SAMPLES_LINE];
};

__attribute__((format(printf, 2, 3))) static int no_samples(struct reader *reader,
							    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->error->text, sizeof(reader->error->text), format, args);
	va_end(args);
	for (char *c = reader->error->text; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	reader->error->line = reader->line;
	return -EPROTO;
}

/* 1 with the next line, without its end, in text; 0 at the end of the file; -errno. */
static int next_line(struct reader *reader)
{
	size_t len;

	errno = 0;
	if (!fgets(reader->text, sizeof(reader->text), reader->file)) {
		int ret = ferror(reader->file) ? errno ? -errno : -EIO : 0;

		if (ret) {
			no_samples(reader, "it cannot be read");
			reader->error->line = 0;
		}
		return ret;
	}
	reader->line++;
	len = strlen(reader->text);
	/* A NUL byte makes a line look shorter than what was read of it. */
	if (len && reader->text[len - 1] == '\n')
		reader->text[--len] = '\0';
	else if (!feof(reader->file))
		return no_samples(reader, "the line is longer than %d bytes, or no text",
				  SAMPLES_LINE - 2);
	if (len && reader->text[len - 1] == '\r')
		reader->text[len - 1] = '\0';
	return 1;
}

/* The next field of a line, terminated; NULL after the last. */
static char *next_field(char **rest)
{
	char *field = *rest;

	if (field) {
		*rest = strchr(field, ',');
		if (*rest)
			*(*rest)++ = '\0';
	}
	return field;
}

static bool ends_with(const char *name, const char *end, char step[static COLUMN_NAME])
{
	size_t len = strlen(name), tail = strlen(end);

	if (len <= tail || len - tail >= COLUMN_NAME || strcmp(name + len - tail, end))
		return false;
	memcpy(step, name, len - tail);
	step[len - tail] = '\0';
	return true;
}

static struct column column_of(const char *name)
{
	struct column column = { .what = IGNORED, .step = STEPS };
	char step[sizeof(column.name)];

	if (!strcmp(name, "side"))
		column.what = SIDE;
	else if (!strcmp(name, "round"))
		column.what = ROUND;
	else if (!strcmp(name, "outcome"))
		column.what = OUTCOME;
	else if (ends_with(name, "_begin_ns", step) && step_from_name(step) < STEPS)
		column = (struct column){ .what = BEGIN, .step = step_from_name(step) };
	else if (ends_with(name, "_ns", step) && step_from_name(step) < STEPS)
		column = (struct column){ .what = DURATION, .step = step_from_name(step) };
	/* A name that is known fits. */
	memcpy(column.name, name, strnlen(name, sizeof(column.name) - 1));
	return column;
}

static int read_header(struct reader *reader)
{
	bool sides = false, outcomes = false, begins = false, durations = false;
	char *rest = reader->text, *name;
	int ret = next_line(reader);

	if (ret < 0)
		return ret;
	if (!ret)
		return no_samples(reader, "it is empty");
	while ((name = next_field(&rest))) {
		struct column column = column_of(name);

		for (size_t i = 0; i < reader->n_columns && column.what != IGNORED; i++) {
			if (!strcmp(reader->columns[i].name, column.name))
				return no_samples(reader, "column %s is there twice", column.name);
		}
		if (reader->n_columns == SAMPLES_COLUMNS)
			return no_samples(reader, "more than %d columns", SAMPLES_COLUMNS);
		reader->columns[reader->n_columns++] = column;
		sides |= column.what == SIDE;
		outcomes |= column.what == OUTCOME;
		begins |= column.what == BEGIN;
		durations |= column.what == DURATION;
	}
	if (!sides || !outcomes || !begins || !durations)
		return no_samples(reader, "the first line names no columns of cmtime --samples");
	return 0;
}

static int take_number(struct reader *reader, const struct column *column, const char *field,
		       uint64_t most, uint64_t *number)
{
	uint64_t value = 0;
	const char *c = field;

	for (; *c >= '0' && *c <= '9'; c++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			break;
	}
	if (*c || c == field || value > most)
		return no_samples(reader, "%s: '%.40s' is no number that fits", column->name,
				  field);
	*number = value;
	return 0;
}

static int take_outcome(struct reader *reader, const char *field, struct sample_row *row)
{
	char step[40];
	size_t len = strcspn(field, ":");

	row->failed_in = STEPS;
	if (!strcmp(field, "ok") || !strcmp(field, "none"))
		return 0;
	if (field[len] && len < sizeof(step)) {
		memcpy(step, field, len);
		step[len] = '\0';
		row->failed_in = step_from_name(step);
	}
	if (row->failed_in == STEPS)
		return no_samples(reader, "outcome: '%.60s' is none of ok, none, STEP:EVENT:STATUS",
				  field);
	return 0;
}

static int take_field(struct reader *reader, const struct column *column, const char *field,
		      struct sample_row *row)
{
	struct sample_step *sample = column->step < STEPS ? &row->steps[column->step] : NULL;
	uint64_t round = 1;
	int ret = 0;

	switch (column->what) {
	case SIDE:
		row->side = side_from_name(field);
		if (row->side == SIDES)
			ret = no_samples(reader, "side: '%.40s' is neither client nor server",
					 field);
		break;
	case ROUND:
		ret = take_number(reader, column, field, MAX_ROUNDS, &round);
		if (!ret && !round)
			ret = no_samples(reader, "round: they count from 1");
		row->round = (uint32_t)round;
		break;
	case OUTCOME:
		ret = take_outcome(reader, field, row);
		break;
	case BEGIN:
		sample->begun = *field;
		if (*field)
			ret = take_number(reader, column, field, UINT64_MAX, &sample->begin_ns);
		break;
	case DURATION:
		sample->done = *field;
		if (*field)
			ret = take_number(reader, column, field, UINT64_MAX, &sample->ns);
		break;
	case IGNORED:
		break;
	}
	return ret;
}

static int read_row(struct reader *reader, struct sample_row *row)
{
	char *rest = reader->text, *field;
	size_t n = 0;
	int ret;

	*row = (struct sample_row){ .round = 1, .failed_in = STEPS };
	while ((field = next_field(&rest))) {
		if (n == reader->n_columns)
			return no_samples(reader, "more columns than the first line has (%zu)",
					  reader->n_columns);
		ret = take_field(reader, &reader->columns[n++], field, row);
		if (ret)
			return ret;
	}
	if (n < reader->n_columns)
		return no_samples(reader, "%zu columns, and the first line has %zu", n,
				  reader->n_columns);
	for (enum step step = 0; step < STEPS; step++) {
		struct sample_step *sample = &row->steps[step];

		if (sample->ns > UINT64_MAX - sample->begin_ns)
			return no_samples(reader, "%s: its end does not fit", step_name(step));
		sample->done = sample->done && sample->begun && step != row->failed_in;
	}
	return 0;
}

/* An editor may have left an empty last line. */
static int take_line(struct reader *reader, samples_taker *take, void *arg)
{
	struct sample_row row;
	int ret;

	if (!*reader->text)
		return 0;
	ret = read_row(reader, &row);
	return ret ? ret : take(arg, &row);
}

int samples_read(FILE *file, samples_taker *take, void *arg, struct samples_error *error)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int ret;

	*error = (struct samples_error){ .text = "out of memory" };
	if (!reader)
		return -ENOMEM;
	reader->file = file;
	reader->error = error;
	ret = read_header(reader);
	while (!ret && (ret = next_line(reader)) > 0)
		ret = take_line(reader, take, arg);
	free(reader);
	return ret;
}

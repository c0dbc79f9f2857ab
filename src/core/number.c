// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* number - digits, an optional fraction, a unit. */
#include "core/number.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Reads digits into *value and moves *text behind them. 0, -EINVAL for none, -ERANGE. */
static int digits(const char **text, uint64_t *value)
{
	const char *at = *text;
	uint64_t v = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*at - '0'), &v))
			return -ERANGE;
	}
	if (at == *text)
		return -EINVAL;
	*text = at;
	*value = v;
	return 0;
}

/* What may stand behind the whole: ".25" is 25 and 2 digits; nothing is 0 of them. */
static int decimals(const char **text, uint64_t *fraction, size_t *n)
{
	*fraction = 0;
	*n = 0;
	if (**text != '.')
		return 0;
	const char *from = ++*text;
	int ret = digits(text, fraction);

	*n = (size_t)(*text - from);
	return ret;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit *find(const struct unit *units, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(units[i].name, name))
			return &units[i];
	}
	return NULL;
}

int number_count(const char *text, uint64_t min, uint64_t max, uint64_t *count)
{
	static const struct unit units[] = { { "", 1 }, { "k", 1000 }, { "M", 1000000 } };
	uint64_t value;
	int ret = digits(&text, &value);

	if (ret)
		return ret;
	const struct unit *unit = find(units, sizeof(units) / sizeof(*units), text);

	if (!unit)
		return -EINVAL;
	if (__builtin_mul_overflow(value, unit->factor, &value) || value < min || value > max)
		return -ERANGE;
	*count = value;
	return 0;
}

int number_time_ns(const char *text, uint64_t *time_ns)
{
	static const struct unit units[] = {
		{ "ns", 1 },	     { "us", 1000 },	 { "ms", 1000000 },
		{ "s", 1000000000 }, { "", 1000000000 },
	};
	uint64_t whole, fraction, parts = 1;
	size_t n;
	int ret = digits(&text, &whole);

	if (ret)
		return ret;
	ret = decimals(&text, &fraction, &n);
	if (ret)
		return ret;
	while (n--) {
		if (parts >= 1000000000)
			return -EINVAL; /* finer than a nanosecond of seconds */
		parts *= 10;
	}
	const struct unit *unit = find(units, sizeof(units) / sizeof(*units), text);

	if (!unit)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, unit->factor, &whole) ||
	    __builtin_add_overflow(whole, fraction * unit->factor / parts, &whole) || !whole ||
	    whole > INT64_MAX)
		return -ERANGE;
	*time_ns = whole;
	return 0;
}

int number_decimal(const char *text, double *value)
{
	uint64_t whole, fraction;
	double parts = 1;
	size_t n;
	int ret = digits(&text, &whole);

	if (ret)
		return ret;
	ret = decimals(&text, &fraction, &n);
	if (ret)
		return ret;
	while (n--)
		parts *= 10;
	if (*text)
		return -EINVAL;
	*value = (double)whole + (double)fraction / parts;
	return 0;
}

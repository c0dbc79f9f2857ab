#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Works out what mannwhitney.c, bootstrap.c and trend.c must say: tests/data/compare.py > tests/data/compare.txt

Needs scipy (python3-scipy). Three kinds of lines, values of a sample joined by commas:

mannwhitney NAME P X Y: scipy.stats.mannwhitneyu(X, Y), with its defaults.
bootstrap NAME LOW LOW HIGH HIGH X Y: the interval of median(X) / median(Y) from all draws there are, each once. Its ends
   must lie between the quantiles of 2 % and 3 %, and of 97 % and 98 %: thousands of random draws come that near.
trend NAME S P SERIES...: Kendall's S from scipy's tau, its p from the variance with ties, by the book.
"""
import itertools
import math
import random
import statistics

import scipy.stats


def joined(values):
    return ",".join(f"{v!r}" for v in values)


def mannwhitney(name, x, y):
    p = scipy.stats.mannwhitneyu(x, y, alternative="two-sided", method="auto").pvalue
    print("mannwhitney", name, repr(float(p)), joined(x), joined(y))


def drawn_medians(values):
    """Every median that n draws with replacement can give, and its share of all draws."""
    n, shares = len(values), {}
    for picks in itertools.combinations_with_replacement(range(n), n):
        ways = math.factorial(n)
        for i in set(picks):
            ways //= math.factorial(picks.count(i))
        median = statistics.median(values[i] for i in picks)
        shares[median] = shares.get(median, 0) + ways / n ** n
    return shares


def quantile(pairs, share):
    seen = 0.0
    for value, weight in pairs:
        seen += weight
        if seen >= share:
            return value
    return pairs[-1][0]


def bootstrap(name, x, y):
    above, below = drawn_medians(sorted(x)), drawn_medians(sorted(y))
    pairs = sorted((a / b, wa * wb) for a, wa in above.items() for b, wb in below.items())
    print("bootstrap", name, *(repr(quantile(pairs, q)) for q in (.02, .03, .97, .98)), joined(x), joined(y))


def trend(name, *series):
    s = variance = 0.0
    for values in series:
        n = len(values)
        groups = [values.count(v) for v in set(values)]
        s += sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2))
        variance += (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in groups)) / 18
        if n > 2 and len(groups) == n:
            tau = scipy.stats.kendalltau(range(n), values).statistic
            assert round(tau * n * (n - 1) / 2) == sum(
                (b > a) - (b < a) for a, b in itertools.combinations(values, 2))
    p = 1.0 if variance <= 0 else min(1.0, 2 * scipy.stats.norm.sf((abs(s) - 1) / math.sqrt(variance)))
    print("trend", name, repr(s), repr(float(p)), *map(joined, series))


random.seed(2013)


def some(n, centre=1000.0, spread=0.05):
    return [round(random.lognormvariate(math.log(centre), spread), 3) for _ in range(n)]


mannwhitney("one-and-one", [1.0], [2.0])
mannwhitney("one-and-one-equal", [1.0], [1.0])
mannwhitney("three-apart", [1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
mannwhitney("four-apart", [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0])
mannwhitney("four-apart-the-other-way", [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 4.0])
mannwhitney("even", [1.0, 4.0, 5.0, 8.0], [2.0, 3.0, 6.0, 7.0])
mannwhitney("five-and-three", some(5), some(3, 1200.0))
mannwhitney("two-and-eight", some(2, 700.0), some(8))
mannwhitney("a-tie", [1.0, 2.0, 3.0, 4.0], [4.0, 5.0, 6.0, 7.0])
mannwhitney("all-equal", [7.0] * 5, [7.0] * 6)
mannwhitney("all-equal-but-one", [7.0] * 5, [7.0] * 5 + [8.0])
mannwhitney("ties-everywhere", [1.0, 1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 2.0, 3.0, 3.0, 3.0])
mannwhitney("ten-the-same", some(10), some(10))
mannwhitney("ten-apart", some(10), some(10, 1100.0))
mannwhitney("nine-and-nine", some(9), some(9, 1050.0))
mannwhitney("eight-and-nine", some(8), some(9, 1050.0))
mannwhitney("eight-and-three-hundred", some(8, 1030.0), some(300))
mannwhitney("hundred-with-ties", [float(round(v)) for v in some(100)], [float(round(v)) for v in some(120, 1010.0)])
mannwhitney("far-apart", some(60), some(60, 2000.0))
bootstrap("two-and-two", some(2), some(2))
bootstrap("three-and-three", some(3), some(3, 1100.0))
bootstrap("four-and-four", some(4), some(4))
bootstrap("five-and-five", some(5), some(5, 900.0))
bootstrap("five-and-four-wide", some(5, 1000.0, 0.5), some(4, 1000.0, 0.5))
bootstrap("seven-and-seven", some(7), some(7))
bootstrap("one-and-six", some(1), some(6))
bootstrap("equal-ones", [3.0, 3.0, 3.0, 5.0, 5.0], [2.0, 2.0, 2.0, 2.0])
bootstrap("zeroes-above", [0.0, 0.0, 1.0], [2.0, 4.0, 8.0])
trend("of-one", [1.0])
trend("of-two", [1.0, 2.0])
trend("of-five-rising", [1.0, 2.0, 3.0, 4.0, 5.0])
trend("of-six-falling", [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
trend("of-equal-values", [4.0] * 5)
trend("with-ties", [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 4.0])
trend("of-chance", some(20))
trend("of-two-by-ten", *([v, v + 1] for v in some(10)))
trend("of-three-series", some(6), [1.0, 2.0, 2.0, 5.0], some(7))

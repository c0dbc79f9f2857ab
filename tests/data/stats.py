#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Works out the figures of made-up durations in exact arithmetic: tests/data/stats.py > tests/data/stats.txt

A set is a line of NAME FIRST LAST, ten figures (count sum mean stddev min p50 p90 p99 p999 max) and then its
durations, TIMESxNS each. test_stats holds stats.c against every set.
"""
import math
import random


def nearest(numerator, denominator):
    return (2 * numerator + denominator) // (2 * denominator)


def nearest_root(numerator, denominator):
    """round(sqrt(numerator / denominator)), without a float"""
    root = math.isqrt(numerator // denominator)
    return root + ((2 * root + 1) ** 2 * denominator <= 4 * numerator)


def rank(ordered, numerator, denominator):
    """The smallest value that at least numerator/denominator of all values do not exceed."""
    for i, value in enumerate(ordered):
        if (i + 1) * denominator >= numerator * len(ordered):
            return value


def figures(durations):
    n, total = len(durations), sum(durations)
    ordered = sorted(durations)
    variance = n * sum(d * d for d in durations) - total * total
    return [n, total, nearest(total, n), nearest_root(variance, n * n), ordered[0], rank(ordered, 1, 2),
            rank(ordered, 9, 10), rank(ordered, 99, 100), rank(ordered, 999, 1000), ordered[-1]]


def print_set(name, runs):
    durations = [ns for times, ns in runs for _ in range(times)]
    first = 1_000_000_007
    last = first + max(durations) + 12345
    print(name, first, last, *figures(durations), *(f"{times}x{ns}" for times, ns in runs))


random.seed(2013)
S = 1_000_000_000
print_set("one", [(1, 400)])
print_set("one-of-zero", [(1, 0)])
print_set("two", [(1, 3), (1, 4)])
print_set("mean-rounds-down", [(2, 1), (1, 2)])
print_set("mean-rounds-up", [(1, 1), (2, 2)])
print_set("ten", [(1, i) for i in range(10, 0, -1)])
print_set("hundred", [(1, i * 1000) for i in range(1, 101)])
print_set("hundred-and-one", [(1, i * 1000) for i in range(1, 102)])
print_set("thousand-and-one", [(1000, 500_000), (1, 19 * S)])
print_set("ten-thousand-of-a-second", [(10_000, S)])
print_set("one-of-5000-seconds", [(1, 5000 * S)])
print_set("nearly-equal-and-long", [(5000, 5000 * S), (4999, 5000 * S + 1), (1, 5000 * S + 2)])
print_set("two-clusters", [(9_900, 600_000), (100, 4 * S + 7)])
print_set("a-year-apart", [(3, 1), (2, 365 * 86400 * S)])
print_set("random", [(1, int(random.lognormvariate(13, 2))) for _ in range(997)])

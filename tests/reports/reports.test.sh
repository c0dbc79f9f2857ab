#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# reports.test.sh - reports in every format, read by programs that know nothing of ours: all their figures are worked
# out again from the samples, and all their JSON is held against the schema.
#
# Each program is then given reports that are wrong, and must find that.

here=${srcdir:-.}/tests/reports
schema=${srcdir:-.}/doc/cmtime-result.schema.json
golden=${srcdir:-.}/tests/data/result.json
printer=$PWD/tests/reports/print_reports
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
failures=0

if ! command -v python3 >"$tmp/found"; then
	echo 'SKIP: there is no python3'
	exit 77
fi

fail()
{
	failures=$((failures + 1))
	echo "FAIL: $1"
	sed 's/^/	/' "$tmp/said"
}

# holds WORDS COMMAND...
holds()
{
	words=$1
	shift
	"$@" >"$tmp/said" 2>&1 || fail "$words"
	sed 's/^/	/' "$tmp/said"
}

# finds COMMAND... FILE...: it must find each file wrong, those that spoil() made among them.
finds()
{
	"$@" "$tmp"/spoilt/* >"$tmp/said" 2>&1
	[ $? = 1 ] || fail "$1 ends with 1"
	if [ "$(grep -c '^not ok - ' "$tmp/said")" -ne "$(find "$tmp/spoilt" -type f | wc -l)" ]; then
		cat "$tmp/changes" >>"$tmp/said"
		fail "$1 finds all that is wrong"
	fi
	rm -rf "$tmp/spoilt"
	: >"$tmp/changes"
}

# spoil FILE SED: makes a file that is so changed, for finds().
spoil()
{
	mkdir -p "$tmp/spoilt"
	n=$((n + 1))
	sed "$2" "$1" >"$tmp/spoilt/$n.${1##*.}"
	echo "$n: ${1##*.} with $2" >>"$tmp/changes"
	if cmp -s "$1" "$tmp/spoilt/$n.${1##*.}"; then
		echo "$2" >"$tmp/said"
		fail "$1 is spoilt"
	fi
}
n=0

mkdir "$tmp/reports"
(cd "$tmp/reports" && "$printer") >"$tmp/said" 2>&1 || fail 'reports are printed'
for run in whole one rounds failures; do
	of=$tmp/reports/$run
	holds "the figures of $run" "$here/verify-samples" "$of.samples" "$of.json" "$of.csv" "$of.text" "$of.classic"
done

# ---- figures that are wrong ----

of=$tmp/reports/failures
for key in count failed total_ns sum_ns mean_ns min_ns p50_ns p90_ns p99_ns p999_ns max_ns stddev_ns spread_ns; do
	spoil "$of.json" "s/\"$key\":[0-9]*/\"$key\":4711/"
done
spoil "$of.json" 's/"per_second":[0-9]*/"per_second":4711/'
spoil "$of.json" 's/"in_flight":[0-9]*/"in_flight":4711/'
spoil "$of.json" 's/"connected":[0-9]*/"connected":4711/'
spoil "$of.json" 's/"status":28/"status":8/'
spoil "$of.json" 's/{"step":"connect","side":"client","count"/{"step":"bind_addr","side":"client","count"/'
for column in 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	spoil "$of.csv" "4s/[^,]*/4711/$column"
done
spoil "$of.csv" '/,connect,/d'
spoil "$of.text" 's/^\(connect  *[0-9]* *[0-9]*  *\)[0-9]/\14711/'
spoil "$of.text" 's/^\(create qp .*\)[1-9]\([0-9.]* [nu]s\)$/\147\2/'
spoil "$of.text" '/^server accept/d'
spoil "$of.text" 's/^[0-9]* of/4711 of/'
spoil "$of.classic" 's/^\(connect  *: *\)[0-9]*/\14711/'
spoil "$of.classic" '/^destroy/d'
cp "$tmp/reports/one.csv" "$tmp/spoilt/another.csv"
finds "$here/verify-samples" "$of.samples"

# ---- the schema ----

"$here/validate" --all-keys "$schema" "$golden" >"$tmp/said" 2>&1
if [ $? = 77 ]; then
	cat "$tmp/said"
else
	holds 'every key of the schema' "$here/validate" --all-keys "$schema" "$golden"
	holds 'the schema of reports' "$here/validate" "$schema" "$tmp"/reports/*.json
	for change in 's/"count": /"counts": /' 's/"connected": [0-9]*/"connected": null/' 's/"per_second"/"per_hour"/' \
		's/"window": 64/"window": "64"/' 's/"side": "client"/"side": "peer"/' 's/"REJECTED"/"rejected"/' \
		's/"version"/"more": [],\n&/' 's/"retries": 1,/"retries": 16,/' 's/"host": "alpha"/"host": ""/' \
		's/cmtime-result.1/cmtime-result\/2/' 's/"by_application": true,//' 's/"p99_ns": [0-9]/"p99_ns": -1/' \
		's/"p99_ns": [0-9][0-9]*/"p99_ns": null/' 's/"p99_ns": null/"p99_ns": 0/' 's/"part": "call"/"part": "calls"/' \
		's/"RLIMIT_MEMLOCK": "unlimited"/"RLIMIT_MEMLOCK": 5/' '/./d'; do
		spoil "$golden" "$change"
	done
	finds "$here/validate" "$schema"
	sed 's/"description": "Which part."/"title": "x"/' "$schema" >"$tmp/schema.json"
	if "$here/validate" "$tmp/schema.json" "$golden" >"$tmp/said" 2>&1; then
		fail 'a key that is not described is found'
	fi
fi

[ "$failures" = 0 ] || exit 1

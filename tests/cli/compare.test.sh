#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# compare.test.sh - cmtime compare: what it takes and refuses, its exit status, and that --help, the
# manual page and the completion know the same options of it.

. "${srcdir:-.}/tests/cli/lib.sh"

# results WINDOW US...: a result a line, whose connect took that many us/conn; count them in $id.
id=0
results()
{
	window=$1
	shift
	for us; do
		id=$((id + 1))
		each=$((us * 1000))
		printf '{"schema":"cmtime-result/1","version":"0.1.0","run":{"run_id":"%016x",' "$id"
		printf '"reported_by":"client","connections":1000,"window":%d},"rounds":[{"connected":1000,' \
			"$window"
		printf '"steps":[{"step":"connect","side":"client","count":1000,"failed":0,"total_ns":%d,' \
			"$((each * 1000))"
		printf '"sum_ns":%d,"mean_ns":%d,"min_ns":%d,"p50_ns":%d,"p90_ns":%d,"p99_ns":%d,"p999_ns":%d,' \
			"$((each * 1000))" $each $each $each $each $each $each
		printf '"max_ns":%d,"stddev_ns":0}]}]}\n' $each
	done
}

# The verdict, in the last run's table, on a step's field.
verdict()
{
	sed -n "s|^$1  *$2 .*  \\([a-z0-9][a-z0-9 ]*\\)\$|\\1|p" "$out"
}

# compares STATUS ARG...: ends so, with a table.
compares()
{
	want=$1
	shift
	run compare "$@"
	check "'cmtime $args' exits $want, not $status" [ "$status" = "$want" ]
	check "'cmtime $args' prints on stdout" [ -s "$out" ]
}

base=$tmp/base.json fast=$tmp/fast.json slow=$tmp/slow.json few=$tmp/few.json
results 32 600 601 602 603 604 >"$base"
results 32 500 501 502 503 504 >"$fast"
results 32 700 701 702 703 704 >"$slow"
results 32 700 701 702 >"$few"
results 64 700 701 702 703 704 >"$tmp/window.json"

# ---- verdicts ----

compares 0 "$base" "$fast"
check 'what takes less is faster' [ "$(verdict connect us/conn)" = faster ]
check 'and nothing is said on stderr' [ -z "$err" ]
compares 0 "$base" "$slow"
check 'what takes more is slower' [ "$(verdict connect p99)" = slower ]
check 'so is the sum of all steps' [ "$(verdict 'all steps' total)" = slower ]
cp "$out" "$tmp/once"
compares 0 "$base" "$slow"
check 'the same files give the same report' cmp "$out" "$tmp/once"
compares 0 --margin 20 "$base" "$slow"
check 'within the margin is no difference' [ "$(verdict connect us/conn)" = 'no difference' ]
compares 0 --margin=0 "$base" "$slow"
compares 0 "$few" "$few"
check 'three runs are too few' [ "$(verdict connect us/conn)" = 'too few runs to say' ]
check 'runs that are there twice are warned of' grep -q '^warning: 3 of the 6 results' "$out"
compares 0 "$base" "$tmp/window.json"
check 'windows that differ leave us/conn' [ "$(verdict connect us/conn)" = slower ]
check 'windows that differ leave no verdict on p50' [ "$(verdict connect p50)" = 'windows differ' ]
check 'windows that differ are warned of' grep -q '^warning: the windows differ' "$out"
compares 0 "$base" "$fast" "$slow"
check 'of more files there are ratios' grep -q '^connect  *us/conn  *602.00 us  *<0.834  *>1.166$' "$out"

# ---- where files come from ----

args='compare base - <fast'
timeout 10 "$cmtime" compare "$base" - <"$fast" >"$out"
status=$?
check "- is standard input" [ "$(verdict connect us/conn)" = faster ]
mkdir "$tmp/here"
cp "$base" "$tmp/here/--margin"
args='compare -- --margin fast'
program=$(cd "$(dirname "$cmtime")" && pwd)/$(basename "$cmtime")
(cd "$tmp/here" && timeout 10 "$program" compare -- --margin "$fast") >"$out" 2>&1
check 'behind -- there are files only' [ "$(verdict connect us/conn)" = faster ]
run compare "$base" "$tmp/none.json"
expect 3 "$tmp/none.json" ENOENT
run compare "$base" "$tmp"
expect 3 "$tmp" 'cannot be read'
run compare "$base" -
expect 3 'standard input' 'no result in it'
echo '{"schema": "cmtime-result/9"}' >"$tmp/other.json"
cat "$base" "$tmp/other.json" >"$tmp/mixed.json"
run compare "$base" "$tmp/mixed.json"
expect 3 "$tmp/mixed.json" 'line 6' cmtime-result/9

# ---- limits ----

compares 0 --fail-above connect.us=1.17 --fail-above client.connect.p99=1.2 "$base" "$slow"
check 'a limit that is kept is not mentioned' [ -z "$err" ]
compares 1 --fail-above connect.us=1.16 --fail-above=all.total=1.1 "$base" "$slow"
check 'a limit that is broken is named' says '--fail-above connect.us=1.16: it is 1.166'
check 'and so is another' says '--fail-above all.total=1.1: it is 1.166'
compares 1 --fail-above connect.us=1.1 "$base" "$fast" "$slow"
check 'the file that breaks a limit is named' says slow.json
check 'the file that keeps it is not' [ "${err#*fast.json}" = "$err" ]
compares 1 --fail-above accept.us=9 "$base" "$slow"
check 'a ratio that is missing breaks its limit' says 'no such ratio'
compares 1 --fail-above connect.p50=9 "$base" "$tmp/window.json"
check 'so does one that windows have made' says 'windows differ'
compares 1 --json --fail-above connect.us=1.1 "$base" "$slow"

# ---- JSON ----

compares 0 --json "$base" "$slow"
check '--json says so' grep -q '"schema": "cmtime-compare/1"' "$out"
check '--json has the verdict' grep -q '"verdict": "slower"' "$out"
cp "$out" "$tmp/once"
compares 0 "$base" "$slow" -j
check '-j is the same, and may stand behind' cmp "$out" "$tmp/once"

# ---- usage ----

run compare
expect 2 'two files'
run compare "$base"
expect 2 'two files'
run compare - -
expect 2 'standard input'
for value in '' x -1 100 3% nan 1e1; do
	run compare --margin "$value" "$base" "$slow"
	expect 2 --margin "'$value'"
	run compare "--margin=$value" "$base" "$slow"
	expect 2 --margin "'$value'"
done
for value in '' connect connect.us connect.us= connect.us=0 connect.us=-1 connect.us=x conect.us=1 \
	connect.mean=1 server.connect.us=1 all.us=1 connect.total=1 =1 connect.us=1%; do
	run compare --fail-above "$value" "$base" "$slow"
	expect 2 --fail-above "'$value'"
done
for option in --fail --connections -c --json=x --help=x --jso -jh --fail-below --version -; do
	[ "$option" = - ] && continue
	run compare "$option" "$base" "$slow"
	expect 2 "$option"
done
run compare "$base" "$slow" --margin
expect 2 --margin missing
run comparison
expect 2 comparison
set --
i=0
while [ $i -lt 65 ]; do
	set -- "$@" --fail-above connect.us=9
	i=$((i + 1))
done
run compare "$@" "$base" "$slow"
expect 2 --fail-above 64

# ---- what cannot be written ----

for option in "$base" --json --help; do
	args="compare $option >&-"
	err=$(timeout 10 "$cmtime" compare "$option" "$base" "$slow" 2>&1 >&-)
	status=$?
	: >"$out"
	expect 3 'cannot write'
	[ -c /dev/full ] || continue
	args="compare $option >/dev/full"
	err=$(timeout 10 "$cmtime" compare "$option" "$base" "$slow" 2>&1 >/dev/full)
	status=$?
	expect 3 'cannot write'
done

# ---- the same options everywhere ----

run compare --help
cp "$out" "$tmp/help"
check 'help is on stdout' [ "$status" = 0 ]
help_options "$tmp/help" | sort >"$tmp/help.options"
check 'help lists options' [ "$(grep -c '^--' "$tmp/help.options")" -ge 4 ]
sed -n '/^\.Sh COMPARE/,/^\.Sh LIMITS/p' "$srcdir/man/cmtime.1" |
	sed -n -e 's/^\.It Fl \(-[a-z-]*\) .*, Fl \(.\).*/-\1 -\2/p;t' -e 's/^\.It Fl \(-[a-z-]*\) , Fl \(.\)$/-\1 -\2/p;t' \
		-e 's/^\.It Fl \(-[a-z-]*\).*/-\1/p' | sort >"$tmp/page.options"
check 'help (-) and the manual page (+) have the same options' \
	diff -u "$tmp/help.options" "$tmp/page.options"
sed -n "/local compare_options='/,/'\$/{s/^[[:space:]]*//;s/'\$//;/^--/p;}" "$srcdir/completion/cmtime" |
	sort >"$tmp/completion.options"
check 'help (-) and the completion (+) have the same options' \
	diff -u "$tmp/help.options" "$tmp/completion.options"

# What bash answers to "cmtime compare ARGS... WORD" with the cursor behind WORD, a line each.
answers()
{
	bash -c '. "$1" && shift && COMP_WORDS=(cmtime compare "$@") && COMP_CWORD=$(($# + 1)) &&
		_cmtime && printf "%s\n" "${COMPREPLY[@]}"' complete "$srcdir/completion/cmtime" "$@"
}

if command -v bash >"$tmp/found"; then
	check 'bash completes --m' [ "$(answers --m)" = --margin ]
	check 'bash completes a file' [ "$(answers "$tmp/ba")" = "$base" ]
	check 'bash completes a limit' [ "$(answers --fail-above all)" = all.total= ]
else
	skip 'the completion: there is no bash'
fi

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# usage.test.sh - what the command line takes, what it refuses, and in which words.
#
# A refusal is exit status 2, the option and its value named on stderr, nothing on stdout, and it
# comes before anything is opened: it is the same on a host without RDMA.

. "${srcdir:-.}/tests/cli/lib.sh"

# accepts ARG...: --help behind it is reached.
accepts()
{
	run "$@" --help
	check "'cmtime $args' exits 0, not $status" [ "$status" = 0 ]
}

# refuses NAME VALUE ARG...: those arguments with --NAME VALUE, and where it may make a difference,
# with --NAME=VALUE.
refuses()
{
	name=$1 value=$2
	shift 2
	run "$@" "--$name" "$value"
	expect 2 "--$name" "'$value'"
	case $value in
	'' | -* | *=*)
		run "$@" "--$name=$value"
		expect 2 "--$name" "'$value'"
		;;
	esac
}

# refuses_letter LETTER NAME VALUE ARG...
refuses_letter()
{
	letter=$1 name=$2 value=$3
	shift 3
	run "$@" "-$letter" "$value"
	expect 2 "--$name" "'$value'"
	run "$@" "-$letter$value"
	[ -z "$value" ] || expect 2 "--$name" "'$value'"
}

is_listed()
{
	grep -q -e "^$1\$" -e "^$1 " -e " $1\$" "$tmp/options"
}

run --help
cp "$out" "$tmp/help"
help_options "$tmp/help" >"$tmp/options"
help_values "$tmp/help" >"$tmp/values"

# ---- numbers ----

# no_numbers COUNT...: none of them is a number of anything.
no_numbers()
{
	for value; do
		refuses connections "$value"
		refuses port "$value"
		refuses threads "$value"
		refuses listeners "$value"
		refuses retries "$value"
		refuses timeout "$value"
		refuses window "$value" --server 192.0.2.1
	done
}

# no_times TIME...: none of them is a time.
no_times()
{
	for value; do
		refuses step-timeout "$value" --server 192.0.2.1
		refuses idle-limit "$value" --no-control
	done
}

no_numbers '' -1 10x
for name in connections port threads listeners timeout; do
	refuses "$name" 0
done
refuses window 0 --server 192.0.2.1
refuses repeat 0 --loopback
refuses warmup -1 --loopback
no_times '' 0 10x
# All numbers are read by one function, and all times by another: the rest with one option each.
for value in 1e3 4294967297 99999999999999999999 ' 5' 0x10 +5 1.5 '5 ' 1K 1G k 1kk 18446744073709551617 9223372036854775807k nan; do
	refuses connections "$value"
done
for value in -1 1e3 4294967297 99999999999999999999 ' 5' 0x10 0s 0.0s +5s 1e3s '5 s' 5. .5 1.5.5 5m 5h S 4294967297s 1000001s 99999999999999999999ns \
	1.9999999999s infinity; do
	refuses step-timeout "$value" --server 192.0.2.1
done
accepts --connections 1 --threads 1 --window 1 --retries 0 --timeout 1 --port 1 --listeners 1
accepts --connections 10k --window 1M --port 65535
accepts --window unlimited
accepts --repeat 1k --warmup 0

# Whether or not the locale is there, numbers are the same in it.
for locale in C de_DE.UTF-8; do
	LC_ALL=$locale
	export LC_ALL
	for value in 1.000 1,000 "1'000" 1,0; do
		refuses connections "$value"
	done
	for value in 1,5 1,5s 1.000,5s; do
		refuses step-timeout "$value" --server 192.0.2.1
	done
	for value in 1ns 500us 250ms 1.5s 120 1000000s; do
		accepts --step-timeout "$value" --idle-limit "$value"
	done
done
unset LC_ALL

refuses port 65536
refuses connections 1048577
refuses connections 2M
refuses window 1048577 --server 192.0.2.1
refuses threads 257
refuses listeners 65
refuses retries 1001
refuses repeat 1001 --loopback
refuses warmup 1001 --loopback
refuses timeout 3600001
for value in '' 0 10x; do
	refuses_letter c connections "$value"
	refuses_letter n threads "$value"
	refuses_letter p port "$value"
	refuses_letter t timeout "$value"
	refuses_letter w window "$value" -s 192.0.2.1
	[ "$value" = 0 ] || refuses_letter r retries "$value"
done

# ---- words and names ----

for value in '' none TEXT 'text,' 'text ' JSON json5 xml; do
	refuses format "$value"
done
for value in '' auto,always yes 1; do
	refuses progress "$value"
done
for value in '' concurrent,inline Inline both 0; do
	refuses reap "$value" --server 192.0.2.1
done
for value in Unlimited unlimite unlimited5; do
	refuses window "$value" --server 192.0.2.1
done
refuses server ''
refuses bind ''
refuses output ''
refuses samples '' --server 192.0.2.1

# Limits on figures: tests/unit/test_threshold has all the ways to write none.
for name in fail-above fail-below; do
	for value in '' connect p99=5ms connec.p99=5ms server.connect.p99=5ms; do
		refuses "$name" "$value" --loopback
		check "'cmtime $args' says what a limit is" says '[SIDE.]STEP.FIELD=VALUE'
	done
	refuses "$name" connect.p98=5ms --loopback
	check "'cmtime $args' names figures" says 'p99, p999, max, stddev, spread, per_second'
	refuses "$name" connect.p99=5m --loopback
	check "'cmtime $args' says what a time is" says 'a time such as 5ms'
	refuses "$name" connect.failed=5ms --loopback
	refuses "$name" connect.req_retries=0.5 --loopback
	refuses "$name" connect.per_second=fast --loopback
	accepts --loopback "--$name" client.connect.p99=5ms "--$name" accept.max=1.5s \
		"--$name" connect.failed=0 "--$name=connect.req_retries=0" "--$name" connect.per_second=10k
	run "--$name" connect.p99=5ms
	expect 2 "--$name" --one-off
	run "--$name" connect.p99=5ms --no-control
	expect 2 "--$name" --one-off
	accepts --one-off "--$name" accept.p99=5ms
done
set --
for value in 0 1 2 3 4 5 6 7; do
	set -- "$@" --fail-above connect.p50=1s --fail-below connect.p50=1ns --fail-above connect.failed=0 \
		--fail-below connect.count=1 --fail-above connect.max=5s --fail-below connect.per_second=1 \
		--fail-above disconnect.p50=1s --fail-below disconnect.count=1
done
accepts --loopback "$@"
refuses fail-above connect.p99=5ms --loopback "$@"
long=$(printf '%04000d' 0 | tr 0 7)
run --connections "$long"
expect 2 --connections

# ---- options that are not there ----

# Those that scripts may know from elsewhere, or that are to come.
for option in --json --rate --duration --repeat --warmup --qp --mode --transport --sockets \
	--bind-interface --controller --peers --listen --check --output --samples --kernel-trace \
	--fail-above --fail-below --no-such-option --Connections --connections- --- --=5 \
	-j -q -m -S -B -C -L -P -o -x -0 '-?' -:; do
	is_listed "$option" && continue
	run "$option" 5
	expect 2 "$option"
	run -s 192.0.2.1 "$option"
	expect 2 "$option"
done
run -vx
expect 2 -x

# A name cut short is another name.
while read -r option letter; do
	short=${option%?}
	is_listed "$short" && continue
	run "$short" 5
	expect 2 "$short"
	run "$short=5"
	expect 2 "$short=5"
done <"$tmp/options"

# ---- values that are missing, or too many ----

while read -r option letter; do
	if grep -qx -e "$option" "$tmp/values"; then
		run "$option"
		expect 2 "$option" missing
		[ -z "$letter" ] && continue
		run "$letter"
		expect 2 "$option" missing
		run "-v${letter#-}"
		expect 2 "$option" missing
	else
		run "$option=5"
		expect 2 "$option" "$option=5"
		run "$option="
		expect 2 "$option"
	fi
done <"$tmp/options"

run somewhere
expect 2 "'somewhere'"
run -s 192.0.2.1 somewhere
expect 2 "'somewhere'"
run somewhere -s 192.0.2.1
expect 2 "'somewhere'"
run -- -s
expect 2 "'-s'"
run ''
expect 2 "''"
for errand in compare plot; do
	grep -q "cmtime $errand" "$tmp/help" && continue
	run "$errand" a.json b.json
	expect 2 "'$errand'"
done

# ---- options that do not go together ----

for arguments in '--window 5' '-w unlimited' '--reap inline' '--step-timeout 5s' '--bind-first' \
	'--samples s.csv' '--histogram' '--repeat 2' '--warmup 1'; do
	# shellcheck disable=SC2086 # words
	run $arguments -b 192.0.2.1
	expect 2 'only for a client'
	# shellcheck disable=SC2086 # words
	run $arguments -b 192.0.2.1 --no-control
	expect 2 'only for a client'
done
for arguments in '--listeners 2' '--one-off' '--idle-limit 5s'; do
	# shellcheck disable=SC2086 # words
	run $arguments -s 192.0.2.1
	expect 2 "${arguments%% *}" 'only for a server'
	# shellcheck disable=SC2086 # words
	run -s 192.0.2.1 --no-control $arguments
	expect 2 "${arguments%% *}" 'only for a server'
done
run --loopback -s 192.0.2.1
expect 2 --loopback --server
run --loopback --no-control
expect 2 --loopback --no-control
run --loopback --port 7471
expect 2 --loopback --port
run --bind-first -s 192.0.2.1
expect 2 --bind-first --bind
run --bind-first --loopback
expect 2 --bind-first --bind
run --listeners 2 --no-control
expect 2 --listeners --no-control
run --idle-limit 5s
expect 2 --idle-limit --no-control
run --loopback --idle-limit 5s
expect 2 --idle-limit --no-control
run --reap deferred -w 64 -c 1000 -s 192.0.2.1
expect 2 --reap --window 1000
run --reap deferred -c 1000 --loopback
expect 2 --reap --window 1000
run --reap deferred -w 999 -c 1k -s 192.0.2.1
expect 2 --reap --window 1000
run --reap inline -n 2 -s 192.0.2.1
expect 2 --reap --threads
for format in classic json csv; do
	run --histogram --format "$format" --loopback
	expect 2 --histogram --format
done
run --histogram -j -s 192.0.2.1
expect 2 --histogram --format
for path in "$tmp/both" -; do
	run --samples "$path" -o "$path" --loopback
	expect 2 --samples --output "$path"
	check "'cmtime $args' makes no file" [ ! -e "$path" ]
done
run --samples - --loopback
expect 2 --samples --output 'standard output'
accepts --samples /dev/null -o /dev/null --loopback
accepts --samples - -o "$tmp/report" --loopback

# ---- help and version ----

for option in --help -h --version -V; do
	run "$option"
	check "'cmtime $option' exits 0, not $status" [ "$status" = 0 ]
	check "'cmtime $option' prints on stdout" [ -s "$out" ]
	check "'cmtime $option' prints nothing on stderr" [ -z "$err" ]
done
run --version
check '--version is one line, of a name and a number' \
	grep -qx 'cmtime [0-9][0-9]*\(\.[0-9a-z][0-9a-z]*\)*' "$out"
check '--version is one line' [ "$(wc -l <"$out")" -eq 1 ]
: >"$out"
for option in --help --version; do
	args="$option >&-"
	err=$(timeout 10 "$cmtime" "$option" 2>&1 >&-)
	status=$?
	expect 3 'standard output'
	if [ -c /dev/full ]; then
		args="$option >/dev/full"
		err=$(timeout 10 "$cmtime" "$option" 2>&1 >/dev/full)
		status=$?
		expect 3 'standard output'
	else
		skip "'cmtime $option' to a full disk: there is no /dev/full"
	fi
done
args='-c 0 2>&-' err=''
timeout 10 "$cmtime" -c 0 >"$out" 2>&-
status=$?
expect 2

# ---- files that cannot be written: before anything else is tried ----

printf 'before\n' >"$tmp/file"
for path in "$tmp/no/file" "$tmp" "$tmp/file/inside"; do
	for arguments in '' '--one-off -j' '--no-control' '-s 127.0.0.1 -p 1' '-s 127.0.0.1 -p 1 --format csv'; do
		# shellcheck disable=SC2086 # words
		run $arguments -o "$path"
		expect 3 "cannot write $path: E"
		check "'cmtime $args' says so in one line" is_one_line
	done
	run -s 127.0.0.1 -p 1 --samples "$path" -o "$tmp/report"
	expect 3 "cannot write $path: E"
	check "'cmtime $args' says so in one line" is_one_line
done
# And what could be written is as it was after a run that was none.
run -s 127.0.0.1 -p 1 -o "$tmp/file" --samples "$tmp/samples"
expect 3 ECONNREFUSED
check "'cmtime $args' leaves the file as it was" [ "$(cat "$tmp/file")" = before ]
check "'cmtime $args' leaves nothing beside it" \
	[ -z "$(find "$tmp" -name 'samples*' -o -name 'report*' -o -name 'file.*')" ]

# ---- a host without a peer, a host without RDMA ----

# Nobody is at port 1.
run -s 127.0.0.1 -p 1
expect 3 127.0.0.1 127.0.0.1:1 ECONNREFUSED
check "'cmtime $args' says so in one line" is_one_line

if [ -e /dev/infiniband/rdma_cm ]; then
	skip 'the checks of a host without RDMA: this host has it'
	finish
fi
for arguments in '' '--one-off' '-b 127.0.0.1' '--no-control' '--listeners 4 -n 4' '--loopback' \
	'--loopback -b 127.0.0.1' '--loopback --reap inline' '-s 127.0.0.1 --no-control' \
	'-s 127.0.0.1 --no-control --reap inline' '-s 127.0.0.1 --no-control -b 127.0.0.1' \
	'-s 127.0.0.1 --no-control --reap deferred -w 1k -c 1000' \
	'-s 127.0.0.1 --no-control --reap deferred -w unlimited -c 1000'; do
	# shellcheck disable=SC2086 # words
	run $arguments
	expect 3 RDMA
	check "'cmtime $args' says so in one line" is_one_line
done

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# loopback.test.sh - the whole program, over the fake librdmacm: where its reports go, what its exit status says of
# limits, and what it says when a report cannot be written.

. "${srcdir:-.}/tests/cli/lib.sh"

cmtime=${CMTIME_FAKE:-./tests/cli/cmtime_fake}

# lost WORDS: the last run ended with 3, and named what could not be written in one line.
lost()
{
	check "'cmtime $args' exits 3, not $status" [ "$status" = 3 ]
	check "'cmtime $args' says '$1'" says "cmtime: cannot write $1"
	check "'cmtime $args' says so in one line" is_one_line
}

# is_a FORMAT FILE
# shellcheck disable=SC2317 # by check
is_a()
{
	case $1 in
	text) grep -q '^20 of 20 connected' "$2" ;;
	classic) grep -q '^connect      : ' "$2" ;;
	json) grep -q '^{"schema":"cmtime-result/1",.*"connected":20,.*}$' "$2" ;;
	csv) grep -q ',client,connect,20,0,' "$2" ;;
	esac
}

for format in text classic json csv; do
	run --loopback -c 20 --format "$format"
	check "'cmtime $args' exits 0, not $status" [ "$status" = 0 ]
	check "'cmtime $args' prints $format" is_a "$format" "$out"
	check "'cmtime $args' says nothing" [ -z "$err" ]
	cp "$out" "$tmp/report"

	: >"$out"
	echo before >"$tmp/report"
	run --loopback -c 20 --format "$format" -o "$tmp/report"
	check "'cmtime $args' exits 0, not $status" [ "$status" = 0 ]
	check "'cmtime $args' writes $format in place of what was there" is_a "$format" "$tmp/report"
	check "'cmtime $args' leaves nothing of it" [ "$(grep -c before "$tmp/report")" = 0 ]
	check "'cmtime $args' prints nothing" is_empty "$out"

	args="--loopback --format $format >&-"
	err=$(timeout 10 "$cmtime" --loopback -c 20 --format "$format" 2>&1 >&-)
	status=$?
	lost 'the report to standard output: EBADF'
	args="--loopback --format $format | true"
	{
		# The reader has gone before the run is over.
		timeout 10 "$cmtime" --loopback -c 20 --repeat 20 --format "$format" 2>"$tmp/stderr"
		echo $? >"$tmp/status"
	} | true
	status=$(cat "$tmp/status") err=$(cat "$tmp/stderr")
	lost 'the report to standard output: EPIPE'
	[ -c /dev/full ] || continue
	for much in '' '--repeat 100'; do
		args="--loopback --format $format $much >/dev/full"
		# shellcheck disable=SC2086 # words
		err=$(timeout 60 "$cmtime" --loopback -c 3 --format "$format" $much 2>&1 >/dev/full)
		status=$?
		lost 'the report to standard output: ENOSPC'
	done
done

# Rounds that are over at once make many messages on the control channel, and are no flood.
: >"$out"
args='--loopback -c 1 --repeat 150'
err=$(timeout 60 "$cmtime" --loopback -c 1 --repeat 150 --warmup 1 --format csv 2>&1 >"$out")
status=$?
check "'cmtime $args' exits 0, not $status" [ "$status" = 0 ]
check "'cmtime $args' has all rounds" [ "$(grep -c ',client,connect,1,0,' "$out")" = 150 ]

# ---- samples ----

: >"$out"
run --loopback -c 20 --json -o "$tmp/report" --samples -
check "'cmtime $args' prints samples" [ "$(grep -c ',ok,' "$out")" = 40 ]
check "'cmtime $args' writes JSON" is_a json "$tmp/report"
if [ -c /dev/full ]; then
	run --loopback -c 20 --samples /dev/full
	lost 'the samples /dev/full: ENOSPC'
	check "'cmtime $args' prints the report all the same" is_a text "$out"
else
	skip 'the checks of a full disk: there is no /dev/full'
fi

for same in "$tmp/both" "$tmp/./both" "$tmp/../${tmp##*/}/both"; do
	run --loopback -c 2 -o "$tmp/both" --samples "$same"
	check "'cmtime $args' is refused" [ "$status" != 0 ]
	check "'cmtime $args' says why" says "--output's"
	check "'cmtime $args' leaves nothing" [ ! -e "$tmp/both" ]
done

# ---- signals ----

for signal in HUP INT TERM; do
	args="--loopback -c 10 --repeat 1000 and SIG$signal"
	# A background command of a shell has SIGINT ignored; not one that a hook starts.
	run --loopback -c 10 --repeat 1000 -o "$tmp/cut" \
		--step-hook "[ \"\$1 \$2\" != \"connect begin\" ] || kill -$signal \$CMTIME_PID"
	case $signal in HUP) want=129 ;; INT) want=130 ;; TERM) want=143 ;; esac
	check "'cmtime $args' exits $want, not $status" [ "$status" = "$want" ]
	check "'cmtime $args' reports what was measured" grep -q '^0 of 10 connected' "$tmp/cut"
	check "'cmtime $args' leaves no draft" [ "$(echo "$tmp"/cut*)" = "$tmp/cut" ]
	rm -f "$tmp/cut"
done
run --loopback -c 10 --warmup 1 --step-hook "[ \"\$1 \$2\" != \"connect begin\" ] || kill -TERM \$CMTIME_PID"
check "'cmtime $args' says that there is nothing to report" says 'cut short in warm-up 1 of 1'

# ---- limits ----

# limit STATUS OPTION...
limit()
{
	want=$1
	shift
	run --loopback -c 20 "$@"
	check "'cmtime $args' exits $want, not $status" [ "$status" = "$want" ]
	check "'cmtime $args' prints the report" is_a text "$out"
}

limit 0 --fail-above connect.failed=0 --fail-below connect.count=20 --fail-above server.accept.max=100s
check "'cmtime $args' says nothing" [ -z "$err" ]
limit 1 --fail-below connect.count=21
check "'cmtime $args' names the figure" says '--fail-below connect.count=21: it is 20, below 21'
limit 1 --fail-above connect.p50=1ns --fail-above connect.max=100s
check "'cmtime $args' names the limit" says '--fail-above connect.p50=1ns: it is '
check "'cmtime $args' names no other" is_one_line
limit 1 --fail-above bind_addr.p50=1s
check "'cmtime $args' names what is missing" says 'bind_addr.p50=1s: there is no such figure'

finish

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# trace.sh - --kernel-trace on one host: every connection is matched, its parts add up to its connect, a delay in one
# place moves the part of that place and no other, the trace costs little, and no instance stays behind.
#
# machine: --cpus 1 --timeout 400
# files: cmtime tests/vm/delay.so

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

instances=/sys/kernel/tracing/instances

# left: how many of our instances there are.
left() {
	find "$instances" -maxdepth 1 -name 'cmtime-*' | wc -l
}

# traced NAME N OPTION...: a traced loopback run of N that must connect and match all, on both sides, in every round.
traced() {
	name=$1 n=$2
	shift 2
	cmtime --loopback --kernel-trace -c "$n" --samples "$OUT/samples.csv" -j "$@" >"$OUT/run.json" 2>"$OUT/run.err"
	expect "$name: ends with 0" $? = 0 "$OUT/run.err"
	rows=$(samples_count "$OUT/samples.csv" client connect_ns)
	expect "$name: some connected" "$rows" '>=' "$n" "$OUT/run.err"
	for side in client server; do
		expect "$name: all of the $side's are matched" \
			"$(samples_whole "$OUT/samples.csv" "$side")" = "$rows" "$OUT/run.err"
	done
	expect "$name: each connect is the sum of its parts" "$(samples_add_up "$OUT/samples.csv")" = "$rows"
	expect "$name: the report has no unmatched and no lost" \
		"$(grep -oE '"(unmatched|lost)": *[0-9]+' "$OUT/run.json" | grep -vc ': *0$')" = 0
	expect "$name: the report has both sides' traces" \
		"$(grep -oE '"(unmatched|lost)": *0' "$OUT/run.json" | wc -l)" '>=' 4 "$OUT/run.json"
	expect "$name: no instance is left" "$(left)" = 0
}

traced "loopback" 1000
with=$(samples_median "$OUT/samples.csv" client connect_ns)
cmtime --loopback -c 1000 --samples "$OUT/plain.csv" >/dev/null 2>"$OUT/run.err"
without=$(samples_median "$OUT/plain.csv" client connect_ns)
expect "tracing costs under 10 % ($without to $with ns, both ends on one processor)" \
	$((with * 100)) '<' $((without * 110))
traced "rounds" 200 --repeat 3 --warmup 1
traced "IPv6" 100 -b "$VM_ADDR6"
traced "window 1" 100 -w 1
traced "four reapers" 200 -n 4
traced "two listeners and acceptors" 200 -n 2 --listeners 2

# run NAME CLIENT_US ACCEPT_US: 100 connects one by one, with a delay of the client's or the server's.
run() {
	LD_PRELOAD=/job/delay.so DELAY_ACCEPT_US=$3 start_server --kernel-trace || fail "$1: the server starts"
	LD_PRELOAD=/job/delay.so DELAY_EVENT_US=$2 \
		cmtime -s "$VM_ADDR" --kernel-trace -c 100 -w 1 -n 1 --samples "$OUT/$1.csv" >"$OUT/run.txt" 2>"$OUT/run.err"
	expect "$1: ends with 0" $? = 0 "$OUT/run.err"
	kill -INT "$server"
	wait "$server"
}

# The others may move by 0.2 ms: client and server share the processor, and its turns are others now.
run plain 0 0
run reaper 5000 0
moves "5 ms in the reaper" "$OUT/plain.csv" "$OUT/reaper.csv" 5 0.2 return
run accept 0 5000
moves "5 ms before accept" "$OUT/plain.csv" "$OUT/accept.csv" 5 0.2 network accept

# ---- instances ----

start_server --kernel-trace || fail "a server to kill starts"
# shellcheck disable=SC2016 # the hook's own
cmtime -s "$VM_ADDR" --kernel-trace -c 50 --step-hook 'kill -KILL $CMTIME_PID' >/dev/null 2>&1
expect "a killed client leaves its instance" "$(left)" '>=' 1
kill -INT "$server"
wait "$server"
cmtime --loopback --kernel-trace -c 10 >/dev/null 2>&1
expect "the next run removes it" "$(left)" = 0
# shellcheck disable=SC2016
cmtime --loopback --kernel-trace -c 50 --step-hook '[ $1$2 != connectbegin ] || kill -INT $CMTIME_PID' >/dev/null 2>&1
expect "an interrupted run ends with 130" $? = 130
expect "an interrupted run leaves none" "$(left)" = 0
mkdir "$instances/cmtime-4000000-0"
exec 9<"$instances/cmtime-4000000-0/trace_pipe"
cmtime --loopback --kernel-trace -c 10 >/dev/null 2>"$OUT/run.err"
expect "an instance in use stays, and does not disturb" $? = 0 "$OUT/run.err"
expect "the one in use is still there" "$(left)" = 1
exec 9<&-
rmdir "$instances/cmtime-4000000-0"

# ---- hooks and marks ----

: >/sys/kernel/tracing/trace
# shellcheck disable=SC2016
cmtime --loopback --kernel-trace -c 10 --step-hook 'echo $1 $2; exit 3' >"$OUT/run.txt" 2>"$OUT/run.err"
expect "a hook that fails is no failure of the run" $? = 0 "$OUT/run.err"
expect "a hook is run at both borders of connect" "$(grep -cE '^connect (begin|end)$' "$OUT/run.err")" = 2 "$OUT/run.err"
expect "a hook prints nothing into the report" "$(grep -c '^connect begin' "$OUT/run.txt")" = 0 "$OUT/run.txt"
expect "marks stand in the kernel's trace" "$(grep -c 'cmtime: connect ' /sys/kernel/tracing/trace)" = 2

# ---- without ----

chmod 666 /dev/infiniband/*
echo nobody:x:65534:65534::/:/bin/sh >>/etc/passwd
start-stop-daemon -S -c nobody -x /job/cmtime -- --loopback --kernel-trace -c 10 >"$OUT/run.txt" 2>"$OUT/run.err"
expect "without permission the run goes on" $? = 0 "$OUT/run.err"
expect "without permission each end says so in a line" "$(grep -c 'no kernel trace: .*root' "$OUT/run.err")" = 2 "$OUT/run.err"
expect "without permission nothing else is said" "$(grep -c . "$OUT/run.err")" = 2 "$OUT/run.err"

find /sys/kernel -maxdepth 3 -name tracing -type d 2>/dev/null | while read -r dir; do umount "$dir" 2>/dev/null; done
umount /sys/kernel/debug
cmtime --loopback --kernel-trace -c 10 >"$OUT/run.txt" 2>"$OUT/run.err"
expect "without tracefs the run goes on" $? = 0 "$OUT/run.err"
expect "without tracefs each end says so in a line" "$(grep -c 'tracefs is not mounted' "$OUT/run.err")" = 2 "$OUT/run.err"
expect "nothing was mounted" "$(grep -c tracefs /proc/mounts)" = 0
verdict

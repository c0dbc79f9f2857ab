# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# trace-pair.sh - --kernel-trace of two hosts, each of its own: 10 ms each way on the wire are in the parts that have the
# wire in them, and in no other.
#
# machine: --pair --timeout 300
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

if [ "$VM_HOST" = 1 ]; then
	start_server --kernel-trace || exit 1
	meet up
	meet plain
	tc qdisc add dev "$VM_NETDEV" root netem delay 10ms
	meet delayed
	meet end
	kill -INT "$server"
	wait "$server"
	expect "the server leaves no instance" "$(find /sys/kernel/tracing/instances -name 'cmtime-*' | wc -l)" = 0
	verdict
fi

# run NAME: 100 connects one by one; all are matched, on both hosts.
run() {
	cmtime -s "$VM_PEER" --kernel-trace -c 100 -w 1 -n 1 --samples "$OUT/$1.csv" -j >"$OUT/$1.json" 2>"$OUT/$1.err"
	expect "$1: ends with 0" $? = 0 "$OUT/$1.err"
	expect "$1: all of the client's are matched" "$(samples_whole "$OUT/$1.csv" client)" = 100
	expect "$1: all of the server's are matched" "$(samples_whole "$OUT/$1.csv" server)" = 100
	expect "$1: each connect is the sum of its parts" "$(samples_add_up "$OUT/$1.csv")" = 100
}

meet up
run plain
meet plain
tc qdisc add dev "$VM_NETDEV" root netem delay 10ms
meet delayed
run delayed
meet end
# Real clocks on a host that may be busy: a delay may take some ms more, but the 20 ms are in no other part.
moves "10 ms each way" "$OUT/plain.csv" "$OUT/delayed.csv" 20 8 network peer
verdict

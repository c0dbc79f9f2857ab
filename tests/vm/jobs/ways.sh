# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ways.sh - every way to run that the command line has, small, against real soft-RoCE: all connect, counts are exact, the
# kernel holds afterwards what it held before; and the ways that cannot work say why.
#
# machine: --cpus 1 --timeout 300
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

before=$(held)

# way NAME N OPTION...: a loopback run that must connect all.
way() {
	name=$1 n=$2
	shift 2
	cmtime --loopback -c "$n" "$@" >"$OUT/way.txt" 2>"$OUT/way.err"
	expect "$name ends with 0" $? = 0 "$OUT/way.err"
	all_connected "$name: $n of $n" "$OUT/way.txt" "$n"
}

way "loopback" 200
way "one connection" 1
way "window 1" 50 -w 1
way "inline" 200 --reap inline
way "deferred" 200 --reap deferred --window unlimited
way "four reapers" 200 -n 4
way "three listeners" 200 --listeners 3
way "more acceptors and listeners" 200 -n 2 --listeners 2
way "bound to an address" 200 -b "$VM_ADDR"
way "ids bound first" 200 -b "$VM_ADDR" --bind-first
expect "bind addr is a step of its own then" "$(figure "$OUT/way.txt" 'bind addr' 1)" = 200
way "IPv6" 200 -b fd00::1

cmtime --loopback -c 50 --format classic >"$OUT/classic.txt"
if [ "$(sed 's/[0-9]\+\.[0-9][0-9]/N/g; s/ \+/ /g' "$OUT/classic.txt")" = "step total ms max ms min us us / conn
create id : N N N N
resolve addr : N N N N
resolve route: N N N N
create qp : N N N N
connect : N N N N
disconnect : N N N N
destroy : N N N N" ]; then
	pass "the classic table has its rows"
else
	fail "the classic table has its rows" "$(cat "$OUT/classic.txt")"
fi

# shellcheck disable=SC2119 # no options here
start_server || fail "a server starts"
for run in 1 2 3; do
	cmtime -s "$VM_ADDR" -c 500 >"$OUT/run.txt"
	all_connected "run $run against one server: 500 of 500" "$OUT/run.txt" 500
done
cmtime -s "$VM_ADDR" --no-control -c 10 >"$OUT/stranger.txt" 2>&1
expect "a stranger is rejected" $? = 1 "$OUT/stranger.txt"
expect "all strangers are told why" "$(sed -n 's/^\([0-9]*\) failed in connect: REJECTED by the application, consumer defined.*/\1/p' "$OUT/stranger.txt")" = 10 "$OUT/stranger.txt"
cmtime -s "$VM_ADDR" -c 100 >"$OUT/run.txt"
all_connected "the next client is served" "$OUT/run.txt" 100
kill -INT "$server"
wait "$server"
expect "a server told to end while idle ends with 0" $? = 0 "$OUT/server.err"

# dies NAME STATUS WORDS OPTION...: must end so, and say so.
dies() {
	name=$1 status=$2 words=$3
	shift 3
	cmtime "$@" >"$OUT/dies.txt" 2>"$OUT/dies.err"
	expect "$name ends with $status" $? = "$status" "$OUT/dies.err"
	if grep -q "$words" "$OUT/dies.err" "$OUT/dies.txt"; then
		pass "$name says why"
	else
		fail "$name says why" "$(cat "$OUT/dies.err" "$OUT/dies.txt")"
	fi
}

dies "no server" 3 'Connection refused' -s "$VM_ADDR" -c 10
dies "an address without a device" 3 "no RDMA device for 127.0.0.1" --loopback -b 127.0.0.1 -c 10
dies "a server address without a device" 3 "no RDMA device for 127.0.0.1" -s 127.0.0.1 --no-control -c 10
dies "nobody listening" 1 'REJECTED' -s "$VM_ADDR" --no-control -p 7999 -c 10

# With standard output closed, no descriptor of ours may take its place and get the report.
cmtime --loopback -c 20 >&- 2>"$OUT/dies.err"
expect "a closed standard output ends with 3" $? = 3 "$OUT/dies.err"
expect "a closed standard output is named" "$(grep -c 'cannot write the report to standard output: EBADF' "$OUT/dies.err")" = 1 "$OUT/dies.err"

if [ "$(held)" = "$before" ]; then
	pass "the kernel holds what it held before"
else
	fail "the kernel holds what it held before" "$before / $(held)"
fi
verdict

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# reports.sh - what a run writes: 10,000 connections in every format beside their samples, which reports.host works out
# again; results of a server, line by line; limits; and what cannot be written is said, with exit status 3.
#
# machine: --cpus 1 --timeout 1500
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

N=${N:-10000}

# ---- every format, for the host to verify ----

for format in json csv text classic; do
	cmtime --loopback -c "$N" --format "$format" -o "$OUT/loop.$format" --samples "$OUT/loop.$format.samples" \
		2>"$OUT/loop.err"
	expect "$format of $N ends with 0" $? = 0 "$OUT/loop.err"
	expect "$format has a sample for each connection on each side" \
		"$(awk -F, '$5 == "ok"' "$OUT/loop.$format.samples" | wc -l)" = $((2 * N))
done
for format in json text; do
	cmtime --loopback -c 300 --repeat 3 --warmup 1 --format "$format" -o "$OUT/rounds.$format" \
		--samples "$OUT/rounds.$format.samples" 2>"$OUT/loop.err"
	expect "$format of rounds ends with 0" $? = 0 "$OUT/loop.err"
done

# ---- a server's ----

start_server --json -o "$OUT/server.json" || fail "server with JSON"
for run in 1 2 3; do
	cmtime -s "$VM_ADDR" -c "$((100 * run))" --json >>"$OUT/clients.json"
done
kill -INT "$server"
wait "$server"
expect "server with JSON ends with 0" $? = 0 "$OUT/server.err"
expect "server's file has a line a run" "$(grep -c '^{"schema":"cmtime-result/1",.*}$' "$OUT/server.json")" = 3
start_server --format csv -o "$OUT/server.csv" || fail "server with CSV"
for run in 1 2 3; do
	cmtime -s "$VM_ADDR" -c 100 >"$OUT/run.txt"
done
kill -INT "$server"
wait "$server"
expect "server's CSV has one header" "$(grep -c '^run_id,round,' "$OUT/server.csv")" = 1
expect "server's CSV has its steps of three runs" "$(grep -c ',server,accept,100,0,' "$OUT/server.csv")" = 3

# ---- limits ----

# limit STATUS OPTION...: a run with those limits ends so; what is said is in limit.err.
limit() {
	want=$1
	shift
	cmtime --loopback -c 50 "$@" >"$OUT/limit.txt" 2>"$OUT/limit.err"
	expect "$* ends with $want" $? = "$want" "$OUT/limit.err"
}

limit 0 --fail-above connect.failed=0 --fail-below connect.count=50 --fail-above connect.req_retries=0 \
	--fail-below server.accept.count=50 --fail-above connect.max=100s
limit 1 --fail-above connect.p50=1ns
expect "a broken limit is named" "$(grep -c -- '--fail-above connect.p50=1ns: it is ' "$OUT/limit.err")" = 1
expect "the report of it is there" "$(grep -c '^50 of 50 connected' "$OUT/limit.txt")" = 1
limit 1 --fail-below connect.count=51
limit 1 --fail-above bind_addr.p50=1s
expect "a figure that is not there is said" "$(grep -c 'no such figure' "$OUT/limit.err")" = 1

# ---- what cannot be written ----

# lost NAME WORDS: the run that just ended with $status and loop.err must have ended with 3, and said so.
lost() {
	expect "$1 ends with 3" "$status" = 3 "$OUT/loop.err"
	expect "$1 is said" "$(grep -c "^cmtime: cannot write $2" "$OUT/loop.err")" = 1 "$OUT/loop.err"
}

for format in text classic json csv; do
	cmtime --loopback -c 50 --format "$format" >/dev/full 2>"$OUT/loop.err"
	status=$?
	lost "$format on a full disk" 'the report to standard output: ENOSPC'
	cmtime --loopback -c 50 --format "$format" >&- 2>"$OUT/loop.err"
	status=$?
	lost "$format on a closed standard output" 'the report to standard output: EBADF'
	: >"$OUT/status"
	{ cmtime --loopback -c 50 --format "$format" 2>"$OUT/loop.err"; echo $? >"$OUT/status"; } | true
	status=$(cat "$OUT/status")
	lost "$format on a pipe that nobody reads" 'the report to standard output: EPIPE'
done
cmtime --loopback -c 50 -o "$OUT/kept.txt" --samples /dev/full 2>"$OUT/loop.err"
status=$?
lost "samples on a full disk" 'the samples /dev/full: ENOSPC'
expect "the report of the run is there" "$(grep -c '^50 of 50 connected' "$OUT/kept.txt")" = 1
mkdir small && mount -t tmpfs -o size=64k tmpfs small
echo before >small/out
cmtime --loopback -c 5000 --json -o small/out --samples small/samples 2>"$OUT/loop.err"
status=$?
lost "samples that outgrow a disk" 'the samples small/samples: ENOSPC'
expect "they leave no file, and room for the report" \
	"$(find small -type f | wc -l)$(grep -c '"connected":5000' small/out)" = 11
umount small
cmtime --loopback -c 50 -o no/such/file 2>"$OUT/loop.err"
status=$?
lost "a folder that is not there" 'no/such/file: ENOENT'

# ---- the old file, until there is a new one ----

echo before >"$OUT/old.txt"
cmtime -s "$VM_ADDR" -c 10 -o "$OUT/old.txt" 2>"$OUT/loop.err"
expect "a run without a server ends with 3" $? = 3 "$OUT/loop.err"
if [ "$(cat "$OUT/old.txt")" = before ]; then
	pass "and leaves the old file"
else
	fail "and leaves the old file"
fi
expect "no draft is left" "$(find "$OUT" -name '*.??????' -type f | wc -l)" = 0
verdict

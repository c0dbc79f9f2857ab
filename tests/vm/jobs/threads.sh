# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# threads.sh - real concurrency: 10,000 connections with 1, 2 and 4 reapers, no request sent twice.
#
# machine: --cpus 2 --timeout 900
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

before=$(held)
for threads in 1 2 4; do
	cmtime --loopback -c 10000 -n "$threads" >"$OUT/$threads.txt"
	expect "-n $threads ends with 0" $? = 0 "$OUT/$threads.txt"
	all_connected "-n $threads: 10000 of 10000 connected" "$OUT/$threads.txt" 10000
	expect "-n $threads: no REQ is retried" "$(retried "$OUT/$threads.txt" REQ)" = 0
	expect "-n $threads: no DREQ is retried" "$(retried "$OUT/$threads.txt" DREQ)" = 0
	grep '^connect' "$OUT/$threads.txt" | sed 's/^/# /'
done
if [ "$(held)" = "$before" ]; then
	pass "the kernel holds what it held before"
else
	fail "the kernel holds what it held before" "$before / $(held)"
fi
verdict

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# scale.sh - 10,000 connections cost no more each than 1,000, and less than Debian's cmtime (cmtime-debian) takes for
# them in the same boot. For the machine whose clock counts instructions.
#
# machine: --cpus 1 --timeout 600
# files: cmtime cmtime-debian

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

before=$(held)
for n in 1000 10000; do
	start_server --one-off || fail "server for $n"
	cmtime -s "$VM_ADDR" -c "$n" >"$OUT/$n.txt"
	expect "client of $n ends with 0" $? = 0 "$OUT/$n.txt"
	wait "$server"
	expect "server of $n ends with 0" $? = 0 "$OUT/server.txt"
	all_connected "$n of $n connected" "$OUT/$n.txt" "$n"
	expect "no REQ of $n is retried" "$(retried "$OUT/$n.txt" REQ)" = 0
	expect "no DREQ of $n is retried" "$(retried "$OUT/$n.txt" DREQ)" = 0
done
ours=$(figure "$OUT/10000.txt" connect 4)
expect "connect at 10,000 takes at most 1.1 times that at 1,000" \
	"$(awk -v a="$ours" -v b="$(figure "$OUT/1000.txt" connect 4)" 'BEGIN { print a / b }')" '<=' 1.1
if [ "$(held)" = "$before" ]; then
	pass "the kernel holds what it held before"
else
	fail "the kernel holds what it held before" "$before / $(held)"
fi

cmtime-debian >/dev/null &
theirs=$!
sleep 0.5
cmtime-debian -s "$VM_ADDR" -c 10000 >"$OUT/debian.txt"
kill "$theirs"
expect "connect at 10,000 is faster than Debian's cmtime" "$ours" '<' \
	"$(awk '/^connect  *:/ { print $NF }' "$OUT/debian.txt")" "$OUT/debian.txt"
cat "$OUT/10000.txt" "$OUT/debian.txt" | sed 's/^/# /'
verdict

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# interop.sh - without a control channel, against Debian's cmtime (cmtime-debian): our client and its server, its client
# and our server, 1,000 connections each.
#
# machine: --cpus 1 --timeout 300
# files: cmtime cmtime-debian

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

cmtime-debian >/dev/null &
theirs=$!
sleep 0.5
cmtime -s "$VM_ADDR" --no-control -c 1000 >"$OUT/client.txt"
expect "our client ends with 0" $? = 0 "$OUT/client.txt"
all_connected "our client, their server: 1000 of 1000" "$OUT/client.txt" 1000
kill "$theirs"

start_server --no-control --one-off -p 7472 -c 1000 || fail "our server starts"
cmtime-debian -s "$VM_ADDR" -p 7472 -c 1000 >"$OUT/debian.txt" 2>&1
expect "their client ends with 0" $? = 0 "$OUT/debian.txt"
wait "$server"
expect "our server ends with 0" $? = 0 "$OUT/server.txt"
expect "their client, our server: 1000 established" "$(figure "$OUT/server.txt" 'server establish' 1)" = 1000
expect "their client, our server: 1000 disconnected" "$(figure "$OUT/server.txt" 'server disconnect' 1)" = 1000
verdict

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pair.sh - two machines on a wire: 1,000 connections from host 2 to host 1.
#
# machine: --pair --timeout 300
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

if [ "$VM_HOST" = 1 ]; then
	start_server --one-off || exit 1
	wait "$server"
	expect "server on a wire ends with 0" $? = 0 "$OUT/server.txt"
	verdict
fi
tries=0
until cmtime -s "$VM_PEER" -c 1000 >"$OUT/client.txt" 2>"$OUT/client.err"; do
	tries=$((tries + 1))
	if [ "$tries" -ge 50 ] || ! grep -q 'Connection refused' "$OUT/client.err"; then
		break
	fi
	sleep 0.2
done
all_connected "1000 of 1000 connected over a wire" "$OUT/client.txt" 1000
expect "no REQ is retried" "$(retried "$OUT/client.txt" REQ)" = 0
verdict

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# demo-job.sh - a server and a client with N connections, with a window and then without, by the cmtime on the PATH.
# Reports go to $OUT/window.txt and $OUT/flood.txt, every sample to window.csv and flood.csv there. Run by scripts/demo, in a machine of tests/vm or on a host with a
# device at ADDR.

ADDR=${ADDR:-$VM_ADDR}

# pair NAME OPTION...
pair() {
	name=$1
	shift
	: >"$OUT/server.err"
	cmtime --one-off -v -b "$ADDR" >"$OUT/server.txt" 2>"$OUT/server.err" &
	server=$!
	until grep -q 'serving on port' "$OUT/server.err"; do
		kill -0 "$server" || exit 1
		sleep 0.1
	done
	cmtime -s "$ADDR" -c "$N" --samples "$OUT/$name.csv" "$@" >"$OUT/$name.txt"
	status=$?
	wait "$server"
}

pair window
[ "$status" -eq 0 ] || exit "$status"
pair flood --reap deferred --window unlimited
# Whether the flood gets through is its own affair: its report says.
[ -s "$OUT/flood.txt" ]

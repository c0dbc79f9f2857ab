# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# defaults.sh - where the defaults of --window and --threads come from: connect in us/conn, the median of ROUNDS (5) runs
# of N (1000) connections, for each of WINDOWS with one reaper, then for each of THREADS with WINDOW. On two processors,
# and between two machines whose wire takes 1 ms each way:
#
#	tests/vm/run --cpus 2 --timeout 0 tests/vm/jobs/defaults.sh tests/vm/jobs/expect.sh ./cmtime
#	tests/vm/run --pair --netem 'delay 1ms' --timeout 0 tests/vm/jobs/defaults.sh tests/vm/jobs/expect.sh ./cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

N=${N:-1000} ROUNDS=${ROUNDS:-5} WINDOW=${WINDOW:-32}
WINDOWS=${WINDOWS:-1 2 4 8 16 32 64 128 256}
THREADS=${THREADS:-1 2 4 8}

# shellcheck disable=SC2119 # no options here
if [ "$VM_HOST" = 1 ]; then
	start_server || exit 1
fi
meet listening
if [ "$VM_HOST" = 2 ] || [ "$VM_PEER" = "$VM_ADDR" ]; then
	# Rounds go round all settings, so that a slow moment hits them all.
	round=0
	while [ $((round += 1)) -le "$ROUNDS" ]; do
		for window in $WINDOWS; do
			cmtime -s "$VM_PEER" -c "$N" -w "$window" -n 1 >"$OUT/run.txt" || exit 1
			echo "window $window $(figure "$OUT/run.txt" connect 4)" >>"$OUT/figures"
		done
		for threads in $THREADS; do
			cmtime -s "$VM_PEER" -c "$N" -w "$WINDOW" -n "$threads" >"$OUT/run.txt" || exit 1
			echo "threads $threads $(figure "$OUT/run.txt" connect 4)" >>"$OUT/figures"
		done
	done
	sort -k1,1r -k2,2n -k3,3n "$OUT/figures" | awk '
		{ key = $1 " " $2 }
		key != last && n { print last ": " v[int((n + 1) / 2)] " us/conn (" v[1] " to " v[n] ")"; n = 0 }
		{ last = key; v[++n] = $3 }
		END { print last ": " v[int((n + 1) / 2)] " us/conn (" v[1] " to " v[n] ")" }'
fi
meet finished
[ "$VM_HOST" != 1 ] || kill "$server"

# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# retries.sh - a client without a window, whose answers nobody reads until all is sent, floods the server: its report
# counts the REQ retries that caused, and puts the slow connects into the bands that their retries make.
#
# machine: --cpus 1 --timeout 600
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

N=3000

# counter KEY: of the JSON's row of connect.
counter() {
	grep -o '"device":"[^"]*","port":1,"step":"connect"[^}]*' "$OUT/flooded.json" | grep -o "\"$1\":[0-9]*" | sed 's/.*://'
}

# bands: "RETRIES COUNT" of connect, a line each, as the JSON has them.
bands() {
	grep -o '"step":"connect","side":"client","message":"req","retries":[0-9]*,[^}]*' "$OUT/flooded.json" |
		sed 's/.*"retries":\([0-9]*\),.*"count":\([0-9]*\).*/\1 \2/'
}

cmtime --loopback -b "$VM_ADDR" -c "$N" --reap deferred --window unlimited --json -o "$OUT/flooded.json" \
	--samples "$OUT/flooded.csv"
expect "the flooded run ends with 0" $? = 0
retries=$(counter req_retries)
expect "the flood makes REQs be sent again" "$retries" '>' "$((N / 4))"

# The samples say the same: column by name, 6.144 s a retry.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$2 == "client" && $at["connect_ns"] != "" { n[int($at["connect_ns"] / 6144000000)]++ }
	END { for (i = 0; i < 16; i++) if (n[i]) print i, n[i] }' "$OUT/flooded.csv" >"$OUT/bands.samples"
bands >"$OUT/bands.json"
if cmp -s "$OUT/bands.samples" "$OUT/bands.json" && [ "$(wc -l <"$OUT/bands.json")" -gt 2 ]; then
	pass "connects are in the bands of their samples"
else
	fail "connects are in the bands of their samples" "$(cat "$OUT/bands.samples") / $(cat "$OUT/bands.json")"
fi
# A REQ is given up by its answer alone, so every retry that the port has counted belongs to one of these waits.
expect "the bands account for the port's retries, within 1 %" \
	"$(awk -v r="$retries" '{ n += $1 * $2 } END { d = n / r - 1; print d < 0 ? -d : d }' "$OUT/bands.json")" '<=' 0.01
awk '{ printf "# %d connects with %d retries\n", $2, $1 }' "$OUT/bands.json"
echo "# $retries REQs sent again, by the port's counter"

cmtime --loopback -b "$VM_ADDR" -c "$N" >"$OUT/windowed.txt"
all_connected "windowed, all connect" "$OUT/windowed.txt" "$N"
if grep -q 'retries take' "$OUT/windowed.txt"; then
	fail "windowed, nobody waited for a retry"
else
	pass "windowed, nobody waited for a retry"
fi
verdict

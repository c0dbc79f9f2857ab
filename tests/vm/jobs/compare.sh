# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# compare.sh - `cmtime compare` on real runs: five of a program with N connections against five of the same one are no
# different in any step, and without the window FLOOD connections are slower, by the ratio of the two medians.
#
# FLOOD=10000 is the long form, for `make check-long`.
#
# machine: --cpus 1 --timeout 900
# files: cmtime

# shellcheck source=tests/vm/jobs/expect.sh
. ./expect.sh

N=${N:-500} FLOOD=${FLOOD:-2000}

# run FILE OPTION...: one more result in it.
run() {
	file=$1
	shift
	cmtime --loopback -b "$VM_ADDR" --json "$@" >>"$file" || fail "a run for $file"
}

# median FILE N: of connect's total over the file's N results, in ns; by its own means.
median() {
	grep -o '"step":"connect","side":"client","count":[0-9]*,"failed":0,"total_ns":[0-9]*' "$1" | sed 's/.*://' | sort -n |
		awk -v n="$2" 'NR == int((n + 1) / 2) || NR == int((n + 2) / 2) { sum += $1; k++ } END { printf "%.0f", sum / k }'
}

# In turn, so that whatever drifts, drifts in both; what a boot's first run finds cold is nobody's.
run "$OUT/cold.json" -c "$N"
for _ in 1 2 3 4 5; do
	run "$OUT/a.json" -c "$N"
	run "$OUT/b.json" -c "$N"
done
cmtime compare "$OUT/a.json" "$OUT/b.json" >"$OUT/same.txt"
expect "comparing a program with itself ends with 0" $? = 0 "$OUT/same.txt"
if grep -qE ' (slower|faster)$' "$OUT/same.txt" || ! grep -q '^connect .* no difference' "$OUT/same.txt"; then
	fail "a program is no different from itself"
	sed 's/^/# /' "$OUT/same.txt"
else
	pass "a program is no different from itself"
fi

for _ in 1 2 3 4; do
	run "$OUT/window.json" -c "$FLOOD" --window 64
	run "$OUT/flood.json" -c "$FLOOD" --window unlimited
done
cmtime compare "$OUT/window.json" "$OUT/flood.json" >"$OUT/slower.txt"
row=$(grep '^connect  *us/conn' "$OUT/slower.txt")
echo "# $FLOOD connections, window 64 against none: $row"
case $row in
*slower) pass "without a window, connect is slower" ;;
*) fail "without a window, connect is slower" "$row" ;;
esac
ratio=$(cmtime compare --json "$OUT/window.json" "$OUT/flood.json" | tr -d ' \n' |
	grep -o '"step":"connect","side":"client","measure":"us",[^]]*' | grep -o '"ratio":[0-9.]*' | sed 's/.*://')
expect "its ratio is that of the medians, to a thousandth" \
	"$(awk -v r="$ratio" -v a="$(median "$OUT/flood.json" 4)" -v b="$(median "$OUT/window.json" 4)" \
		'BEGIN { d = r / (a / b) - 1; print d < 0 ? -d : d }')" '<=' 0.001
if grep -qE '^connect  *p(50|99) .* (slower|faster)$' "$OUT/slower.txt"; then
	fail "between windows there is no verdict on percentiles"
else
	pass "between windows there is no verdict on percentiles"
fi
cmtime compare "$OUT/window.json" "$OUT/flood.json" --fail-above connect.us=1.5 >"$OUT/limit.txt" 2>&1
expect "a limit on the ratio is broken" $? = 1 "$OUT/limit.txt"
verdict

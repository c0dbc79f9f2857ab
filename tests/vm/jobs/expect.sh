# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# expect.sh - what the jobs that test cmtime share: a test is a line "ok - name" or "not ok - name" on stdout, and a
# job that printed a "not ok" ends with status 1. Sourced by a job, which ends with `verdict`.

failures=0
server='' # set by start_server

# pass NAME; fail NAME [WHY...]
pass() {
	echo "ok - $1"
}

fail() {
	failures=$((failures + 1))
	echo "not ok - $1"
	shift
	[ $# -eq 0 ] || echo "# $*"
}

verdict() {
	[ "$failures" -eq 0 ]
	exit
}

# expect NAME LEFT OPERATOR RIGHT [FILE]: compares two numbers (= < <= > >=); on failure shows FILE.
expect() {
	operator=$3
	[ "$operator" != = ] || operator="=="
	if [ -n "$2" ] && [ -n "$4" ] && awk -v a="$2" -v b="$4" "BEGIN { exit !(a + 0 $operator b + 0) }"; then
		pass "$1"
	else
		fail "$1" "got '$2', wanted $3 '$4'"
		[ $# -lt 5 ] || sed 's/^/# /' "$5"
	fi
}

# figure FILE LABEL COLUMN: of a text report: 1 count, 2 failed, 3 total ms, 4 us/conn.
figure() {
	awk -v label="$2" -v column="$3" '
		index($0, label " ") == 1 { split(substr($0, length(label) + 1), f, " "); print f[column]; exit }' "$1"
}

# retried FILE MESSAGE: how many of the port's REQ, DREQ, ... were sent again; empty without such a line.
retried() {
	sed -n "s/^CM messages.* [0-9]* $2, \\([0-9]*\\) retried.*/\\1/p" "$1"
}

# What the kernel holds for RDMA: to be the same after a run as before.
held() {
	rdma resource show "$VM_DEV" | sed 's/ pid [0-9]*//'
}

# all_connected NAME FILE N: N of N, none failed in any step, on both sides.
all_connected() {
	if grep -q "^$3 of $3 connected" "$2" && ! grep -q ' failed in ' "$2" &&
		[ "$(figure "$2" connect 1)" = "$3" ] && [ "$(figure "$2" 'destroy id' 1)" = "$3" ]; then
		pass "$1"
	else
		fail "$1"
		sed 's/^/# /' "$2"
	fi
}

# start_server [OPTION...]: in the background; sets $server; returns once it listens on TCP port 7471, or says it does.
start_server() {
	: >"$OUT/server.err"
	cmtime -v "$@" >"$OUT/server.txt" 2>"$OUT/server.err" &
	server=$!
	tries=0
	while ! grep -q 'serving on port' "$OUT/server.err"; do
		tries=$((tries + 1))
		if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
			sed 's/^/# /' "$OUT/server.err"
			return 1
		fi
		sleep 0.1
	done
}

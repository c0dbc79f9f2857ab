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

# ---- of --samples with --kernel-trace ----

# samples_column FILE SIDE COLUMN: a column's values on that side, a line each; empty ones are left out.
samples_column() {
	awk -F, -v side="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		$2 == side && $at != "" { print $at }' "$1"
}

samples_count() {
	samples_column "$@" | wc -l
}

samples_median() {
	samples_column "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# parts_of SIDE: the parts of a connection's set-up there.
parts_of() {
	if [ "$1" = client ]; then
		echo call network queue return
	else
		echo backlog accept peer notice
	fi
}

# samples_whole FILE SIDE: connections that have all of that side's parts.
samples_whole() {
	awk -F, -v side="$2" -v parts="$(parts_of "$2")" '
		NR == 1 {
			n = split(parts, part, " ")
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		$2 == side {
			whole = 1
			for (p = 1; p <= n; p++)
				if ($at["kernel_" part[p] "_ns"] !~ /^[0-9]+$/)
					whole = 0
			count += whole
		}
		END { print count + 0 }' "$1"
}

# samples_add_up FILE: connections of the client whose parts add up to their connect.
samples_add_up() {
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$2 == "client" && $at["connect_ns"] != "" && $at["connect_ns"] == $at["kernel_call_ns"] + \
			$at["kernel_network_ns"] + $at["kernel_queue_ns"] + $at["kernel_return_ns"] { count++ }
		END { print count + 0 }' "$1"
}

# moves NAME PLAIN DELAYED MS WITHIN_MS PART...: from one file of samples to the other the medians of these parts grow by
# MS, and all others stay, give or take WITHIN_MS.
moves() {
	what=$1 plain=$2 delayed=$3 ms=$4 within=$5
	shift 5
	for side in client server; do
		for part in $(parts_of "$side"); do
			a=$(samples_median "$plain" "$side" "kernel_${part}_ns")
			b=$(samples_median "$delayed" "$side" "kernel_${part}_ns")
			by=0
			case " $* " in
			*" $part "*) by=$ms ;;
			esac
			off=$(awk -v a="$a" -v b="$b" -v by="$by" \
				'BEGIN { d = (b - a) / 1e6 - by; print a != "" && b != "" ? (d < 0 ? -d : d) : 1e9 }')
			expect "$what: $side's $part moves by $by ms ($a to $b ns)" "$off" '<=' "$within"
		done
	done
}

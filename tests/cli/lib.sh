# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# lib.sh - sourced by tests/cli/*.test.sh: runs cmtime, and counts what went wrong.
#
# Needs neither RDMA nor a network. Environment: srcdir, the source tree (.); CMTIME, the program
# (./cmtime).

srcdir=${srcdir:-.}
cmtime=${CMTIME:-./cmtime}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
checks=0 failures=0
args='' out=$tmp/out err='' status=''
: >"$out"

# Runs cmtime with those arguments: $status, the file $out, the words $err. A hang is status 124.
run()
{
	args="$*"
	err=$(timeout 10 "$cmtime" "$@" 2>&1 >"$out" </dev/null)
	status=$?
}

# check WORDS COMMAND...: what the words say is so if the command is true.
check()
{
	checks=$((checks + 1))
	words=$1
	shift
	"$@" && return
	failures=$((failures + 1))
	printf 'FAIL: %s\n' "$words"
	sed 's/^/	stdout: /' "$out"
	printf '%s\n' "$err" | sed 's/^/	stderr: /'
}

skip()
{
	printf 'SKIP: %s\n' "$*"
}

# The words, literally, in what the last run wrote to stderr.
says()
{
	case $err in
	*"$1"*) return 0 ;;
	*) return 1 ;;
	esac
}

# In what the last run wrote to stderr.
is_one_line()
{
	[ -n "$err" ] && ! says '
'
}

is_empty()
{
	! [ -s "$1" ]
}

# expect STATUS WORD...: the last run ended so, with these words on stderr and nothing on stdout.
expect()
{
	check "'cmtime $args' exits $1, not $status" [ "$status" = "$1" ]
	check "'cmtime $args' prints nothing on stdout" is_empty "$out"
	shift
	for word; do
		check "'cmtime $args' names '$word'" says "$word"
	done
}

# What --help lists, a line an option: its name, and its letter where it has one.
help_options()
{
	sed -n -e 's/^  -\([^ ,]\), \(--[a-z0-9-]*\).*/\2 -\1/p;t' -e 's/^ *\(--[a-z0-9-]*\).*/\1/p' "$1"
}

# The names of those that take a value.
help_values()
{
	sed -n -e 's/^  -[^ ,], \(--[a-z0-9-]*\) [^ ].*/\1/p;t' -e 's/^ *\(--[a-z0-9-]*\) [^ ].*/\1/p' "$1"
}

finish()
{
	if [ "$failures" -gt 0 ]; then
		printf '%d of %d checks failed\n' "$failures" "$checks"
		exit 1
	fi
	printf 'all of %d checks hold\n' "$checks"
	exit 0
}

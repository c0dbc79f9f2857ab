#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# test_layers.sh - which room of src/ uses which, held against the table in HACKING.md; what may be called only in
# some rooms, and what nowhere. Comments don't count.
#
# Each rule is then broken in a copy of the tree, and must find that: one that finds nothing would always hold.

srcdir=${srcdir:-.}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

# Files that own a thread or a lock.
owners='main.c cm/channel.c cm/channel.h cm/device.c cm/device.h cm/reaper.c cm/reaper.h control/control.c
	run/acceptors.c run/acceptors.h run/conversation.c run/server.c run/server.h'

# "ROOM USED" for every pair that the table allows; top is what stands beside the rooms.
allowed()
{
	awk -F'|' '
	/^\| (core|host|cm|control|run|out)\/ \|/ {
		room = $2
		gsub(/[ \/]/, "", room)
		above[++n] = room
		print room, room
		print "top", room
		words = split($(NF - 1), word, /[^a-z]+/)
		for (i = 1; i <= words; i++)
			for (r = 1; r <= n; r++)
				if (word[i] == above[r] && word[i] != room)
					print room, above[r]
		if ($(NF - 1) ~ /all above/)
			for (r = 1; r < n; r++)
				print room, above[r]
	}' "$srcdir/HACKING.md"
}

# The code of a tree, without comments and strings, as "FILE:LINE: TEXT"; paths of includes stay.
# shellcheck disable=SC2016 # awk's own
code()
{
	find "$1" -name '*.[ch]' | sort | xargs awk -v tree="$1/" '
	FNR == 1 {
		inside = 0
		name = substr(FILENAME, length(tree) + 1)
		if ($0 !~ /SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause/)
			print name ":1: @no-licence"
	}
	{
		text = ""
		rest = $0
		if (rest !~ /#include/)
			gsub(/"([^"\\]|\\.)*"/, "\"\"", rest)
		while (rest != "") {
			if (inside) {
				end = index(rest, "*/")
				rest = end ? substr(rest, end + 2) : ""
				inside = !end
				continue
			}
			begin = index(rest, "/*")
			text = text (begin ? substr(rest, 1, begin - 1) : rest)
			rest = begin ? substr(rest, begin + 2) : ""
			inside = begin > 0
		}
		sub(/\/\/.*/, "", text)
		print name ":" FNR ": " text
	}'
}

# "FILE:LINE: what is wrong" for whatever breaks a rule in a tree.
faults()
{
	code "$1" | awk -v owners="$owners" -v table="$tmp/allowed" '
	BEGIN {
		while ((getline line < table) > 0)
			may[line] = 1
		n = split(owners, owner, /[ \n\t]+/)
		for (i = 1; i <= n; i++)
			owns[owner[i]] = 1
	}
	{
		file = $1
		sub(/:.*/, "", file)
		room = file ~ /\// ? substr(file, 1, index(file, "/") - 1) : "top"
		text = substr($0, length($1) + 2)
	}
	text ~ /#include "[a-z]+\// {
		used = text
		sub(/.*#include "/, "", used)
		sub(/\/.*/, "", used)
		if (!((room " " used) in may))
			print $1, room " may not use " used
	}
	text ~ /@no-licence/ { print $1, "no licence in the first line" }
	text ~ /#include "options.h"/ && room != "top" { print $1, room " may not use options" }
	room != "cm" && (text ~ /(^|[^a-z_])(rdma|ibv)_[a-z_]+ *\(/ || text ~ /#include <(rdma|infiniband)\//) {
		print $1, "RDMA outside cm"
	}
	text ~ /pthread_/ && !(file in owns) { print $1, "threads or locks in a file that owns none" }
	file != "main.c" && text ~ /(^|[^a-z])(exit|abort) *\(/ { print $1, "only main ends the program" }
	text ~ /(^|[^a-z_])(volatile|sched_yield|pthread_cancel|usleep|atoi|v?sprintf|strcpy|strcat)([^a-z_]|$)/ {
		print $1, "a word that is not used here"
	}'
}

allowed >"$tmp/allowed"
failures=0
fail()
{
	echo "FAIL: $*"
	failures=$((failures + 1))
}

grep -q '^run control$' "$tmp/allowed" || fail 'HACKING.md has no table of rooms any more'
grep -q '^core host$' "$tmp/allowed" && fail "HACKING.md's table lets core use host"
faults "$srcdir/src" >"$tmp/faults"
[ -s "$tmp/faults" ] && fail "$(cat "$tmp/faults")"

# with FILE LINE: what the rules say of a tree with that line.
with()
{
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/$(dirname "$1")"
	printf '%s\n' '/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */' "$2" >"$tmp/tree/$1"
	faults "$tmp/tree" >"$tmp/faults"
}

breaks()
{
	with "$@"
	[ -s "$tmp/faults" ] || fail "nothing said of '$2' in $1"
}

bears()
{
	with "$@"
	[ -s "$tmp/faults" ] && fail "'$2' in $1: $(cat "$tmp/faults")"
}

breaks core/step.c '#include "host/clock.h"'
breaks out/text.c '#include "cm/conn.h"'
breaks out/text.c '#include "host/log.h"'
breaks control/wire.c '#include "run/server.h"'
breaks cm/conn.c '#include "run/engine.h"'
breaks run/client.c '#include "options.h"'
breaks run/client.c '#include <rdma/rdma_cma.h>'
breaks run/client.c '	rdma_destroy_id(id);'
breaks control/wire.c '	if (ibv_query_port (context, 1, &port))'
breaks run/gate.c '	pthread_mutex_lock(&gate->lock);'
breaks run/engine.c '	exit(1);'
breaks run/engine.c '		_exit(1);'
breaks host/log.c 'static volatile int stopped;'
breaks host/wait.c '	usleep(10);'
breaks core/number.c '	return atoi(text);'
breaks core/number.c '	sprintf(text, "%d", n);'
breaks core/number.c '	strcpy(to, from);'
bears run/engine.c '	snprintf(text, size, "%d", n); /* not sprintf(): rdma_connect(3), exit(3) */'
bears run/engine.c '#include "cm/conn.h"'
bears main.c '	exit(status);'
bears run/engine.c '	log_error("exit(1), volatile: %s", "rdma_connect()");'
bears cm/calls.c '	rdma_destroy_id(id);'

[ "$failures" -eq 0 ] || exit 1
echo 'every room keeps to its place'

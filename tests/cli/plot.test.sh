#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# plot.test.sh - cmtime plot: what it refuses, what it leaves behind (nothing), and pictures of every kind.

. "${srcdir:-.}/tests/cli/lib.sh"

page=$srcdir/man/cmtime.1
completion=$srcdir/completion/cmtime
result=$srcdir/tests/data/result.json
here=$tmp/here # pictures go here, and nothing else may
mkdir "$here" "$tmp/bin" "$tmp/none"

# samples N LATENCY-OF-CONNECT: two rounds, both sides; the third connection fails.
samples()
{
	awk -v n="$1" "BEGIN {
		print \"connection,side,source,destination,outcome,attempts,create_id_begin_ns,create_id_ns,accept_begin_ns,accept_ns,connect_begin_ns,connect_ns,round\"
		for (round = 1; round <= 2; round++)
			for (i = 0; i < n; i++) {
				at = \"10.0.0.1:\" i \",10.0.0.2:7471\"
				failed = i == 2 ? \"connect:REJECTED:28\" : \"ok\"
				print i \",client,\" at \",\" failed \",1,\" i * 17000 \",15000,,,\" 1000000000 + i * 100000 \",\" (i == 2 ? \"\" : $2) \",\" round
				print i \",server,\" at \",ok,0,,,\" 1000000000 + i * 100000 \",90000,,,\" round
			}
	}"
}
samples 2000 '1000000 + i * 500000' >"$tmp/flooded.csv"
samples 2000 '1000000 + i % 7 * 100000' >"$tmp/windowed.csv"

# The last run drew nothing, and left nothing.
left_nothing()
{
	check "'cmtime $args' leaves nothing behind" [ -z "$(ls "$here")" ]
}

# ---- help, the manual page and the completion ----

for option in --help -h; do
	run plot "$option"
	check "'cmtime plot $option' exits 0, not $status" [ "$status" = 0 ]
	check "'cmtime plot $option' prints nothing on stderr" [ -z "$err" ]
done
cp "$out" "$tmp/help"
help_options "$tmp/help" | sort >"$tmp/help.options"
sed -n '/^\.Sh PLOT/,/^\.Sh /{/^\.It Fl -/p;}' "$page" | awk '{
	line = ""
	for (i = 2; i < NF; i++)
		if ($i == "Fl")
			line = line (line ? " " : "") "-" $(i + 1)
	print line
}' | sort >"$tmp/page.options"
sed -n "/^[[:space:]]*local plot_options='/,/'\$/{s/^[[:space:]]*//;s/'\$//;/^--/p;}" "$completion" |
	sort >"$tmp/completion.options"
check '--help lists options' [ "$(wc -l <"$tmp/help.options")" -ge 7 ]
check '--help (-) and the manual page (+) have the same options' \
	diff -u "$tmp/help.options" "$tmp/page.options"
check '--help (-) and the completion (+) have the same options' \
	diff -u "$tmp/help.options" "$tmp/completion.options"
run --help
check "'cmtime --help' names plot" grep -q 'cmtime plot RUN' "$out"

# ---- the command line ----

run plot
expect 2 'no RUN'
run plot -o "$here/a.png"
expect 2 'no RUN'
run plot "$tmp/flooded.csv"
expect 2 --output
for name in a a.jpg .png png a.png.gz ''; do
	run plot "$tmp/flooded.csv" -o "$name"
	expect 2 --output .png
done
for arguments in '--kind pie' '--side both' '--step sleep' '--step accept' '--side server --step connect' \
	'--kind steps --step connect' '--kind distribution --log' '--kind' '-o' '--log=5' '--out a.png' '--no-such' '-x'; do
	# shellcheck disable=SC2086 # words
	run plot "$tmp/flooded.csv" -o "$here/a.png" $arguments
	expect 2
	left_nothing
done
run plot "$result" -o "$here/a.png" --kind time
expect 2 samples "$result"
run plot "$tmp/flooded.csv" "$result" -o "$here/a.png" --kind distribution
expect 2 samples "$result"
run plot 1 2 3 4 5 6 7 8 9 -o "$here/a.png"
expect 2 8

# ---- files that are none ----

run plot "$tmp/missing.csv" -o "$here/a.png"
expect 3 "$tmp/missing.csv" ENOENT
run plot "$tmp" -o "$here/a.png"
expect 3 "$tmp"
: >"$tmp/empty"
run plot "$tmp/empty" -o "$here/a.png"
expect 3 "$tmp/empty"
echo '0,client' >"$tmp/broken.csv"
run plot "$tmp/broken.csv" -o "$here/a.png"
expect 3 "$tmp/broken.csv"
sed '5s/,client,/,klient,/' "$tmp/flooded.csv" | sed '5s/,server,/,servant,/' >"$tmp/broken.csv"
run plot "$tmp/broken.csv" -o "$here/a.png"
expect 3 "$tmp/broken.csv:5" side
echo '{' >"$tmp/broken.json"
run plot "$tmp/broken.json" -o "$here/a.png"
expect 3 "$tmp/broken.json"
run plot "$tmp/flooded.csv" -o "$here/a.png" --step resolve_addr
expect 3 "$tmp/flooded.csv" resolve_addr
left_nothing

# ---- a gnuplot that isn't there, fails, or is cut short ----

# with_path FOLDER ARGUMENT...
with_path()
{
	path=$1
	shift
	args="$*"
	err=$(timeout 10 env PATH="$path" "$cmtime" "$@" 2>&1 >"$out" </dev/null)
	status=$?
}

# A program in gnuplot's place.
stand_in()
{
	printf '#!/bin/sh\n%s\n' "$1" >"$tmp/bin/gnuplot"
	chmod +x "$tmp/bin/gnuplot"
	with_path "$tmp/bin:$PATH" plot "$tmp/flooded.csv" -o "$here/a.png"
}

with_path "$tmp/none" plot "$tmp/flooded.csv" -o "$here/a.png"
expect 3 'gnuplot is missing' gnuplot-nox
left_nothing
stand_in 'echo half a picture; echo "it hurts" >&2; exit 7'
expect 3 'it hurts' 'status 7'
left_nothing
stand_in 'echo half a picture; kill -KILL $$'
expect 3 'signal 9'
left_nothing
# shellcheck disable=SC2016 # the stand-in's own
stand_in 'echo half a picture; kill -TERM $PPID; sleep 0.2; exit 0'
check "'cmtime $args' ends by a signal, not with $status" [ "$status" = 143 ]
check 'a picture that was whole when the signal came is there' [ "$(cat "$here/a.png")" = 'half a picture' ]
rm "$here/a.png"
# shellcheck disable=SC2016 # the stand-in's own
stand_in 'echo half a picture; kill -TERM $PPID; sleep 0.2; exit 1'
check "'cmtime $args' ends by a signal, not with $status" [ "$status" = 143 ]
left_nothing
stand_in 'head -c 1 >/dev/null; while :; do echo a picture; done | head -c 100000'
expect 0
check 'its output is in the file, all of it' [ "$(wc -c <"$here/a.png")" = 100000 ]
printf old >"$here/a.png"
args='plot, with no room for the picture'
err=$(ulimit -f 20 && PATH=$tmp/bin:$PATH timeout 10 "$cmtime" plot "$tmp/flooded.csv" -o "$here/a.png" 2>&1 >"$out")
status=$?
expect 3 write
check 'what was there before is still there' [ "$(cat "$here/a.png")" = old ]
check 'and nothing else' [ "$(ls "$here")" = a.png ]
rm "$here/a.png"
if [ -c /dev/full ]; then
	ln -s /dev/full "$tmp/full.png"
	with_path "$tmp/bin:$PATH" plot "$tmp/flooded.csv" -o "$tmp/full.png"
	expect 3 write ENOSPC
fi
with_path "$tmp/bin:$PATH" plot "$tmp/flooded.csv" -o "$here/no/a.png"
expect 3 "$here/no/a.png" ENOENT
mkdir "$tmp/folder.png"
with_path "$tmp/bin:$PATH" plot "$tmp/flooded.csv" -o "$tmp/folder.png"
expect 3 "$tmp/folder.png"
left_nothing

# ---- pictures ----

if ! command -v gnuplot >/dev/null; then
	skip 'drawing: gnuplot is not installed'
	finish
fi

# draws MAGIC FILE ARGUMENT...: FILE is drawn, begins so, and is alone.
draws()
{
	magic=$1
	file=$here/$2
	shift 2
	run plot "$@" -o "$file"
	expect 0
	check "'cmtime $args' says nothing" [ -z "$err" ]
	check "'cmtime $args' draws a picture" grep -aq "$magic" "$file"
	check "'cmtime $args' leaves one file" [ "$(ls "$here")" = "${file##*/}" ]
	[ "${file##*.}" = svg ] && cp "$file" "$tmp/svg"
	rm -f "$file"
}

for kind in time distribution steps; do
	draws PNG a.png "$tmp/flooded.csv" "$tmp/windowed.csv" --kind "$kind"
	draws '<svg' a.svg "$tmp/flooded.csv" "$tmp/windowed.csv" --kind "$kind"
	check "$kind: runs are named after their files" grep -q 'windowed' "$tmp/svg"
	draws '^%PDF' a.pdf "$tmp/flooded.csv" --kind "$kind" --side server
done
draws '<svg' a.svg "$tmp/flooded.csv"
check 'samples are drawn over time' grep -q 'since the first connect' "$tmp/svg"
check 'units are chosen by range' grep -q 'time in connect (ms)' "$tmp/svg"
check 'rounds lie over each other, failed connections are counted' \
	grep -q 'flooded: 3998, 2 failed, median 501 ms, longest 1.00 s' "$tmp/svg"
draws '<svg' a.svg "$result" "NEW=$result"
check 'results are drawn step by step' grep -q 'resolve addr' "$tmp/svg"
check 'a run is named by its label' grep -q '>NEW<' "$tmp/svg"
draws '<svg' a.svg "$result" "$tmp/flooded.csv" --log --side server
draws '<svg' a.svg "x_{1}'; exit % & <b>=$tmp/flooded.csv" --title "it's _1_" --log --step create_id
check 'a label is taken literally' grep -q "x_{1}'; exit % &amp; &lt;b>: 4000" "$tmp/svg"
check 'so is a title' grep -q "it's _1_" "$tmp/svg"
draws PNG a.png "$tmp/flooded.csv" 2="$tmp/windowed.csv" 3="$tmp/flooded.csv" 4="$tmp/windowed.csv" \
	5="$tmp/flooded.csv" 6="$tmp/windowed.csv" 7="$tmp/flooded.csv" 8="$tmp/windowed.csv"
args='plot - <FILE'
err=$(timeout 10 "$cmtime" plot - -o "$here/a.svg" 2>&1 <"$tmp/flooded.csv" >"$out")
status=$?
expect 0
args='plot - - <FILE'
err=$(timeout 10 "$cmtime" plot - - -o "$here/a.svg" 2>&1 <"$tmp/flooded.csv" >"$out")
status=$?
expect 3
sed '3,$d' "$tmp/flooded.csv" >"$tmp/one.csv"
draws '<svg' a.svg "$tmp/one.csv"
draws '<svg' a.svg "$tmp/one.csv" --kind distribution

finish

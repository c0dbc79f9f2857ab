#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# options.test.sh - --help, the manual page and the completion know the same options.
#
# The same names, the same letters, the same words where an option takes words, the same defaults.

. "${srcdir:-.}/tests/cli/lib.sh"

# Of the page, the section: other errands have sections, and tests, of their own.
page=$tmp/page
sed -n '/^\.Sh OPTIONS/,/^\.Sh STEPS/p' "$srcdir/man/cmtime.1" >"$page"
completion=$srcdir/completion/cmtime

# The same as help_options, of the page: its .It lines of options begin with the long name.
page_options()
{
	sed -n '/^\.It Fl -/p' "$page" | awk '{
		line = ""
		for (i = 2; i < NF; i++)
			if ($i == "Fl")
				line = line (line ? " " : "") "-" $(i + 1)
		print line
	}'
}

# And of the completion: its list has a line an option.
completion_options()
{
	sed -n "/^[[:space:]]*local options='/,/'\$/{s/^[[:space:]]*//;s/'\$//;/^--/p;}" "$completion"
}

# What it answers to "cmtime ARGS... WORD" with the cursor behind WORD, a line each.
answers()
{
	bash -c '. "$1" && shift && COMP_WORDS=(cmtime "$@") && COMP_CWORD=$# && _cmtime &&
		printf "%s\n" "${COMPREPLY[@]}"' complete "$completion" "$@"
}

# shellcheck disable=SC2317 # by check
same()
{
	diff -u "$1" "$2"
}

run --help
cp "$out" "$tmp/help"
help_options "$tmp/help" | sort >"$tmp/help.options"
check '--help lists options' [ "$(grep -c '^--' "$tmp/help.options")" -ge 20 ]

page_options | sort >"$tmp/page.options"
check '--help (-) and the manual page (+) have the same options' \
	same "$tmp/help.options" "$tmp/page.options"
completion_options | sort >"$tmp/completion.options"
check '--help (-) and the completion (+) have the same options' \
	same "$tmp/help.options" "$tmp/completion.options"

# An option that takes a value says so in both.
help_values "$tmp/help" | sort >"$tmp/help.values"
sed -n 's/^\.It Fl \(-[a-z0-9-]*\) [AC][rm].*/-\1/p' "$page" | sort >"$tmp/page.values"
check '--help (-) and the manual page (+) have the same options take values' \
	same "$tmp/help.values" "$tmp/page.values"

# A default that is a number stands at the end of its line in --help, and behind "Default:".
sed -n 's/^  ....\(--[a-z0-9-]*\) [^ ].*(\([0-9][0-9a-z]*\))$/\1 \2/p' "$tmp/help" |
	sort >"$tmp/help.defaults"
awk '/^\.(It Fl -|S[hs] )/ { name = $2 == "Fl" ? "-" $3 : "" }
	name && /^Default: [0-9]/ { sub(/[.;]$/, "", $2); print name, $2 }' "$page" |
	sort >"$tmp/page.defaults"
check 'there are defaults that are numbers' [ -s "$tmp/help.defaults" ]
check '--help (-) and the manual page (+) have the same defaults' \
	same "$tmp/help.defaults" "$tmp/page.defaults"

if command -v bash >"$tmp/found"; then
	tr ' ' '\n' <"$tmp/help.options" | sort >"$tmp/help.words"
	answers - | sort >"$tmp/completion.words"
	check 'bash completes - to the options of --help (-)' \
		same "$tmp/help.words" "$tmp/completion.words"
fi

# Where an option takes one of some words, its refusal of another names them.
while read -r option; do
	run "$option" no-such-word
	printf '%s\n' "$err" | sed -n 's/.*no-such-word. is not one of //p' | tr -d , | tr ' ' '\n' >"$tmp/words"
	[ -s "$tmp/words" ] || continue
	sed -n "s/^\\.It Fl $(printf %s "${option#-}") Cm //p" "$page" | sed 's/ , .*//' |
		tr -d '|' | tr -s ' ' '\n' >"$tmp/page.words"
	check "the program (-) and the manual page (+) have the same words for $option" \
		same "$tmp/words" "$tmp/page.words"
	command -v bash >"$tmp/found" || continue
	answers "$option" '' >"$tmp/completion.words"
	check "the program (-) and bash (+) have the same words for $option" \
		same "$tmp/words" "$tmp/completion.words"
	answers "$option" = >"$tmp/completion.words"
	check "the program (-) and bash (+) have the same words for $option=" \
		same "$tmp/words" "$tmp/completion.words"
done <"$tmp/help.values"
if command -v bash >"$tmp/found"; then
	check 'bash completes --window u to unlimited' [ "$(answers --window u)" = unlimited ]
	check 'bash completes --re to --reap, --repeat and --retries' \
		[ "$(answers --re | tr '\n' ' ')" = '--reap --repeat --retries ' ]
	check 'bash completes c to compare and p to plot, as the first word' \
		[ "$(answers c) $(answers p)" = 'compare plot' ]
	check 'bash has no errand behind an option' [ -z "$(answers --loopback c)" ]
	check 'bash has no words for a number' [ -z "$(answers --connections '')" ]
else
	skip 'the completion itself: there is no bash'
fi

if command -v mandoc >"$tmp/found"; then
	mandoc -T lint -W warning "$srcdir/man/cmtime.1" >"$tmp/lint" 2>"$tmp/stderr"
	check 'mandoc finds nothing to warn of' same /dev/null "$tmp/lint"
else
	skip 'the check of the manual page: there is no mandoc'
fi

finish

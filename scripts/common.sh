# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# common.sh - what scripts/demo and scripts/check share: say what is done, install what is missing, build.
# Sourced; sets $top. Nothing outside the tree is touched but packages.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() {
	printf '== %s\n' "$*"
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root or sudo for: $*"
	fi
}

# packages_of FILE...: the packages listed there, a line each, # comments.
packages_of() {
	sed 's/#.*//' "$@" | tr -s '[:space:]' '\n' | grep .
}

# install PACKAGE...: those that are missing.
install_packages() {
	local package missing=()

	command -v dpkg-query >/dev/null ||
		die "knows how to install packages on Debian only; needed here: $*"
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing ${missing[*]}"
	as_root apt-get -q update >"$top/build/packages.log" 2>&1 || say "apt-get update failed, going on: see build/packages.log"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}" \
		>>"$top/build/packages.log" 2>&1 || {
		tail -n 20 "$top/build/packages.log" >&2
		die "cannot install ${missing[*]}"
	}
}

# A tree that was configured in place cannot be built out of place, too: then a copy of its sources is.
source_tree() {
	[ -e "$top/config.status" ] || {
		echo "$top"
		return
	}
	mkdir -p "$top/build/source"
	tar -C "$top" -c --exclude=./build --exclude=./.git --exclude=./tests/vm/.cache --exclude=./config.status \
		--exclude=./config.h --exclude=./Makefile --exclude='*.o' --exclude='*.a' . |
		tar -C "$top/build/source" -x
	echo "$top/build/source"
}

# build DIR [CONFIGURE OPTION...]: the tree, out of it.
build() {
	local dir=$1 source
	shift
	source=$(source_tree)
	mkdir -p "$dir"
	if [ ! -e "$source/configure" ] || [ "$source/configure.ac" -nt "$source/configure" ]; then
		"$source/autogen.sh" || return
	fi
	cd "$dir" || return
	[ -e config.status ] || "$source/configure" "$@" || return
	make -j"$(nproc)"
}

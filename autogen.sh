#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes configure and Makefile.in from configure.ac and Makefile.am in a fresh checkout.
set -eu
cd "$(dirname "$0")"
for tool in autoreconf automake pkg-config; do
	command -v "$tool" >/dev/null || {
		echo "autogen.sh: $tool is missing: install autoconf, automake and pkg-config" >&2
		exit 1
	}
done
mkdir -p build-aux
exec autoreconf --install --force --warnings=all

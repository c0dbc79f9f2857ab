# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# bare.sh - the floor: N connections (1000), at most WINDOW (64) in flight, by
# examples/bare, both ends in one process tree on this machine.
#
#	tests/vm/run tests/vm/jobs/bare.sh examples/bare

exec bare "$VM_ADDR" "${N:-1000}" "${WINDOW:-64}"

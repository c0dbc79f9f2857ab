/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cmocka_all - cmocka.h with the headers it wants before it, in the order it wants them. */
#ifndef CMTIME_TESTS_CMOCKA_ALL_H
#define CMTIME_TESTS_CMOCKA_ALL_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif

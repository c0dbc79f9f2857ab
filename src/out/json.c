// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* json - the codec is core/result_to_json.c. */
#include "out/json.h"

#include "core/result.h"

#include <errno.h>

int json_print(FILE *file, const struct result *result)
{
	json_t *json = result_to_json(result);

	if (!json)
		return -ENOMEM;
	errno = 0;
	int ret = json_dumpf(json, file, JSON_COMPACT) || fputc('\n', file) == EOF || fflush(file)
			  ? (errno ? -errno : -EIO)
			  : 0;

	json_decref(json);
	return ret;
}

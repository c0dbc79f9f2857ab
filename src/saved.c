// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* saved - opens, loads, and says what was wrong. */
#include "saved.h"

#include "core/result_file.h"
#include "host/log.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int saved_load(struct result_set *set, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	char why[RESULT_SET_WHY];
	int ret;

	if (!file) {
		ret = -errno;
		log_error("%s: cannot be opened: %s", name, log_errno(ret));
		return ret;
	}
	ret = result_set_load(set, file, why);
	if (ret)
		log_error("%s: %s", name, why);
	if (!is_stdin)
		fclose(file);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* main - a table of contents. */
int main(void)
{
	return 0;
}

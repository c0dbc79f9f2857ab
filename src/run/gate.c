// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gate - a counter, and an eventfd for the one waiter. */
#include "run/gate.h"

#include "host/log.h"
#include "host/wait.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define NOT_WAITING UINT32_MAX

int gate_init(struct gate *gate, uint32_t window)
{
	gate->window = window ? window : UINT32_MAX;
	atomic_init(&gate->in_flight, 0);
	atomic_init(&gate->wake_at, NOT_WAITING);
	gate->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (gate->fd >= 0)
		return 0;
	int ret = -errno;

	log_error("cannot make an eventfd: %s", log_errno(ret));
	return ret;
}

void gate_free(struct gate *gate)
{
	if (gate->fd >= 0)
		close(gate->fd);
	gate->fd = -1;
}

bool gate_enter(struct gate *gate)
{
	if (gate_in_flight(gate) >= gate->window)
		return false;
	atomic_fetch_add_explicit(&gate->in_flight, 1, memory_order_relaxed);
	return true;
}

/*
 * The number falls, then wake_at is read; main sets wake_at, then reads the number. Both in one
 * total order (the default, seq_cst), so one of the two sees the other.
 */
void gate_leave(struct gate *gate)
{
	const uint64_t one = 1;
	uint32_t left = atomic_fetch_sub(&gate->in_flight, 1) - 1;

	if (left == atomic_load(&gate->wake_at))
		(void)!write(gate->fd, &one, sizeof(one));
}

uint32_t gate_in_flight(const struct gate *gate)
{
	return atomic_load_explicit(&gate->in_flight, memory_order_acquire);
}

uint32_t gate_low(const struct gate *gate)
{
	return gate->window / 2;
}

int gate_wait(struct gate *gate, uint32_t in_flight, const struct stop *stop, uint64_t deadline_ns)
{
	uint64_t times;
	int ret = 0;

	atomic_store(&gate->wake_at, in_flight);
	while (!ret && atomic_load(&gate->in_flight) > in_flight) {
		ret = wait_fd(gate->fd, POLLIN, stop, deadline_ns);
		if (!ret)
			(void)!read(gate->fd, &times, sizeof(times));
	}
	atomic_store(&gate->wake_at, NOT_WAITING);
	return ret;
}

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes up results to compare: tests/data/runs.py base > tests/data/runs-base.json, and the same with new.

Six results of three rounds, a line each. In new, the client's connect takes 20 % longer, destroy id 30 % less, create id
is as noisy as it was, resolve addr is the same to 0.1 %, and bind addr is a step that base has not.
"""
import json
import random
import sys

CONNECTIONS = 1000


def figures(step, side, each_ns, spread):
    def about(ns):
        return round(ns * random.uniform(1 - spread, 1 + spread))
    mean = about(each_ns)
    total = mean * CONNECTIONS
    return {"step": step, "side": side, "count": CONNECTIONS, "failed": 0, "total_ns": about(total), "sum_ns": total,
            "mean_ns": mean, "min_ns": mean // 2, "p50_ns": about(mean), "p90_ns": mean * 2, "p99_ns": about(mean * 3),
            "p999_ns": mean * 4, "max_ns": mean * 5, "stddev_ns": mean // 4}


def round_of(new):
    steps = [figures("create_id", "client", 15000, .2)]
    if new:
        steps.append(figures("bind_addr", "client", 9000, .1))
    steps += [figures("resolve_addr", "client", 40000, .001),
              figures("connect", "client", 720000 if new else 600000, .02),
              figures("destroy_id", "client", 2800 if new else 4000, .02),
              figures("accept", "server", 300000, .02)]
    return {"connected": CONNECTIONS, "steps": steps}


def result(new):
    end = {"host": "alpha", "address": "10.0.0.1", "device": "rxe0", "port": 1, "transport": "RoCE v2"}
    run = {"run_id": f"{random.getrandbits(64):016x}", "reported_by": "client", "connections": CONNECTIONS, "window": 32,
           "threads": 8 if new else 4, "server_threads": 1, "listeners": 1, "reap": "concurrent",
           "step_timeout_ns": 120000000000, "client": end, "server": end}
    return {"schema": "cmtime-result/1", "version": "0.2.0" if new else "0.1.0", "run": run,
            "rounds": [round_of(new) for _ in range(3)]}


NEW = sys.argv[1] == "new"
random.seed(sys.argv[1])
for _ in range(6):
    print(json.dumps(result(NEW), separators=(",", ":")))

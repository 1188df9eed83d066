"""How many processors this process may use.

It may be fewer than the machine has: the affinity of the process and the quota of its control group
(containers) limit them.
"""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")


def allowed_processors() -> int:
    """Return how many processors this process may use; at least 1."""
    return max(1, min(_affinity(), _quota()))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota() -> int:
    """Return the processors that the control groups of this process allow; all if none limits."""
    found = [quota for folder in _folders() if (quota := _quota_of(folder)) is not None]
    return min(found, default=os.cpu_count() or 1)


def _folders() -> list[Path]:
    """Return the folders of the control groups of this process and of those that hold them."""
    try:
        lines = _OWN_GROUP.read_text().splitlines()
    except OSError:
        return [_GROUPS, _GROUPS / "cpu"]
    folders = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = _GROUPS / controllers if controllers else _GROUPS
        path = root / group.lstrip("/")
        folders += [path, *(one for one in path.parents if one.is_relative_to(root))]
    return folders


def _quota_of(folder: Path) -> int | None:
    """Return the processors that a control group allows; None if it sets no limit."""
    try:
        if (file := folder / "cpu.max").exists():  # version 2
            quota, period = file.read_text().split()[:2]
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text()
            period = (folder / "cpu.cfs_period_us").read_text()
        if quota.strip() == "max" or float(quota) <= 0:
            return None
        return max(1, ceil(float(quota) / float(period)))
    except (OSError, ValueError):
        return None

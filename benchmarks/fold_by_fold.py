"""Run `satc` with the classifiers of each fold fitted by themselves, never those of all together.

python benchmarks/fold_by_fold.py rank --train labelled.csv --documents new.csv -o ranked.csv
"""

from __future__ import annotations

import atexit
import runpy
import sys
from unittest import mock

from joblib.externals.loky import get_reusable_executor

NEVER_TOGETHER = mock.patch("satc.estimation.out_of_fold.can_fit_together", return_value=False)


def end_workers() -> None:
    """End the processes that fitted folds, and wait for them: their processor time counts, too."""
    get_reusable_executor(reuse=True).shutdown(wait=True)


if __name__ == "__main__":
    atexit.register(end_workers)  # `satc` would wait until they have had no work for 300 s
    sys.argv[0] = "satc"
    with NEVER_TOGETHER:
        runpy.run_module("satc", run_name="__main__", alter_sys=True)

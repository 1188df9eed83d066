"""Run `satc` with the classifiers of each fold fitted by themselves, never those of all together.

python benchmarks/fold_by_fold.py rank --train labelled.csv --documents new.csv -o ranked.csv
"""

from __future__ import annotations

import runpy
import sys
from unittest import mock

NEVER_TOGETHER = mock.patch("satc.estimation.out_of_fold.can_fit_together", return_value=False)

if __name__ == "__main__":
    sys.argv[0] = "satc"
    with NEVER_TOGETHER:
        runpy.run_module("satc", run_name="__main__", alter_sys=True)

"""Time of `import satc`, compared with starting Python, and of the first ranking."""

from __future__ import annotations

import subprocess
import sys
import time

from timing import report

FIRST_RANKING = """
import time, numpy as np, satc
start = time.perf_counter()
satc.simulate(np.ones((9, 2)), np.eye(9, 2), method="u-theoretic-dynamic", sigma=1.0,
              oof_scores=np.ones((9, 2)), y_train=np.eye(9, 2))
print(time.perf_counter() - start)
"""


def run(code):
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True
    )
    return time.perf_counter() - start, done.stdout


bare = min(run("pass")[0] for _ in range(5))
imported = min(run("import satc")[0] for _ in range(5))
print(f"import satc: {imported - bare:.3f} s over starting Python (wanted: under 0.5 s)")
report("import satc / starting Python", imported / bare, "for information")
run(FIRST_RANKING)
again = min(float(run(FIRST_RANKING)[1]) for _ in range(3))
fresh = float(
    run(
        "import numba; numba.config.DISABLE_JIT = 0\nimport os, tempfile\n"
        "os.environ['NUMBA_CACHE_DIR'] = tempfile.mkdtemp()\nnumba.config.reload_config()\n"
        + FIRST_RANKING
    )[1]
)
report("first ranking of a second process / with compilation", again / fresh, "well below 1")

"""Time of `import satc`, compared with starting Python, and of the first ranking.

The import counts without the start of Python: `python -c "import satc"` and `python -c pass` run in
turns, and the difference of their least times must be below 0.05 s.
"""

from __future__ import annotations

import subprocess
import sys
import time

from timing import report, seconds

LIMIT = 0.05  # seconds of the import alone

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


bare, imported = seconds(lambda: run("pass"), lambda: run("import satc"), repeat=9)
alone = imported - bare
print(f"python -c pass takes {bare:.3f} s, and import satc {alone:.3f} s more")
report("import satc alone / 0.05 s", alone / LIMIT, "below 1")
report("import satc alone / python -c pass", alone / bare, "for information")
report("python -c 'import satc' / python -c pass", imported / bare, "for information")
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

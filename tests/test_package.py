import subprocess
import sys

import pytest

import satc


def test_every_public_name_is_there():
    for name in satc.__all__:
        assert getattr(satc, name) is not None
    assert set(satc.__all__) <= set(dir(satc))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'satc' has no attribute 'ranks'"):
        satc.ranks  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, satc; print([m for m in ('numpy', 'numba', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_compiled_code_is_cached():
    from satc.calibration import logistic
    from satc.ranking import kernels

    for module in (kernels, logistic):
        compiled = [f for f in vars(module).values() if hasattr(f, "enable_caching")]
        assert compiled
        for function in compiled:
            assert type(function._cache).__name__ == "FunctionCache"

import numpy as np

from satc.assurance.live.drawn_tables import (
    KnownCounts,
    ShiftDraws,
    draw_errors,
    tables_with_errors,
)
from satc.assurance.live.shifts import AT_ZERO, N_REGIONS, N_RISKS, SHIFTS, ShiftedSums

N_DRAWS = 4000


def without_doubt(m):
    """All shifts are 0: the distribution has one point, and the common shift is 0."""
    cumulated = np.zeros((m, N_REGIONS, len(SHIFTS)))
    cumulated[..., AT_ZERO:] = 1.0
    uniform = np.full((m, N_REGIONS, N_DRAWS), 0.5, dtype=np.float32)
    return ShiftDraws(cumulated, uniform, np.zeros((1, N_REGIONS, N_DRAWS)), np.zeros(m, np.int64))


def test_errors_have_the_mean_and_variance_of_independent_labels():
    rng = np.random.default_rng(0)
    signed = rng.uniform(0.01, 0.6, (50, 2)) * rng.choice([-1, 1], (50, 2))
    risks = rng.integers(0, N_RISKS, 50).astype(np.int8)
    sums = ShiftedSums.of(signed, risks)
    errors = draw_errors(*sums.errors(), without_doubt(2), rng)
    for side, mine in ((0, signed > 0), (1, signed < 0)):
        p = np.where(mine, np.abs(signed), 0.0)
        np.testing.assert_allclose(errors[..., side].mean(axis=0), p.sum(axis=0), rtol=0.05)
        np.testing.assert_allclose(
            errors[..., side].var(axis=0), (p * (1 - p)).sum(axis=0), rtol=0.12
        )


def test_a_common_shift_moves_all_draws():
    signed = np.full((100, 1), -0.1)
    sums = ShiftedSums.of(signed, np.zeros(100, dtype=np.int8))
    draws = without_doubt(1)
    up = draws._replace(common=draws.common + 1.0)
    rng = np.random.default_rng(1)
    plain = draw_errors(*sums.errors(), draws, rng)[..., 1].mean()
    moved = draw_errors(*sums.errors(), up, rng)[..., 1].mean()
    odds = np.exp(1.0) / 9
    np.testing.assert_allclose([plain, moved], [10, 100 * odds / (1 + odds)], rtol=0.02)


def test_tables_hold_what_is_known_and_what_is_drawn():
    known = KnownCounts(np.array([4]), np.array([6]), 20)
    cells = tables_with_errors(known, np.array([[[2, 3]], [[9, 0]]]))
    assert [cell.ravel().tolist() for cell in cells] == [[8, 4], [2, 6], [3, 0], [7, 10]]

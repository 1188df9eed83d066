import numpy as np

from satc.assurance.live.shifts import AT_ZERO, N_REGIONS, N_RISKS, SHIFTS, ShiftedSums, regions_of


def made(n=30, m=3, seed=0):
    rng = np.random.default_rng(seed)
    signed = rng.uniform(0.001, 0.4, (n, m)) * rng.choice([-1, 1], (n, m))
    risks = rng.integers(0, N_RISKS, n).astype(np.int8)
    return signed, risks, rng.random((n, m)) < 0.2


def test_sums_are_those_of_the_definition():
    signed, risks, wrong = made()
    sums = ShiftedSums.of(signed, risks)
    sums.validate(signed[:10], risks[:10], wrong[:10])
    expected, variance = sums.errors()
    regions = regions_of(signed, risks)
    p = np.abs(signed)
    for g in (0, AT_ZERO, 20):
        q = 1 / (1 + (1 - p) / p * np.exp(-SHIFTS[g]))
        for j in range(3):
            for k in range(N_REGIONS):
                left = (regions[:, j] == k) & (np.arange(30) >= 10)
                np.testing.assert_allclose(expected[j, k, g], q[left, j].sum(), atol=1e-8)
                np.testing.assert_allclose(
                    variance[j, k, g], (q * (1 - q))[left, j].sum(), atol=1e-8
                )


def test_the_likelihood_is_that_of_what_was_found():
    signed, risks, wrong = made()
    sums = ShiftedSums.of(signed, risks)
    sums.validate(signed, risks, wrong)
    p = np.abs(signed)
    q = 1 / (1 + (1 - p) / p * np.exp(-SHIFTS[25]))
    shifted = np.log(np.where(wrong, q, 1 - q)).sum(axis=0)
    plain = np.log(np.where(wrong, p, 1 - p)).sum(axis=0)
    found = sums.log_likelihood()[..., 25].sum(axis=1)
    np.testing.assert_allclose(found, shifted - plain, atol=1e-7)


def test_taking_a_decision_back_restores_every_bit():
    signed, risks, wrong = made()
    sums, fresh = ShiftedSums.of(signed, risks), ShiftedSums.of(signed, risks)
    for i in (3, 7, 11):
        sums.validate(signed[i : i + 1], risks[i : i + 1], wrong[i : i + 1])
    assert (sums.expected != fresh.expected).any()
    for i in (7, 3, 11):
        sums.revert(signed[i : i + 1], risks[i : i + 1], wrong[i : i + 1])
    for name in ("expected", "variance", "likelihood"):
        np.testing.assert_array_equal(getattr(sums, name), getattr(fresh, name))


def test_regions_go_by_decision_doubt_and_document():
    signed = np.array([[0.2, 0.01], [-0.2, -0.0001]])
    regions = regions_of(signed, np.array([0, 1], dtype=np.int8))
    assert len(set(regions.ravel().tolist())) == 4
    assert regions[0].max() < regions[1].min() < N_REGIONS

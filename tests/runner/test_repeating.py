"""What the kernels of one notebook do not have in common."""

import pytest

from pytest_nbsafe.runner import repeating

SEED = "PYTHONHASHSEED"


def test_each_kernel_has_a_seed_of_its_own_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SEED, raising=False)
    seeds = [repeating.environ(kernel, is_repeat=False)[SEED] for kernel in range(4)]
    assert len(set(seeds)) == 4
    assert "0" not in seeds  # which would take away all chance
    assert seeds == [repeating.environ(kernel, is_repeat=True)[SEED] for kernel in range(4)]


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_the_seed_of_a_user_stands_but_in_a_repeated_run(
    seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SEED, seed)
    assert not repeating.environ(0, is_repeat=False)
    repeated = repeating.environ(1, is_repeat=True)
    assert repeated[SEED] != seed
    assert repeated["OMP_NUM_THREADS"] == "1"

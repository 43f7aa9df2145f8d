"""What the kernels of one notebook do not have in common."""

import pytest

from pytest_nbsafe.runner import repeating

SEED = "PYTHONHASHSEED"


def test_each_kernel_has_a_seed_of_its_own_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SEED, raising=False)
    seeds = [repeating.environ(kernel, {}, is_repeat=False)[SEED] for kernel in range(4)]
    assert len(set(seeds)) == 4
    assert "0" not in seeds  # which would take away all chance
    assert seeds == [repeating.environ(kernel, {}, is_repeat=True)[SEED] for kernel in range(4)]


@pytest.mark.parametrize("seed", ["0", "1", "2", "random"])
@pytest.mark.parametrize("is_given", [False, True])
def test_the_seed_of_a_user_stands_in_the_first_kernel_alone(
    seed: str, monkeypatch: pytest.MonkeyPatch, *, is_given: bool
) -> None:
    monkeypatch.setenv(SEED, "7" if is_given else seed)
    given = {SEED: seed, "TOKEN": "x"} if is_given else {}
    seeds = [repeating.environ(kernel, given, is_repeat=False)[SEED] for kernel in range(4)]
    assert seeds[0] == seed
    assert len(set(seeds)) == 4
    repeated = repeating.environ(1, given, is_repeat=True)
    assert repeated[SEED] != seed
    assert repeated["OMP_NUM_THREADS"] == "1"
    assert repeated.get("TOKEN") == given.get("TOKEN")

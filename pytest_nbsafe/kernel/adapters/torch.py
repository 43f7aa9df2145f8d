"""torch: tensors, random numbers, threads and devices."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from typing import Any

from ..aspects import mean
from ..functions.reach import fields
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue, qualified
from .numpy import add_array

LEARNERS_WATCHED = False


def aspects(value: Any) -> dict[str, str]:
    """Return the shape and the mean of a tensor."""
    if type(value) is not sys.modules["torch"].Tensor or value.device.type != "cpu":
        return {}
    return {"shape": str(tuple(value.shape)), **mean("mean", value.detach().numpy())}


def stir() -> None:
    """Seed the random numbers by chance."""
    sys.modules["torch"].seed()


def uses_gpu() -> bool:
    """Tell whether a device is in use, which a forked kernel could not use."""
    cuda = getattr(sys.modules["torch"], "cuda", None)
    return cuda is not None and bool(cuda.is_initialized())


def random_states() -> Mapping[str, object]:
    """Return the state of the random numbers of the processor, to be compared."""
    return {"torch": sys.modules["torch"].get_rng_state().numpy().tobytes()}


def settings() -> Mapping[str, object]:
    """Return what tensors are made of, how exact they are, and whether they are differentiated."""
    torch = sys.modules["torch"]
    exact = torch.are_deterministic_algorithms_enabled()
    return {"torch": (str(torch.get_default_dtype()), exact, torch.is_grad_enabled())}


def work_in_one_thread() -> None:
    """Start no other threads from here on."""
    sys.modules["torch"].set_num_threads(1)


# ------------------------------------------------------------------ memory


class Storage:
    """The memory of tensors, told by where it begins."""

    def __init__(self, address: int) -> None:
        self.__array_interface__ = {"data": (address, False)}


_storages: dict[int, Storage] = {}


def memory_of(value: Any) -> Any:
    """Return the memory of a tensor, None where there is none that can be shared."""
    torch = sys.modules["torch"]
    if not isinstance(value, torch.Tensor) or str(value.layout) != "torch.strided":
        return None
    address = value.untyped_storage().data_ptr()
    return _storages.setdefault(address, Storage(address)) if address else None


def items_of(_value: Any) -> list[Any]:
    """Return no objects: a tensor holds numbers."""
    return []


def references_of(value: Any) -> list[Any] | None:
    """Return what a value refers to, None of a tensor: who else shows its memory is not told."""
    return None if isinstance(value, sys.modules["torch"].Tensor) else gc.get_referents(value)


def _tensor(hasher: Hasher, value: Any) -> None:
    """Write a tensor: its numbers, whether and how it is made of others, its gradient."""
    torch, kind = sys.modules["torch"], type(value)
    if value.is_meta or str(value.layout) not in _LAYOUTS or value.is_quantized:
        raise UnknownValue("a tensor of this layout is not compared")
    is_leaf = value.is_leaf
    hasher.tag(f"tensor {qualified(kind)} {value.dtype} {value.requires_grad} {is_leaf}")
    if not is_leaf:
        hasher.tag(f"made by {type(value.grad_fn).__name__}")
    elif value.grad is not None:
        hasher.all("gradient", [value.grad])
    if value._backward_hooks:  # noqa: SLF001  # no other way to know
        raise UnknownValue("a tensor with hooks is not compared")
    held = fields(value)
    if held:
        hasher.attributes(held)
    content = value.detach()
    if str(content.layout) != "torch.strided":
        content = content if content.is_coalesced() else content.coalesce()
        hasher.all("sparse", [list(value.shape), content.indices(), content.values()])
        return
    if content.numel() * content.element_size() > hasher.size:
        raise UnknownValue(TOO_LARGE)
    content = content.cpu().resolve_conj().resolve_neg()
    if content.dtype is torch.bfloat16:  # numpy has no such numbers
        content = content.view(torch.int16)
    add_array(hasher, content.numpy())


_LAYOUTS = frozenset({"torch.strided", "torch.sparse_coo"})


def _generator(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"generator {value.device}")
    hasher.add(value.get_state())


HASHED: dict[str, dict[str, Handler]] = {
    "torch": {"Tensor": _tensor, "Generator": _generator},
}

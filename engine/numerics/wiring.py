"""Which kernel reads what, and what content a buffer holds under a plan."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from math import prod

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.numerics.lowering import FLOATS, is_half
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.text import say

_MOST_KEYS, _LEAST_PLANS = 200_000, 8
"""Contents that have a number, some 250 bytes each; but always those of a few plans."""


class Wiring:
    """A network's data flow, looked up by kernel index."""

    def __init__(self, network: Network) -> None:
        kernels = network.kernels
        self.producer: Mapping[str, int] = {name: kernel.index for kernel in kernels for name in kernel.outputs}
        self.reads: tuple[tuple[int, ...], ...] = tuple(
            tuple(sorted({self.producer[name] for name in kernel.inputs if name in self.producer}))
            for kernel in kernels
        )
        self.measured: tuple[tuple[str, ...], ...] = tuple(
            tuple(n for n in kernel.outputs if n in network.tensors and network.tensors[n].dtype.name in FLOATS)
            for kernel in kernels
        )
        """Float outputs of each kernel."""
        self.index: Mapping[str, int] = {kernel.id: kernel.index for kernel in kernels}
        self._roundable = tuple(
            tuple(
                (name, self.producer[name])
                for name in kernel.inputs
                if name in self.producer
                and name in self.measured[self.producer[name]]
                and network.tensors[name].elements >= (prod(kernel.weight.shape) if kernel.weight is not None else 0)
            )
            for kernel in kernels
        )
        """Float inputs of each kernel that are larger than its weight, with the index of the kernel that makes them."""
        self._tunable = tuple(kernel.tunable for kernel in kernels)
        self._ids = tuple(kernel.id for kernel in kernels)
        self._keys: dict[tuple[object, ...], int] = {}
        self._most_keys = max(_MOST_KEYS, _LEAST_PLANS * len(kernels))
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def known(self, kernel_id: str) -> int:
        """The index of a kernel.

        Raises:
            PlanError: For an id that the network doesn't have.
        """
        index = self.index.get(kernel_id)
        if index is None:
            raise PlanError(say("The model has no layer {id}; the plan belongs to another model.", id=kernel_id))
        return index

    def schemes(self, plan: Plan) -> tuple[Scheme, ...]:
        """The scheme of every kernel; FP32 for those without a switch."""
        return tuple(
            plan.scheme(kernel) if tunable else FP32 for kernel, tunable in zip(self._ids, self._tunable, strict=True)
        )

    def keys(self, schemes: tuple[Scheme, ...]) -> tuple[int, ...]:
        """What each kernel's output holds: equal numbers mean equal content.

        A key stands for (kernel, scheme, keys of what it reads). What has to run again after a change of plan is what
        has another key than before; toggles, undo and cancelled runs need no other bookkeeping.
        """
        keys: list[int] = []
        for index, scheme in enumerate(schemes):
            content = (index, scheme, *(keys[at] for at in self.reads[index]))
            found = self._keys.get(content)
            keys.append(self._number(content) if found is None else found)
        return tuple(keys)

    def _number(self, content: tuple[object, ...]) -> int:
        """The number of a content. A forgotten one gets another number later, and is run again; none is given twice."""
        with self._lock:
            found = self._keys.get(content)
            if found is None:
                if len(self._keys) >= self._most_keys:
                    for old in list(self._keys)[len(self._ids) : self._most_keys // 2]:  # the first are the reference's
                        del self._keys[old]
                found = self._keys[content] = next(self._numbers)
            return found

    def halves(self, index: int, schemes: Sequence[Scheme]) -> frozenset[str]:
        """Inputs of a kernel that other kernels have rounded to its own floats of 16 bits under these schemes.

        Empty where the kernel would not round them itself, or where its weight is larger than they are: then
        a session of its own for that case costs more than it saves.
        """
        own = schemes[index].activations
        if not is_half(own):
            return frozenset()
        return frozenset(
            name
            for name, at in self._roundable[index]
            if is_half(schemes[at].activations) and schemes[at].activations.brain == own.brain
        )

    def local_key(self, kernel: Kernel, scheme: Scheme, reference: tuple[int, ...]) -> int:
        """The key of one kernel under a scheme on reference inputs."""
        content = (kernel.index, scheme, *(reference[at] for at in self.reads[kernel.index]))
        return self._number(content)

"""Objects that notice being looked at notice nothing of a traced kernel."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from pairs import Pair, started

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with started(tmp_path_factory.mktemp("nb")) as found:
        yield found


SPIES = """\
import collections
calls = []
class Spy:
    def __init__(self): object.__setattr__(self, 'held', [1])
    def __getattribute__(self, name): calls.append(name); return object.__getattribute__(self, name)
    def __setattr__(self, name, value): calls.append('set ' + name)
    def __reduce__(self): calls.append('reduce'); return Spy, ()
    def __reduce_ex__(self, n): calls.append('reduce_ex'); return Spy, ()
    def __copy__(self): calls.append('copy'); return self
    def __deepcopy__(self, memo): calls.append('deepcopy'); return self
    def __contains__(self, item): calls.append('contains'); return True
    def __getitem__(self, item): calls.append('getitem'); raise IndexError
    def __len__(self): calls.append('len'); return 3
    def __eq__(self, other): calls.append('eq'); return True
    def __hash__(self): calls.append('hash'); return 1
    def __sizeof__(self): calls.append('sizeof'); return 1
    def __array__(self, *a, **k): calls.append('array'); raise TypeError
    def __dir__(self): calls.append('dir'); return []
    @property
    def __dict__(self): calls.append('dict'); return {}
    @property
    def __class__(self): calls.append('class'); return int
class Slots:
    __slots__ = ('a', 'b')
    def __getattr__(self, name): calls.append(name); raise AttributeError(name)
class Own(dict):
    def __iter__(self): calls.append('iter'); return iter(())
    def items(self): calls.append('items'); return []
    def keys(self): calls.append('keys'); return []
    def __len__(self): calls.append('len'); return 0
    def __missing__(self, key): calls.append('missing'); return key
class Row(list):
    def __iter__(self): calls.append('iter'); return iter(())
    def __len__(self): calls.append('len'); return 0
class Text(str):
    def __str__(self): calls.append('str'); return ''
    def __hash__(self): calls.append('hash'); return 0
    def __eq__(self, other): calls.append('eq'); return False
class Meta(type):
    def __instancecheck__(cls, other): calls.append('instance'); return True
    def __hash__(cls): calls.append('hash of a class'); return 1
    def __eq__(cls, other): calls.append('eq of a class'); return True
class Wraps:
    @property
    def __wrapped__(self): calls.append('wrapped'); raise RuntimeError('no context')
Wraps.__module__ = 'library'
class Lazy(metaclass=Meta):
    pass
"""


def test_methods_with_side_effects(pair: Pair) -> None:
    assert (
        pair.prints(
            SPIES,
            "spy, slots, own, row, text = Spy(), Slots(), Own(a=1), Row([1]), Text('t')\n"
            "lazy, wraps = Lazy(), Wraps()\n"
            "default = collections.defaultdict(lambda: calls.append('made'), a=[spy])\n"
            "held, keyed, both = [spy, (slots, own)], {spy: row, text: 1}, {lazy}\ncalls.clear()",
            "spy, slots, own, row, text, lazy, wraps, default, held, keyed;\n"
            "both, Lazy, Meta;\nalso = spy",
            "for each in range(2):\n    also = held[1]\n    other = default",
            "def use():\n    return spy, own, held\nused = use()",
            "del slots, row\nprint(calls)",
        )
        == "[]"
    )


ONCE = {
    "generators": (
        (
            "def count():\n    n = 0\n    while n < 5:\n        seen.append(n)\n        yield n\n"
            "        n += 1\nseen = []\ng = count()\ne = (seen.append(i) or i for i in range(4))\n"
            "import itertools\nz = zip(e, itertools.count(5))\nm = map(seen.append, 'ab')"
        ),
        "next(g), next(z)",
        "g, z, m, e;\nheld = [g, z, m]",
        "print(next(g), next(z), seen, list(g), [*held[1]], next(m), seen, g.gi_frame)",
    ),
    "files": (
        "with open('lines.txt', 'w') as out:\n    out.write('one\\ntwo\\nthree\\n')",
        "f = open('lines.txt')\nb = open('lines.txt', 'rb')\nfirst = f.readline(), b.read(2)",
        (
            "f, b;\nheld = {'file': f}\nimport csv, io\nrows = csv.reader(f)\n"
            "text = io.StringIO('a\\nb')\ntext.readline()"
        ),
        (
            "print(b.tell(), f.readline(), next(rows), text.read(), b.read(3), f.closed)\n"
            "f.close()\nb.close()"
        ),
    ),
    "sockets and locks": (
        (
            "import socket, threading, queue\nhere, there = socket.socketpair()\n"
            "lock, again, waiting = threading.Lock(), threading.RLock(), queue.Queue()\n"
            "event, pool = threading.Event(), threading.local()\npool.x = 1"
        ),
        "lock.acquire(); again.acquire(); waiting.put(1); here.send(b'hello')",
        "held = [here, there, lock, again, waiting, event, pool]\nheld;",
        (
            "print(there.recv(5), lock.locked(), again.acquire(blocking=False), waiting.qsize(),"
            " pool.x, event.is_set())\nhere.close(); there.close(); lock.release()"
        ),
    ),
    "memory": (
        (
            "import mmap, ctypes\n"
            "with open('map.bin', 'wb') as out:\n    out.write(b'0123456789')\n"
            "f = open('map.bin', 'r+b')\nm = mmap.mmap(f.fileno(), 0)\nm.seek(3)\n"
            "buffer = ctypes.create_string_buffer(b'abc')\nnumber = ctypes.c_int(5)\n"
            "pointer = ctypes.pointer(number)\nempty = ctypes.POINTER(ctypes.c_int)()\n"
            "view = memoryview(bytearray(b'xyz'))\n"
            "function = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 7)"
        ),
        "m, buffer, pointer, empty, view, function, number;\nheld = [m, pointer, view[1:]]",
        "m[0] = 65\npointer.contents.value += 1\nview[0] = 66",
        (
            "print(m.read(2), m[:2], number.value, bool(empty), bytes(view), function())\n"
            "print(buffer.value)\nm.close(); f.close(); view.release()"
        ),
    ),
    "proxies": (
        (
            "import weakref, types\n"
            "from unittest.mock import MagicMock, Mock\nclass A:\n    n = 0\n"
            "    def up(self): self.n += 1\na = A()\n"
            "proxy, ref = weakref.proxy(a), weakref.ref(a)\n"
            "mock, plain = MagicMock(), Mock(spec=A)\nmapping = types.MappingProxyType({'a': 1})\n"
            "names = types.SimpleNamespace(proxy=proxy)\nmock.method(1);"
        ),
        "proxy.up()\nproxy, ref, mock, mapping, names, plain;\nheld = [proxy, mock, plain.up]",
        "kept = weakref.WeakValueDictionary(a=a)\nlast = weakref.finalize(a, lambda: None)",
        "print(a.n, mock.mock_calls, plain.mock_calls, ref() is a, len(kept), last.alive)",
        "del a\nprint(ref(), len(kept), last.alive)",
        "try:\n    proxy.n\nexcept ReferenceError as error:\n    print(error)",
        "print('done')",
    ),
    "frames": (
        (
            "import pandas as pd, warnings\nwarnings.simplefilter('always')\n"
            "df = pd.DataFrame({'a': [3, 1, 2], 'b': list('xyz')}, index=[5, 6, 7])\n"
            "part, group = df[df.a > 1], df.groupby('b')\ncolumn = df['a']\n"
            "index = pd.Index([1, 2, 3])\nextra = df.attrs\nrolling = df.a.rolling(2)"
        ),
        (
            "state = lambda: [sorted(k for k in vars(o)) for o in (df, part, column, group)]\n"
            "first = state(), index._cache.copy(), index._engine.__class__.__name__"
        ),
        "df, part, group, column, index, rolling;\nheld = [df, column]",
        "print(first == (state(), index._cache.copy(), index._engine.__class__.__name__))",
        "part['c'] = 1\nprint(sorted(part.columns), df.attrs, df._mgr.nblocks)",
        "del held\nprint('done')",
    ),
    "arrays": (
        (
            "import numpy as np\nm = np.memmap('array.bin', dtype='f8', mode='w+', shape=(4, 3))\n"
            "m[:] = 1\nread = np.memmap('array.bin', dtype='f8', mode='r', shape=(4, 3))\n"
            "frozen = np.arange(3.0)\nfrozen.flags.writeable = False\nview = m[1]\n"
            "class Sub(np.ndarray):\n    made = []\n"
            "    def __array_finalize__(self, other): Sub.made.append(1)\n"
            "    def __array_ufunc__(self, *a, **k): Sub.made.append(2); return 0\n"
            "sub = np.arange(3.0).view(Sub)\nSub.made.clear()\nobjects = np.array([[], {}], object)"
        ),
        "m, read, frozen, view, sub, objects;\nheld = [m, sub]",
        "view += 1\nm.flush()",
        "print(float(read.sum()), frozen.flags.writeable, Sub.made, type(view).__name__)",
    ),
}


@pytest.mark.parametrize("name", ONCE)
def test_what_can_be_used_but_once(pair: Pair, name: str) -> None:
    if name == "sockets and locks" and sys.platform == "win32":
        pytest.skip("a pair of sockets shows its numbers")
    assert pair.prints(*ONCE[name])


def test_what_ends_with_the_cell_is_freed(pair: Pair) -> None:
    assert (
        pair.prints(
            "import weakref, sys\nclass Big: pass\nfreed = []",
            "big = Big(); big.items = [Big() for _ in range(3)]\nmade = {'big': big, 'x': [big]}\n"
            "refs = [weakref.ref(big), weakref.ref(big.items[0])]\ndel big, made",
            "freed += [ref() is None for ref in refs]\nkept = Big()\nref = weakref.ref(kept)\n"
            "count = sys.getrefcount(kept)",
            "def f(x):\n    g = lambda: x\n    return [x, g]\nf(kept)[1]()\nkept = None",
            "freed.append(ref() is None)\nbig = Big()\n"
            "ref = weakref.ref(big, lambda _: freed.append('gone'))",
            "big = [big]\nbig.append(big)",
            "del big\nimport gc; gc.collect();",
            "try:\n    big = Big(); ref = weakref.ref(big)\n    1 / 0\n"
            "except ZeroDivisionError:\n    del big",
            "print(freed, count, ref())",
        )
        == "[True, True, True, 'gone'] 2 None"
    )


def test_the_size_and_count_of_references(pair: Pair) -> None:
    pair.run(
        "import sys\nclass A: pass\na, items, text = A(), [1, 2], 'a text of some length'",
        "sys.getrefcount(a), sys.getrefcount(items), sys.getsizeof(a), sys.getsizeof(items)",
        "a.x = items\nheld = (a, items)",
        "for i in range(2):\n    also = a",
        "sys.getrefcount(a), sys.getrefcount(items), sys.getrefcount(A), vars(a)",
        "def f(): return a\nf()",
        "sys.getrefcount(a), sys.getrefcount(f), vars(f)",
    )

"""What the tree keeps: a look for all caches in its source, and how many bytes an object holds.

Without it a cache that nobody has bounded would be found by whoever fills it.
"""

import ast
import gc
import sys
import types
from importlib import import_module

import numpy as np
import torch

from tests.load.server import ROOT

# What makes a cache, by the module that has it.
MAKERS = {
    "functools": {"cache", "lru_cache", "cached_property"},
    "cachetools": {"cached", "cachedmethod", "Cache", "LRUCache", "TTLCache", "LFUCache"}
    | {"FIFOCache", "RRCache", "TLRUCache"},
    "streamlit": {"cache_resource", "cache_data"},
    "embviz.system.shared_cache": {"shared_cache"},
    "weakref": {"WeakKeyDictionary", "WeakValueDictionary"},
}
TENSOR_BYTES = 500  # bytes of a tensor beside its numbers and its Python object
# What all objects share, or what the program itself is.
PROGRAM = (
    type,
    types.ModuleType,
    types.BuiltinFunctionType,
    types.CodeType,
    types.FrameType,
    torch.dtype,
    torch.device,
    torch.Generator,
)


def caches():
    """The caches of the tree, as `file: name`: a name is that of a function or of a variable.

    A dict, a list or a set that a module begins with nothing in it is one too.
    """
    paths = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]
    for path in paths:
        for name in found_in(ast.parse(path.read_text("utf-8"))):
            yield f"{path.relative_to(ROOT).with_suffix('').as_posix()}: {name}"


def named(cache):
    """The object of such a name."""
    module, _, name = cache.partition(": ")
    return getattr(import_module(module.replace("/", ".")), name)


def found_in(tree):
    """The names of the caches of one file; `?` where one has none."""
    makers = {*makers_in(tree)}

    def makes(node):
        return any(ast.unparse(one) in makers for one in ast.walk(node) if isinstance(one, NAMES))

    def look(node, within):
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.FunctionDef | ast.ClassDef):
                if any(map(makes, one.decorator_list)):
                    yield ".".join([*within, one.name])
                yield from look(ast.Module(one.body, []), [*within, one.name])
            elif isinstance(one, ast.Assign | ast.AnnAssign):
                if makes(one):
                    target = one.targets[0] if isinstance(one, ast.Assign) else one.target
                    yield ".".join([*within, ast.unparse(target)])
            elif isinstance(one, NAMES):
                if makes(one):
                    yield ".".join([*within, "?"])
            elif not isinstance(one, ast.Import | ast.ImportFrom):
                yield from look(one, within)

    yield from look(tree, [])
    for one in tree.body:
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value and is_empty(one.value):
            yield ast.unparse(one.targets[0] if isinstance(one, ast.Assign) else one.target)


def is_empty(value):
    """Whether it is `{}`, `[]`, `set()`, `list[int]()` or the like."""
    kind = value.func if isinstance(value, ast.Call) and not value.args else None
    kind = kind.value if isinstance(kind, ast.Subscript) else kind
    if isinstance(kind, ast.Name):
        return kind.id in ("dict", "list", "set", "defaultdict", "deque")
    return (isinstance(value, ast.Dict) and not value.keys) or (
        isinstance(value, ast.List) and not value.elts
    )


NAMES = ast.Name, ast.Attribute


def makers_in(tree):
    """What a file calls the makers: `lru_cache`, `functools.cache`, `st.cache_resource`."""
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            called = alias.asname or alias.name
            if isinstance(node, ast.Import):
                for name in MAKERS.get(alias.name, ()):
                    yield f"{called}.{name}"
            elif alias.name in MAKERS.get(node.module or "", ()):
                yield called


def held(*roots):
    """Bytes of all objects that these hold, and of their numbers; what is shared counts once."""
    seen, stack, total = {}, list(roots), 0
    while stack:
        one = stack.pop()
        if isinstance(one, PROGRAM) or id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, types.FunctionType):
            stack += one.__closure__ or ()
            continue
        total += sys.getsizeof(one)
        if isinstance(one, torch.Tensor):
            storage = one.untyped_storage()
            total += TENSOR_BYTES
            if storage.data_ptr() not in seen:
                seen[storage.data_ptr()] = storage
                total += storage.nbytes()
        elif isinstance(one, np.ndarray):
            stack.append(one.base)
        stack += gc.get_referents(one)
    return total

"""A digest of everything that the results of a user's class or functions depend on.

A function depends on its own code and on everything its code names: functions, classes and values of its module, of
imported modules, and of enclosing functions. References are followed within the user's code. A function of an installed
package is represented by the files of that package, one of the standard library by the version of Python. `Unknown` is
raised if a reference cannot be followed.
"""

import abc
import builtins
import dis
import enum
import functools
import hashlib
import re
import sys
import types
import typing
import warnings
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

_VARYING = (
    "_io", "_random", "ctypes", "datetime", "gc", "importlib", "inspect", "io", "multiprocessing", "nt", "numpy.random",
    "os", "pathlib", "posix", "random", "secrets", "socket", "subprocess", "sys", "tempfile", "time", "urllib", "uuid",
)  # fmt: skip
"""Modules whose functions may return a different result at each call, or access data outside the program."""

_DYNAMIC = {
    "__import__", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals", "open", "setattr",
    "vars",
}  # fmt: skip
"""Built-in functions that can access anything."""

_READING = re.compile(r"(load|loads|loadtxt|genfromtxt|fromfile|memmap|open_memmap|loadmat|imread|read_\w+)")
"""Names of package functions that read files."""

_NEUTRAL = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__conditional_annotations__", "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__",
    "__firstlineno__", "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__qualname__",
    "__static_attributes__", "__weakref__", "_abc_impl",
}  # fmt: skip
"""Attributes of a class that do not affect its behaviour."""

_PLAIN = (type(None), bool, int, str, bytes, type(Ellipsis), type(NotImplemented), range, Fraction, Decimal, np.dtype)
_COMPILED = (
    types.BuiltinFunctionType,
    types.ClassMethodDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    np.ufunc,
    type(np.dot),
    type(functools.lru_cache(len)),
)


class Unknown(Exception):
    """A reference cannot be followed; the text names it."""


def identity_of(name: str, version: object, thing: Any) -> tuple[str | None, str | None]:
    """Returns the version and the digest of `thing`. Both are None if there is no version, or if a reference cannot be
    followed, which a warning reports.
    """
    if version is None:
        return None, None
    try:
        return str(version), digest(name, thing)
    except (Unknown, RecursionError) as unknown:
        warnings.warn(f"runs of `{name}` are not kept despite its `version`: {unknown}", stacklevel=4)
        return None, None


def digest(name: str, thing: Any) -> str:
    """Returns the digest of a class, a function, a value, or a dict of these.

    Raises:
        Unknown: a reference cannot be followed.
    """
    walk = _Walk()
    walk.value(thing, name)
    return walk.hash.hexdigest()


class _Walk:
    def __init__(self) -> None:
        self.hash = hashlib.sha256(sys.version.encode())
        self.seen: dict[int, int] = {}
        self.alive: list[Any] = []  # keeps objects alive, so that no `id` is reused

    def text(self, *parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
            self.hash.update(f"{len(data)}:".encode() + data)

    def value(self, value: Any, path: str) -> None:
        kind = type(value)
        if kind in _PLAIN or isinstance(value, np.dtype):
            self.text(kind.__name__, repr(value))
        elif kind is float:
            self.text("float", value.hex())
        elif kind is complex:
            self.text("complex", value.real.hex(), value.imag.hex())
        elif kind is tuple:
            self.several("tuple", value, path)
        elif kind is frozenset:
            self.text("frozenset", *sorted(digest(path, item) for item in value))
        elif id(value) in self.seen:
            self.text("again", self.seen[id(value)])
        else:
            self.seen[id(value)] = len(self.seen)
            self.alive.append(value)
            self.thing(value, path)

    def several(self, kind: str, values: Iterable[Any], path: str) -> None:
        items = list(values)
        self.text(kind, len(items))
        for place, item in enumerate(items):
            self.value(item, f"{path}[{place}]")

    def thing(self, value: Any, path: str) -> None:
        kind = type(value)
        if kind is list:
            self.several("list", value, path)
        elif kind in (dict, types.MappingProxyType):
            self.text("dict", len(value))
            for key, item in value.items():
                self.value(key, path)
                self.value(item, f"{path}.{key}" if isinstance(key, str) else path)
        elif kind is set:
            self.text("set", *sorted(digest(path, item) for item in value))
        elif kind is np.ndarray:
            self.text("array", value.dtype, value.shape)
            self.several("items", value.ravel(), path) if value.dtype.hasobject else self.text(value.tobytes())
        elif isinstance(value, np.generic):
            self.text("scalar", value.dtype, value.tobytes())
        elif isinstance(value, enum.Enum):
            self.text("member", value.name)
            self.value(kind, path)
        elif kind is re.Pattern:
            self.text("pattern", value.pattern, value.flags)
        elif isinstance(value, types.ModuleType):
            self.module(value, path)
        elif kind is types.FunctionType:
            self.function(value, path)
        elif kind is types.MethodType:
            self.several("method", (value.__func__, value.__self__), path)
        elif kind in (staticmethod, classmethod):
            self.several(kind.__name__, (value.__func__,), path)
        elif kind is property:
            self.several("property", (value.fget, value.fset, value.fdel), path)
        elif kind is functools.partial:
            self.several("partial", (value.func, value.args, value.keywords), path)
        elif kind is functools.cached_property:
            self.several("cached", (value.func,), path)
        elif kind in (types.MemberDescriptorType, types.GetSetDescriptorType):
            self.text("slot", value.__name__)
        elif isinstance(value, _COMPILED):
            self.compiled(value, path)
        elif isinstance(value, type):
            self.type(value, path)
        else:
            self.instance(value, path)

    def library(self, name: str, path: str) -> bool:
        """Returns true if a module belongs to Python or an installed package, and adds their version to the digest."""
        if any(name == varying or name.startswith(varying + ".") for varying in _VARYING):
            what = f"the module `{name}`, whose results are not determined by the program"
            raise Unknown(f"`{path}` uses {what}")
        found = _library(name)
        if found is not None:
            self.text("library", name, found)
        return found is not None

    def module(self, module: types.ModuleType, path: str) -> None:
        if self.library(module.__name__, path):
            return
        self.text("module", module.__name__)
        for name, item in sorted(vars(module).items()):
            if not (name.startswith("__") and name.endswith("__")):
                self.text(name)
                self.value(item, f"{path}.{name}")

    def compiled(self, value: Any, path: str) -> None:
        """A function that is not written in Python, or is one with a cache of `functools`."""
        if type(value).__module__ == "functools":
            self.several("cached", (value.__wrapped__,), path)
            return
        name = getattr(value, "__name__", "?")
        owner = getattr(value, "__objclass__", None)
        module = getattr(value, "__module__", None) or getattr(owner or type(value), "__module__", None) or "builtins"
        if module == "builtins" and name in _DYNAMIC:
            raise Unknown(f"`{path}` is the built-in function `{name}`, which can reach anything")
        if not self.library(module, path):
            owner = f"the module `{module}`, which belongs to no installed package"
            raise Unknown(f"`{path}` is a compiled function of {owner}")
        self.foreign(getattr(value, "__qualname__", name), path)
        bound = getattr(value, "__self__", None)
        if bound is not None and not isinstance(bound, types.ModuleType):
            self.value(bound, path)

    def foreign(self, name: str, path: str) -> None:
        """Adds a function of a package or of the standard library by its name in a known module."""
        if _READING.fullmatch(name):
            raise Unknown(f"`{path}` reads a file of unknown content")
        self.text("foreign", name)

    def function(self, function: types.FunctionType, path: str) -> None:
        code, scope = function.__code__, function.__globals__
        if self.library(str(scope.get("__name__")), path):
            self.foreign(function.__qualname__, path)
            self.text(code.co_firstlineno)
        else:
            self.text("function")
            cells = zip(code.co_freevars, function.__closure__ or ())
            self.code(code, scope, {name: _content(cell, name, path) for name, cell in cells}, path)
        enclosed = [_content(cell, "?", path) for cell in function.__closure__ or ()]
        self.several("closure", (item for item in enclosed if not _is_module(item)), path)
        self.value(function.__defaults__, path)
        self.value(function.__kwdefaults__, path)
        self.value(dict(sorted(vars(function).items())), path)

    def code(self, code: types.CodeType, scope: dict[str, Any], cells: dict[str, Any], path: str) -> None:
        self.text("code", code.co_code, getattr(code, "co_exceptiontable", b""), code.co_flags)
        self.text(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self.text(*code.co_names, "|", *code.co_varnames, "|", *code.co_freevars, "|", *code.co_cellvars)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant, scope, cells, f"{path}.{constant.co_name}")
            else:
                self.value(constant, path)
        steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
        for place, step in enumerate(steps):
            name, what = step.argval, step.opname
            if what in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise Unknown(f"`{path}` changes the global `{name}`, so a run depends on earlier runs")
            if what == "IMPORT_NAME":
                self.imported(name, scope, steps[place - 2].argval if place > 1 else 0, path)
            elif what in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
                self.named(name, scope, steps[place + 1 :], path)
            elif what in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF") and _is_module(cells.get(name)):
                self.within(cells[name], name, steps[place + 1 :], path)

    def named(self, name: str, scope: dict[str, Any], steps: list[dis.Instruction], path: str) -> None:
        """Adds a global that the code loads."""
        if name in scope:
            self.text("global", name)
            value = scope[name]
            if _is_module(value):
                self.within(value, name, steps, path)
            else:
                self.value(value, f"{path} → {name}")
        elif hasattr(builtins, name):
            if name in _DYNAMIC:
                raise Unknown(f"`{path}` calls `{name}`, which can access anything")
            self.text("builtin", name)
        elif name not in ("__class__", "__module__", "__name__", "__qualname__"):
            raise Unknown(f"`{path}` names `{name}`, which is not defined yet")

    def within(self, module: types.ModuleType, name: str, steps: list[dis.Instruction], path: str) -> None:
        """Adds the attribute of a module that the next instructions load."""
        value: Any = module
        for step in steps:
            if not _is_module(value) or step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            self.text("attribute", step.argval)
            if not hasattr(value, step.argval):
                raise Unknown(f"`{path}` names `{name}.{step.argval}`, which does not exist")
            self.library(value.__name__, path)
            value, name = getattr(value, step.argval), f"{name}.{step.argval}"
        self.value(value, f"{path} → {name}")

    def imported(self, name: str, scope: dict[str, Any], level: Any, path: str) -> None:
        """Adds a module that is imported while a function runs."""
        if level:
            name = "." * int(level) + name
            raise Unknown(f"`{path}` imports from `{name}` while it runs; import it at the top of the file")
        module = sys.modules.get(name)
        if module is None:
            raise Unknown(f"`{path}` imports `{name}` while it runs; import it at the top of the file")
        self.value(module, f"{path} → {name}")

    def type(self, cls: type, path: str) -> None:
        if self.library(cls.__module__, path):
            self.text("class", cls.__qualname__)
            return
        self.text("class", cls.__name__)
        if type(cls) not in (type, abc.ABCMeta):
            self.value(type(cls), path)
        self.several("bases", cls.__mro__[1:], path)
        for name, item in sorted(vars(cls).items()):
            if name not in _NEUTRAL:
                self.text(name)
                self.value(item, f"{path}.{name}")

    def instance(self, value: Any, path: str) -> None:
        cls = type(value)
        own = [base for base in cls.__mro__ if base not in (object, abc.ABC, typing.Generic, typing.Protocol)]
        if isinstance(value, tuple) and hasattr(cls, "_fields"):
            self.several("named", tuple(value), path)
            own.remove(tuple)
        if any(_library(base.__module__) is not None for base in own):
            name = f"{cls.__module__}.{cls.__qualname__}"
            raise Unknown(f"`{path}` is an object of type `{name}`, whose content cannot be followed")
        self.value(cls, path)
        held = dict(getattr(value, "__dict__", {}))
        attributes = (item for base in cls.__mro__ for item in vars(base).items())
        slots = (name for name, item in attributes if isinstance(item, types.MemberDescriptorType))
        held.update((name, getattr(value, name)) for name in slots if hasattr(value, name))
        self.value(dict(sorted(held.items())), path)


def _is_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType)


def _content(cell: types.CellType, name: str, path: str) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise Unknown(f"`{path}` names `{name}` of an enclosing function, which is not defined yet") from None


@functools.lru_cache(maxsize=None)
def _library(name: str) -> str | None:
    """Returns a text that changes with the version of Python or of an installed package; None for a module of the
    user."""
    top = name.partition(".")[0]
    if top != "__main__" and (top in sys.builtin_module_names or top in sys.stdlib_module_names):
        return sys.version
    file = getattr(sys.modules.get(name), "__file__", None)
    for distribution in _distributions().get(top, ()):
        found = metadata.distribution(distribution)
        record, root = found.read_text("RECORD"), Path(str(found.locate_file("")))
        if file is None or not Path(file).is_relative_to(root):
            continue
        files = {part.as_posix() for part in found.files or ()}
        if record is not None and Path(file).relative_to(root).as_posix() in files:
            # The record of the installation alone would miss later changes to the file.
            content = hashlib.sha256(record.encode() + Path(file).read_bytes()).hexdigest()
            return f"{' '.join(sorted(_required(distribution, set())))} {content}"
    return None


def _required(distribution: str, known: set[str]) -> set[str]:
    """Returns the versions of a distribution and of its installed requirements."""
    try:
        found = f"{distribution.lower()}={metadata.version(distribution)}"
        if found not in known:
            known.add(found)
            for requirement in metadata.requires(distribution) or ():
                if "extra ==" not in requirement:
                    _required(re.split(r"[^\w.-]", requirement, maxsplit=1)[0], known)
    except metadata.PackageNotFoundError:
        pass
    return known


@functools.lru_cache(maxsize=None)
def _distributions() -> dict[str, list[str]]:
    return {name: sorted(set(found)) for name, found in metadata.packages_distributions().items()}

"""The program `mbsbench` from Python, and its answers."""

import ctypes
import os
from pathlib import Path

import pandas as pd

from . import _mbsbench


class CommandFailed(Exception):
    """A command did not end well; the text is what it said."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code = code
        """1: a verdict or run differs from what is expected; 2: bad input; 3: the disk, the system or the program failed."""


def interrupt() -> None:
    """Raises KeyboardInterrupt in all threads that are in a `step`, which no budget can end."""
    for thread in _mbsbench.stepping_threads():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


def data() -> Path:
    """The folder with `experiments` and `results`: `MBSBENCH_HOME`, or the project around this folder, or what is built in."""
    home = os.environ.get("MBSBENCH_HOME")
    if home:
        return Path(home)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "experiments" / "comparison").is_dir():
            return folder
    return Path(_mbsbench.builtin())


def command(*arguments: "str | os.PathLike[str]", accept: tuple[int, ...] = (0,)) -> str:
    """Runs the program with these arguments and gives what it prints. Experiments are those of `data`, unless the arguments say else.

    Raises:
        CommandFailed: with an exit code that is not accepted.
    """
    texts = [os.fspath(argument) for argument in arguments]
    if "--experiments" not in texts:
        texts += ["--experiments", str(data() / "experiments")]
    code, out, err = _mbsbench.command(texts, interrupt)
    if code not in accept:
        raise CommandFailed(code, err.strip() or out.strip())
    return out


def verify(paper: str, results: "str | os.PathLike[str] | None" = None) -> pd.DataFrame:
    """Judges the statements of a paper or set on its results, and gives one row a check: statement, verdict, required, measured, …

    Raises:
        CommandFailed: there are no such results, or no such paper.
    """
    from .results import checks

    folder = Path(results) if results is not None else data() / "results"
    command("verify", paper, "--results", folder, accept=(0, 1))
    return checks(folder / paper / "claims.json")


def explain(statement: str, results: "str | os.PathLike[str] | None" = None) -> str:
    """Explain one verdict: evidence, checks, sensitivities, commands to reproduce it."""
    folder = Path(results) if results is not None else data() / "results"
    return command("explain", statement, "--results", folder)

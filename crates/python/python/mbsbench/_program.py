"""The program `mbsbench` from Python, and its answers."""

import ctypes
import json
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


def home() -> Path | None:
    """The folder with `experiments` and `results`: `MBSBENCH_HOME`, or the project around this folder; if there is neither, the program
    looks into the current folder and has its built-in experiments and results."""
    named = os.environ.get("MBSBENCH_HOME")
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "experiments" / "comparison" / "pendulum.yaml").is_file():
            return folder
    return None


def command(*arguments: "str | os.PathLike[str]", accept: tuple[int, ...] = (0,)) -> str:
    """Runs the program with these arguments and returns what it prints. Experiments are those of `MBSBENCH_HOME` or of the project
    around this folder, unless `--experiments` names others; outside a project they are the built-in ones and those in `experiments` here.

    Raises:
        CommandFailed: with an exit code that is not accepted.
    """
    texts = [os.fspath(argument) for argument in arguments]
    project = home()
    if project is not None and "--experiments" not in texts:
        texts += ["--experiments", str(project / "experiments")]
    code, out, err = _mbsbench.command(texts, interrupt)
    if code not in accept:
        raise CommandFailed(code, err.strip() or out.strip())
    return out


def verify(paper: str, results: "str | os.PathLike[str] | None" = None) -> pd.DataFrame:
    """Judges the statements of a paper or set on its results, and returns one row a check: statement, verdict, required, measured, …

    Args:
        results: the folder with the results. If it is not given, they are those of the project around this folder, or else those in
            `results` here and, for experiments without results there, the built-in ones.

    Raises:
        CommandFailed: there are no such results, or no such paper.
    """
    from .results import checks

    command("verify", paper, *_results(results), accept=(0, 1))
    folder = Path(results) if results is not None else (home() or Path()) / "results"
    return checks(folder / paper / "claims.json")


def explain(statement: str, results: "str | os.PathLike[str] | None" = None) -> str:
    """Explain one statement: outcome, evidence, checks, commands to reproduce it."""
    return command("explain", statement, *_results(results))


def experiment_file(name: str) -> Path:
    """The file of an experiment (`gil2013/adaptive-llm`) of the project, of this folder, or of those that are built in.

    Raises:
        FileNotFoundError: no experiment has this name.
    """
    listed = json.loads(command("list", "experiments", "--format", "json"))
    for experiment in listed:
        if experiment["id"] == name:
            return Path(experiment["file"])
    accepted = 'accepted: the path of a file, or a name that mbsbench.command("list", "experiments") lists'
    raise FileNotFoundError(f"`{name}` is neither a file nor an experiment; {accepted}")


def _results(folder: "str | os.PathLike[str] | None") -> "list[str | os.PathLike[str]]":
    return [] if folder is None else ["--results", folder]

"""The program `mbsbench`, called from Python."""

import ctypes
import json
import os
from pathlib import Path

import pandas as pd

from . import _mbsbench


class CommandFailed(Exception):
    """A command failed; the text is its message."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code = code
        """1: a verdict or run differs from what is expected; 2: bad input; 3: the disk, the system or the program
        failed."""


def interrupt() -> None:
    """Raises KeyboardInterrupt in all threads that execute a `step`, because no budget can end them."""
    for thread in _mbsbench.stepping_threads():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


def home() -> Path | None:
    """Returns the folder with `experiments` and `results`: `MBSBENCH_HOME`, or the enclosing project. If there is
    neither, the program uses the current folder and its built-in experiments and results."""
    named = os.environ.get("MBSBENCH_HOME")
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "experiments" / "comparison" / "pendulum.yaml").is_file():
            return folder
    return None


def command(*arguments: "str | os.PathLike[str]", accept: tuple[int, ...] = (0,)) -> str:
    """Runs the program with these arguments and returns its standard output. Experiments are those of `MBSBENCH_HOME`
    or of the enclosing project, unless `--experiments` names others. Outside a project, they are the built-in ones and
    those in `experiments` in the current folder.

    Raises:
        CommandFailed: the exit code is not accepted.
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
    """Checks the statements of a paper or set of problems against its results. Returns one row per check: statement,
    verdict, required, measured, …

    Args:
        results: the folder with the results [default: those of the enclosing project; outside a project those in
            `results` in the current folder, and built-in ones for experiments without results there].

    Raises:
        CommandFailed: the paper or its results are missing.
    """
    from .results import checks

    command("verify", paper, *_results(results), accept=(0, 1))
    folder = Path(results) if results is not None else (home() or Path()) / "results"
    return checks(folder / paper / "claims.json")


def explain(statement: str, results: "str | os.PathLike[str] | None" = None) -> str:
    """Explains one statement: outcome, evidence, checks, commands to reproduce it."""
    return command("explain", statement, *_results(results))


def experiment_file(name: str) -> Path:
    """Returns the file of an experiment (`gil2013/adaptive-llm`) of the project, the current folder, or the built-in
    experiments.

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

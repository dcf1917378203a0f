"""The contents of the package: types, notebooks, reference."""

import subprocess
import sys
from pathlib import Path

import pytest

import mbsbench


def test_types_hold_in_strict_mode(project: Path) -> None:
    pytest.importorskip("mypy")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "python/mbsbench"],
        cwd=project / "crates" / "python",
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("notebook", ["my-integrator", "my-model", "ledger"])
def test_notebooks_run_from_top_to_bottom(project: Path, notebook: str, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    read = nbformat.read(project / "examples" / "python" / f"{notebook}.ipynb", as_version=4)
    nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(project)}}).execute()
    assert any(cell.get("outputs") for cell in read.cells)


def test_the_reference_is_that_of_the_docstrings(project: Path) -> None:
    made = subprocess.run(
        [sys.executable, project / "scripts" / "python_reference.py"], capture_output=True, text=True, check=True
    ).stdout
    written = (project / "docs" / "python-reference.md").read_text(encoding="utf-8")
    assert made == written, "python scripts/python_reference.py > docs/python-reference.md"


def test_what_the_readme_says_is_true(project: Path) -> None:
    """The program in the README prints a table and a summary."""
    text = (project / "crates" / "python" / "README.md").read_text(encoding="utf-8")
    program = text.split("```python\n")[1].split("```")[0]
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "heun: reaches" in printed and "right-hand sides" in printed


def test_experiments_and_baselines_are_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory is outside any project, and no project is named."""
    monkeypatch.delenv("MBSBENCH_HOME")
    ranked = mbsbench.compare("dop853", models=["pendulum"])
    assert set(ranked.table["result"]) >= {"reached"}
    assert "gil2013" in mbsbench.command("list", "papers")
    assert not Path("results").exists()

    assert len(mbsbench.run("gil2013/linear-exactness", progress=False).runs) == 20
    assert set(mbsbench.verify("gil2013")["verdict"]) >= {"reproduced"}
    assert "outcome     reproduced" in mbsbench.explain("gil2013/linear/exact")
    with pytest.warns(UserWarning, match="built-in"):
        shaft = mbsbench.load("results", "zhang2022/shaft-convergence")
    assert len(shaft.runs) and shaft.figures
    with pytest.raises(FileNotFoundError, match="neither a file nor an experiment"):
        mbsbench.run("gil2013/nothing")

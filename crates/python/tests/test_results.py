"""Runs, ledgers and results."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mbsbench

EXPERIMENT = {
    "id": "mine/order",
    "title": "Order of two formulas",
    "model": "pendulum",
    "span": [0, 1],
    "method": ["rk3", "rk4"],
    "step": ["2^-4", "2^-5", "2^-6"],
    "reference": {"method": "rk8", "step": "2^-8", "check": {"method": "gbs", "step": "2^-8"}},
    "measures": [{"error": {"of": "theta"}}, "rhs_evaluations"],
    "plots": [{"id": "figure-1", "x": "step", "y": "error(theta)", "series": "method", "scale": "log-log"}],
}


def test_a_dict_is_run_like_a_file(tmp_path: Path) -> None:
    told = []
    from_dict = mbsbench.run(EXPERIMENT, out=tmp_path / "a", progress=lambda *counts: told.append(counts))
    file = tmp_path / "order.yaml"
    # A power has no quotes in a file.
    file.write_text(re.sub(r'"(2\^-\d)"', r"\1", json.dumps(EXPERIMENT)))
    from_file = mbsbench.run(file, out=tmp_path / "b", progress=False)
    pd.testing.assert_frame_equal(from_dict.runs, from_file.runs)
    assert told[-1] == (6, 6, 0)
    errors = from_dict.runs.pivot(index="step", columns="method", values="error(theta)")
    slopes = np.polyfit(np.log(errors.index.astype(float)), np.log(errors.astype(float)), 1)[0]
    # On this motion the first term of the error of rk4 nearly vanishes.
    assert abs(slopes[0] - 3) < 0.3 and slopes[1] > 3.7
    assert "figure-1" in from_dict.pictures and from_dict.pictures["figure-1"]._repr_svg_().rstrip().endswith("</svg>")
    assert set(from_dict.figures["figure-1"]["series"]) == {"rk3", "rk4"}


def test_bad_input_says_where_and_what(tmp_path: Path) -> None:
    with pytest.raises(mbsbench.InputError, match="did you mean `rk4`|rk4"):
        mbsbench.run(EXPERIMENT | {"method": "rk44"}, progress=False)
    with pytest.raises(mbsbench.InputError, match="increasing times"):
        mbsbench.solve("pendulum", 1.0, step=0.1, method="rk4", at=[2.0])
    with pytest.raises(mbsbench.InputError, match="either `step` or `tolerance`"):
        mbsbench.solve("pendulum", 1.0)


def test_ledgers_are_judged_and_explained(project: Path, tmp_path: Path) -> None:
    import shutil

    results = tmp_path / "results"
    for part in ["gil2013", "times/gil2013"]:
        shutil.copytree(project / "results" / part, results / part)
    checks = mbsbench.verify("gil2013", results=results)
    committed = mbsbench.results.checks(project / "results" / "gil2013" / "claims.json")
    assert list(checks["verdict"]) == list(committed["verdict"])
    statement = checks["statement"].iloc[0]
    assert statement in mbsbench.explain(statement, results=results)
    with pytest.raises(mbsbench.CommandFailed) as raised:
        mbsbench.verify("gil2014", results=results)
    assert raised.value.code == 2


def test_committed_results_are_read(project: Path) -> None:
    shaft = mbsbench.load(project / "results", "zhang2022/shaft-convergence")
    assert len(shaft.runs) and len(shaft.checks) and shaft.figures and shaft.pictures


def test_edited_results_are_refused(tmp_path: Path) -> None:
    mbsbench.run(EXPERIMENT, out=tmp_path, progress=False)
    folder = tmp_path / "mine" / "order"
    (folder / "notes.csv").write_text("x\n1\n")
    with pytest.warns(UserWarning, match="notes.csv"):
        mbsbench.load(tmp_path, "mine/order")
    (folder / "runs.csv").write_text((folder / "runs.csv").read_text().replace("rk4", "rk5"))
    with pytest.raises(mbsbench.InputError, match="runs.csv was changed after it was written"):
        mbsbench.load(tmp_path, "mine/order")


def test_trajectories_are_arrays() -> None:
    results = mbsbench.run(
        EXPERIMENT
        | {
            "id": "mine/curves",
            "method": "rk4",
            "step": "2^-6",
            "plots": [{"id": "figure-1", "x": "t", "y": "theta", "series": "method"}],
        },
        progress=False,
    )
    (curves,) = results.curves.values()
    assert curves["t"].iloc[-1] == 1.0 and np.isfinite(curves["theta"]).all()


def test_frames_go_over_by_arrow(project: Path) -> None:
    polars = pytest.importorskip("polars")
    folders = (project / "results/gil2013").iterdir()
    first = sorted(folder.name for folder in folders if (folder / "runs.csv").exists())[0]
    runs = mbsbench.load(project / "results", f"gil2013/{first}").runs
    assert polars.DataFrame(runs).shape == runs.shape

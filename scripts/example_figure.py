# %% [markdown]
# Draws a figure of the results with matplotlib, from the folder of the project: errors of the index-3 formulas on the
# slider crank over the step. As a program, it accepts the name of the picture to write.

# %%
import sys
from pathlib import Path

import matplotlib.pyplot as plt

# The package need not be installed: this module of it requires pandas only.
project = Path(__file__).parents[1] if "__file__" in globals() else Path()
sys.path.insert(0, str(project / "crates/python/python/mbsbench"))
from results import load

found = load("results", "negrut2007/slider-crank-order")
found.checks[["id", "required", "measured", "verdict"]]

# %% The data of the figure, panel by panel
panels = [found.figures[f"positions-all{letter}"] for letter in "ab"]

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for axis, panel in zip(axes, panels):
    for method, curve in panel.groupby("series", sort=False):
        order = curve["slope"].iloc[0]
        axis.loglog(curve["x"], curve["y"], marker=".", label=f"{method}, order {order:.2f}")
    axis.set_xlabel("step size (s)")
    axis.legend(fontsize="small")
axes[0].set_ylabel("error of the positions (rad)")

# %% The same from the runs themselves
down = found.runs.query("case == 'down' and status == 'ok'")
down.pivot(index="step", columns="method", values="position_error")

# %%
if len(sys.argv) > 1 and sys.argv[1].endswith((".png", ".svg", ".pdf")):
    figure.savefig(sys.argv[1], dpi=150)
else:
    plt.show()

# %% [markdown]
# # Does it know when it is right?
#
# A notebook in cells: run it whole (`python examples/calibration_plot.py`), or cell by cell in an editor that knows `# %%`.
# It needs `humbly` and NumPy; with matplotlib it also draws `calibration.png`.

# %%
import sys

import numpy as np

import humbly
from humbly import metrics

# %% [markdown]
# ## Answers with stated confidences
#
# Two invented agents on the same 400 questions. `careful` says what it can do; `sure` says 0.9 or more whatever happens.
# Your own: any two columns, such as `frame["confidence"]` and `frame["correct"]` of a pandas data frame.

# %%
draw = np.random.default_rng(0)
chance = draw.beta(2.0, 1.2, size=400)  # how likely each question is answered rightly
agents = {
    "careful": (np.clip(chance + draw.normal(0.0, 0.05, 400), 0.0, 1.0), draw.random(400) < chance),
    "sure": (draw.choice([0.9, 0.95, 1.0], size=400), draw.random(400) < chance),
}

# %% [markdown]
# ## One number at a time
#
# Each is a `Measured`: value and n, or undefined with the reason, never 0.

# %%
for name, (confidence, correct) in agents.items():
    print(f"{name:8} ECE {metrics.ece(confidence, correct)}   AUROC {metrics.auroc(confidence, correct)}")
    print(f"{'':8} mean confidence of the wrong answers {metrics.mcip(confidence, correct)}")

nobody_wrong = metrics.mcip([0.9, 0.8], [True, True])
print("no wrong answer:", nobody_wrong.value)  # undefined (no_wrong_answers)

# %% [markdown]
# ## The whole table, with intervals

# %%
rows = metrics.calibration(
    np.concatenate([confidence for confidence, _ in agents.values()]),
    np.concatenate([correct for _, correct in agents.values()]),
    by=np.repeat(list(agents), 400),
    resamples=2_000,
)
for row in rows:
    print(row["group"], "· accuracy", row["accuracy"], "· ECE", row["ece"], "· Brier", row["brier"])

# %% [markdown]
# ## Reliability, drawn
#
# A point below the diagonal is overconfident. Its area says how many answers it rests on; a bin without answers has no
# point, for nothing is known there.


# %%
def draw_reliability(rows: list[dict], path: str) -> None:
    """Draw the bins of each row and save the picture."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5.2, 5.0), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0)
    for row in rows:
        bins = [each for each in row["bins"] if each["n"] > 0]
        confidence = [float(each["confidence"]) for each in bins]
        accuracy = [float(each["accuracy"]) for each in bins]
        ece = f"{row['group']}, ECE {float(row['ece']):.2f}" if row["ece"].is_defined else f"{row['group']}, ECE undefined"
        [line] = axes.plot(confidence, accuracy, linewidth=1, label=ece)
        axes.scatter(confidence, accuracy, s=[4 + each["n"] for each in bins], color=line.get_color(), alpha=0.7)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated confidence", ylabel="share right", aspect="equal")
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(path, dpi=150)
    print("drawn:", path)


# %%
try:
    import matplotlib
except ImportError:
    print(f"no picture: matplotlib is not installed (pip install matplotlib); humbly {humbly.__version__}", file=sys.stderr)
else:
    matplotlib.use("Agg")  # leave this line out to see it in a notebook
    draw_reliability(rows, "calibration.png")

"""SciPy's bootstrap and scikit-learn's AUROC on the sizes of the benches beside this file.

Needs numpy, scipy and scikit-learn. Prints the best and the median of five runs, in milliseconds.
"""

import statistics
import time

import numpy
import scipy
import sklearn
from scipy.stats import bootstrap
from sklearn.metrics import roc_auc_score


def measure(name, work, runs=5):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    print(f"{name}: best {min(times):.1f} ms, median {statistics.median(times):.1f} ms")


random = numpy.random.default_rng(1)
scores = random.random(5_000)
print(f"numpy {numpy.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}")
measure(
    "scipy.stats.bootstrap, mean of 5000, 10000 resamples, percentile",
    lambda: bootstrap((scores,), numpy.mean, n_resamples=10_000, method="percentile", random_state=1),
)

million = random.random(1_000_000)
outcomes = (random.random(1_000_000) < million).astype(int)
measure("sklearn roc_auc_score, 1000000 continuous", lambda: roc_auc_score(outcomes, million))
rounded = numpy.round(million, 2)
measure("sklearn roc_auc_score, 1000000 percents", lambda: roc_auc_score(outcomes, rounded))

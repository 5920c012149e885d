"""Times scikit-learn and the trainer on the same rows in the same run, one thread each, by CPU time.

    NEARMARK_DATA=... python trainer/benches/against_sklearn.py

Needs NumPy and scikit-learn. Prints a table in Markdown; README.md beside this file keeps one.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import subprocess
import time

import numpy as np
import sklearn
from sklearn.decomposition import KernelPCA
from sklearn.svm import SVC

REPEATS = 3


def mnist(per_class):
    z = np.load(os.path.join(os.environ["NEARMARK_DATA"], "mnist", "mnist.npz"))
    rows, labels = z["X_train"], z["y_train"]
    keep = np.sort(np.concatenate([np.flatnonzero(labels == c)[:per_class] for c in range(10)]))
    return rows[keep] / 255.0, labels[keep]


def mean_distance(rows):
    squares = (rows**2).sum(1)
    d = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * rows @ rows.T, 0))
    return d.sum() / (len(rows) * (len(rows) - 1))


def theirs(fit):
    best = float("inf")
    for _ in range(REPEATS):
        before = time.process_time()
        fit()
        best = min(best, time.process_time() - before)
    return best


def ours(case, repeats=REPEATS):
    command = ["cargo", "bench", "-q", "-p", "nearmark-train", "--bench", "once", "--", case]
    runs = [json.loads(subprocess.check_output(command, stderr=subprocess.DEVNULL)) for _ in range(repeats)]
    return min(runs, key=lambda run: run["cpu_s"])


def main():
    subprocess.check_call(["cargo", "bench", "-q", "-p", "nearmark-train", "--bench", "once", "--no-run"])
    rows, labels = mnist(200)
    gamma = 0.5 / mean_distance(rows) ** 2
    svc = theirs(lambda: SVC(C=10, gamma="scale").fit(rows, labels))
    kpca = theirs(lambda: KernelPCA(20, kernel="rbf", gamma=gamma, eigen_solver="arpack").fit(rows))
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, {processor()}\n")
    print("| case | rows × features | ours, CPU s | scikit-learn, CPU s | ratio | memory of the fit, MB | of one N×N matrix |")
    print("|---|---|---|---|---|---|---|")
    line("cmvda-2000", "`SVC(C=10).fit`", svc)
    line("kpca-2000", "`KernelPCA(20, arpack).fit`", kpca)
    for case in ("nsse-840", "cmvda-10000", "nystrom-60000", "random-60000"):
        line(case)


def line(case, rival=None, seconds=None):
    run = ours(case, REPEATS if rival or case == "nsse-840" else 1)
    square = run["fit_mb"] / (run["rows"] ** 2 * 8 / 2**20)
    theirs, ratio = (f"{rival} {seconds:.2f}", f"{run['cpu_s'] / seconds:.2f}") if rival else ("–", "–")
    shape = f"{run['rows']} × {run['width']}"
    print(f"| {case} | {shape} | {run['cpu_s']:.2f} | {theirs} | {ratio} | {run['fit_mb']:.0f} | {square:.2f} |", flush=True)


def processor():
    with open("/proc/cpuinfo") as lines:
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))


if __name__ == "__main__":
    main()

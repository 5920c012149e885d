"""Times scikit-learn and the trainer on the same rows in the same run, one thread each, by CPU time.

    NEARMARK_DATA=... python trainer/benches/compare.py

Needs NumPy and scikit-learn. Prints a table in Markdown; README.md beside this file keeps one.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import subprocess
import time

import numpy as np
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
    rows, labels = mnist(200)
    width = mean_distance(rows)
    gamma = 0.5 / width**2
    svc = theirs(lambda: SVC(C=10, gamma="scale").fit(rows, labels))
    kpca = theirs(lambda: KernelPCA(20, kernel="rbf", gamma=gamma, eigen_solver="arpack").fit(rows))
    print("| case | ours, CPU s | theirs, CPU s | ratio | peak MB |")
    print("|---|---|---|---|---|")
    for case, rival, seconds in (
        ("cmvda-2000", "SVC(C=10, gamma=scale).fit", svc),
        ("kpca-2000", "KernelPCA(20, arpack).fit", kpca),
    ):
        run = ours(case)
        ratio = run["cpu_s"] / seconds
        print(f"| {case} | {run['cpu_s']:.2f} | {rival} {seconds:.2f} | {ratio:.2f} | {run['peak_mb']:.0f} |")
    for case in ("nsse-840", "cmvda-10000", "nystrom-60000", "random-60000"):
        run = ours(case, 1)
        print(f"| {case} | {run['cpu_s']:.2f} | – | – | {run['peak_mb']:.0f} |")


if __name__ == "__main__":
    main()

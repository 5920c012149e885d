"""Writes split.txt: the test rows of scikit-learn's digits, 70/30, stratified, seed 0.

    python trainer/data/digits/split.py          # needs scikit-learn; split.txt was made with 1.9.1
"""

from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

labels = load_digits().target
_, test = train_test_split(range(len(labels)), test_size=0.3, stratify=labels, random_state=0)
lines = "".join(f"{row}\n" for row in sorted(test))
(Path(__file__).parent / "split.txt").write_text(lines)

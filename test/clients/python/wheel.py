"""Builds the package as pip does into the folder of its argument, imports it from there, and prints its contents."""

import base64
import hashlib
import json
import os
import sys
import zipfile

import build_wheel

path = os.path.join(sys.argv[1], build_wheel.build_wheel(sys.argv[1]))
sys.path.insert(0, path)
import gleaner  # noqa: E402

with zipfile.ZipFile(path) as wheel:
    names = wheel.namelist()
    rows = [row.split(",") for row in wheel.read(names[-1]).decode().splitlines()]
    for name, hashed, size in rows[:-1]:
        content = wheel.read(name)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert (hashed, size) == (f"sha256={digest}", str(len(content))), name
    assert [row[0] for row in rows] == names
print(json.dumps({"names": names, "from": os.path.relpath(gleaner.__file__, path), "version": gleaner.__version__}))

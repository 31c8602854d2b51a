"""Builds the package from gleaner.py: what ``pip install ./clients/python`` calls (PEP 517).

The module becomes the package ``gleaner`` with a file ``py.typed`` beside it, without which type checkers ignore the types of
what is installed (PEP 561). It needs nothing to be downloaded.
"""

import base64
import hashlib
import os
import re
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    module, readme = _read("gleaner.py"), _read("README.md")
    version = re.search(rb'^__version__ = "(.+)"$', module, re.MULTILINE)[1].decode()
    info = f"gleaner_client-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: gleaner-client\nVersion: {version}\n"
        "Summary: The Python client of Gleaner, a data-extraction run service\n"
        "License: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
    ).encode()
    files = {
        "gleaner/__init__.py": module,
        "gleaner/py.typed": b"",
        f"{info}/METADATA": metadata + readme,
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: gleaner\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{name},sha256={_hash(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    wheel = f"gleaner_client-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def _read(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def _hash(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()

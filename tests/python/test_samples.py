# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The samples in Python run as their users run them."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples" / "embed"


def test_the_script(tmp_path):
    image = pytest.importorskip("PIL.Image")
    target = tmp_path / "both.png"
    done = subprocess.run([sys.executable, SAMPLES / "blur.py", SAMPLES.parent / "data" / "dandelion.png", target], capture_output=True, text=True,
                          env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "ms for one blur" in done.stdout
    with image.open(target) as picture:
        assert picture.size == (664, 187)


def test_the_notebook():
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    import nbformat
    notebook = nbformat.read(SAMPLES / "blur.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(SAMPLES)}}).execute()
    last = notebook.cells[-1].outputs[0]["data"]
    assert "srcdoc" in last["text/html"]

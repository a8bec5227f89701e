# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs: files, the cache, tuning, explanations, the standard library."""
import doctest
import shutil

import numpy as np
import pbc
import pytest

SUMS = """transform Sums
from A[n]
to B[n]
{
  rule Direct B.cell(i) from(A.region(0, i + 1) a) {
    double s = 0;
    for (int k = 0; k <= i; ++k)
      s += a.cell(k);
    return s;
  }
  rule Left B.cell(i) from(A.cell(i) a, B.cell(i - 1) b) { return a + b; }
}
"""


def test_a_file_that_changes_is_another_program(tmp_path):
    path = tmp_path / "scale.pbcc"
    text = "transform Scale from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return FACTOR * a; } }"
    path.write_text(text.replace("FACTOR", "2"))
    twice = pbc.compile(path)
    path.write_text(text.replace("FACTOR", "3"))
    thrice = pbc.compile(path)
    assert twice.Scale([1.0])[0] == 2 and thrice.Scale([1.0])[0] == 3
    path.write_text(text)
    assert pbc.compile(path, options=["-DFACTOR=7"]).Scale([1.0])[0] == 7


def test_tuning_is_used_at_once_and_later(tmp_path):
    path = tmp_path / "sums.pbcc"
    path.write_text(SUMS)
    f = pbc.compile(path)
    a = np.random.default_rng(0).random(5000)
    found = f.tune(size=5000, budget=2)
    assert found["speedup"] > 2, found
    assert '"Left"' in f.configuration
    np.testing.assert_allclose(f.Sums(a), np.cumsum(a))
    again = pbc.compile(path)
    assert again.configuration == f.configuration
    assert "<html" in f.report().html and "srcdoc" in f.report()._repr_html_()
    # A configuration of an older text is left aside.
    path.write_text(SUMS.replace("Left", "FromLeft"))
    assert '"Left"' not in pbc.compile(path).configuration


def test_each_number_of_threads_has_its_configuration(tmp_path):
    path = tmp_path / "sums.pbcc"
    path.write_text(SUMS)
    one, all_of_them = pbc.compile(path, threads=1), pbc.compile(path)
    one.tune(size=1000, budget=1)
    assert '"Left"' in one.configuration
    assert '"Left"' not in pbc.compile(path).configuration
    assert pbc.compile(path, threads=1).configuration == one.configuration
    all_of_them.tune(size=1000, budget=1)
    assert '"Left"' in pbc.compile(path, threads=3).configuration == all_of_them.configuration


@pytest.mark.skipif(not shutil.which("c++"), reason="the fake device compiles its kernels by c++")
def test_steps_on_a_device(tmp_path, monkeypatch):
    path = tmp_path / "scale.pbcc"
    path.write_text("transform Scale from A[w, h], F to B[w, h] { B.cell(x, y) from(A.cell(x, y) a, F f) { return a * f; } }")
    places = tmp_path / "places.cfg"
    places.write_text('[Scale]\nsequential_cutoff = 0\nplace_rule0 = "gpu"\n')
    a = np.arange(12.0).reshape(3, 4)
    monkeypatch.setenv("PB_FAKE_DEVICE", "fail=lost:1")
    f = pbc.compile(path, configuration=places, devices="fake")
    np.testing.assert_array_equal(f.Scale(a[:, ::-2], 3), 3 * a[:, ::-2])
    with pytest.raises(pbc.DeviceError, match="lost"):
        pbc.compile(path, configuration=places, devices="fake").Scale(a, 3, out=a)
    assert "place_rule0" in f.configuration and '"gpu"' in f.configuration


def test_sizes_and_accuracies_that_are_no_numbers():
    f = pbc.compile("transform Grid from V to B[w] { B.cell(i) from(V v) { return v; } }")
    with pytest.raises(TypeError, match="Grid has the size w, which has to be a whole number"):
        f.Grid(1.0, w="three")


def test_explanations():
    f = pbc.compile(SUMS)
    text = f.explain("Sums")
    assert "rule Left (line 11): lifted" in text
    assert text._repr_html_().startswith("<pre>transform Sums")
    assert "Sums" in repr(f)


def test_the_standard_library(numbers):
    x = numbers.random(1000)
    np.testing.assert_array_equal(pbc.stdlib.sort(x), np.sort(x))
    a = numbers.random((20, 30))
    np.testing.assert_allclose(pbc.stdlib.matrix_product(a, a.T), a @ a.T)
    assert "matrix_product" in dir(pbc.stdlib)


def test_doctests():
    from pbc import _program
    failures, tried = doctest.testmod(_program)
    assert tried and not failures

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What is refused, in words that name the argument; the process goes on."""
import array

import numpy as np
import pbc
import pytest

X = np.arange(4.0)


@pytest.mark.parametrize("call, kind, said", [
    (lambda f: f.MatMul(np.zeros((3, 20)), np.zeros((4, 5))), pbc.SizeError, r"B has 4 cells, but k is 20.*A\[k, h\] is \[20, 3\], B\[w, k\] is \[5, 4\]"),
    (lambda f: f.MatMul(np.zeros((3, 2)), np.zeros((2, 3)), out=np.zeros((2, 2))), pbc.SizeError, r"C\[w, h\] is to be \[3, 3\].*is \[2, 2\]"),
    (lambda f: f.MatMul(np.zeros((3, 20))), pbc.ArgumentError, "MatMul needs its input B"),
    (lambda f: f.MatMul(X, X), pbc.ArgumentError, r"A is A\[k, h\], with 2 dimensions, and the array has 1"),
    (lambda f: f.Twice(X, X), pbc.ArgumentError, "Twice takes 1 input, and got 2"),
    (lambda f: f.Twice(X, A=X), pbc.ArgumentError, "got its input A twice"),
    (lambda f: f.Twice(X, q=1), pbc.ArgumentError, "has no argument q; it has out, A"),
    (lambda f: f.Twice(np.float32([1])), pbc.ArgumentError, r"A has elements of float64, and is an array of dtype float32: .astype\(\"float64\"\) converts"),
    (lambda f: f.Twice(np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])["a"]), pbc.ArgumentError, r"A has cells 12 bytes apart, no multiple of the 8 bytes of a cell.*\.copy\(\)"),
    (lambda f: f.Twice(np.ma.masked_array(X, mask=[0, 1, 0, 0])), pbc.ArgumentError, r"A is a masked array: .filled\(...\)"),
    (lambda f: f.Twice(X.astype(">f8")), pbc.ArgumentError, "A has to be an array of float64 in the machine's byte order, and is an array of dtype >f8"),
    (lambda f: f.Twice("text"), pbc.ArgumentError, "A has to be an array of float64.*of the type str"),
    (lambda f: f.Twice(["a"]), pbc.ArgumentError, "A is a list that is no array of float64: could not convert"),
    (lambda f: f.Twice([[1], [2, 3]]), pbc.ArgumentError, "A is a list that is no array of float64: .*inhomogeneous"),
    (lambda f: f.Types([1.0], [2.5], [3], [4]), pbc.ArgumentError, "I has elements of int32, and is a list with others"),
    (lambda f: f.Types([1.0], [2], [3], [256]), pbc.ArgumentError, "U is a list that is no array of uint8: .*256"),
    (lambda f: f.Twice(array.array("f", [1])), pbc.ArgumentError, "A has elements of float64, and is of the type array, which has others$"),
    (lambda f: f.Counted(X, "s"), pbc.ArgumentError, "Factor has to be a number, and is of the type str"),
    (lambda f: f.Counted(X, 1, out=X), pbc.ArgumentError, "Counted makes 2 outputs: out has to be a tuple"),
    (lambda f: f.Twice(X, out=np.float32([0, 0, 0, 0])), pbc.ArgumentError, "B has elements of float64, and is an array of dtype float32"),
    (lambda f: f.Twice(X, out=[0] * 4), pbc.ArgumentError, "B is written, and has to be an array of float64, and is of the type list"),
    (lambda f: f.Grid(1), pbc.ArgumentError, "Grid needs the size w, which no input tells: w=..."),
    (lambda f: f.Sorted(np.array([-1.0])), pbc.RuleError, "no negative numbers"),
    (lambda f: f.Endless(X), pbc.RecursionError, "Endless calls itself too deeply"),
])
def test_calls(program, call, kind, said):
    with pytest.raises(kind, match=said):
        call(program)
    np.testing.assert_array_equal(program.Twice(X), 2 * X)


def test_read_only_outputs(program):
    out = np.zeros(4)
    out.flags.writeable = False
    with pytest.raises(pbc.ArgumentError, match="B is written, and the array is read-only"):
        program.Twice(X, out=out)


def test_names(program):
    with pytest.raises(AttributeError, match="has no transform Nothing; it has Twice, MatMul"):
        program.Nothing
    with pytest.raises(KeyError, match="has no transform Nothing"):
        program["Nothing"]


def test_programs(tmp_path):
    with pytest.raises(pbc.CompileError, match=r"program.pbcc:1:50: error: unknown accessor `.cel`"):
        pbc.compile("transform T from A[n] to B[n] { B.cell(i) from(A.cel(i) a) { return a; } }")
    with pytest.raises(FileNotFoundError, match="there is no program nowhere.pbcc"):
        pbc.compile("nowhere.pbcc")
    other = tmp_path / "other.cfg"
    other.write_text('program = "other"\nhash = "0123456789abcdef"\n')
    with pytest.raises(pbc.ConfigurationError, match="another program|other"):
        pbc.compile("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }", configuration=other)


@pytest.mark.parametrize("words, said", [
    ({"threads": -1}, "threads has to be a whole number from 0 to 2147483647, and is -1"),
    ({"threads": "2"}, "threads has to be a whole number from 0 to 2147483647, and is '2'"),
    ({"seed": 1 << 64}, "seed has to be a whole number from 0 to 18446744073709551615, and is"),
    ({"devices": None}, 'devices has to be text, as "cuda:0", "none" or "", and is None'),
    ({"options": "-O0"}, r"options has to be a list of words, as \['-O0'\]"),
])
def test_words_of_compile(words, said):
    with pytest.raises(pbc.ArgumentError, match=said):
        pbc.compile("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }", **words)

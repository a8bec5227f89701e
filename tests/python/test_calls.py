# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Calls: results, memory, types, strides, threads."""
import inspect
import threading

import numpy as np
import pytest


@pytest.mark.parametrize("h, k, w", [(3, 4, 5), (1, 1, 1), (64, 33, 17), (0, 3, 2), (3, 0, 2), (200, 200, 200)])
def test_a_product_is_numpys(program, numbers, h, k, w):
    a, b = numbers.random((h, k)), numbers.random((k, w))
    c = program.MatMul(a, b)
    assert c.shape == (h, w) and c.dtype == np.float64
    np.testing.assert_allclose(c, a @ b, rtol=1e-12)


def test_arrays_may_have_any_strides(program, numbers):
    a = numbers.random((12, 30))
    b = numbers.random((20, 12))
    for left in (a, a[:, ::2].repeat(2, 1), np.asfortranarray(a), a[::-1, ::-1]):
        np.testing.assert_allclose(program.MatMul(left.T, b.T), left.T @ b.T, rtol=1e-12)
    np.testing.assert_array_equal(program.Twice(a[3, ::-3]), 2 * a[3, ::-3])
    np.testing.assert_array_equal(program.Twice(np.broadcast_to(np.float64(4), 5)), np.full(5, 8.0))


def test_outputs_go_into_the_callers_memory(program, numbers):
    a, b = numbers.random((4, 6)), numbers.random((6, 3))
    whole = np.zeros((4, 6))
    part = whole[:, ::2]
    assert program.MatMul(a, b, out=part) is part
    np.testing.assert_allclose(whole[:, ::2], a @ b, rtol=1e-12)
    assert not whole[:, 1::2].any()
    x = np.arange(5.0)
    program.Twice(x, out=x)
    np.testing.assert_array_equal(x, [0, 2, 4, 6, 8])


def test_several_outputs_are_a_tuple_and_numbers_are_numbers(program):
    b, count = program.Counted(np.arange(3.0), 2.5)
    np.testing.assert_array_equal(b, [0, 2.5, 5])
    assert count == 3 and isinstance(count, int)
    mine = np.zeros(3)
    b, count = program.Counted(A=np.arange(3.0), Factor=2, out=(mine, None))
    assert b is mine and mine[2] == 4 and count == 3


def test_all_element_types_and_lists(program):
    got = program.Types(np.float32([1.5, 2]), np.int32([10, 20]), np.int64([1 << 40, 0]), np.uint8([255, 1]))
    np.testing.assert_array_equal(got, [(1 << 40) + 266, 23])
    np.testing.assert_array_equal(program.Twice([1, 2.5]), [2, 5])


def test_sizes_by_keyword(program):
    np.testing.assert_array_equal(program.Grid(5, w=3, h=2), [[5, 6, 7], [15, 16, 17]])


def test_read_only_inputs_and_results_that_outlive_the_program(program):
    import pbc
    x = np.arange(4.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(program.Twice(x), [0, 2, 4, 6])
    y = pbc.compile("transform Ones from A[n] to B[n] { B.cell(i) from() { return 1; } }").Ones(np.zeros(1000))
    assert y.sum() == 1000


def test_anything_with_dlpack(program):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    np.testing.assert_array_equal(program.Twice(Foreign(np.arange(3.0))), [0, 2, 4])


def test_signatures_and_documentation(program):
    assert str(inspect.signature(program.MatMul)) == "(A, B, *, out=None)"
    assert str(inspect.signature(program.Grid)) == "(Start, *, w, h, out=None)"
    assert program.MatMul.__name__ == "MatMul"
    assert "The product of two matrices." in program.MatMul.__doc__
    assert "input A[k, h]: float64" in program.MatMul.__doc__


def test_the_seed_decides_random_numbers():
    import pbc
    text = "transform Draw from Low to A[n] { A.cell(i) from(Low low) { return low + PetabricksRuntime::rand01(); } }"
    one, again, other = (pbc.compile(text, threads=1, seed=seed) for seed in (7, 7, 8))
    first, second = one.Draw(0, n=20), one.Draw(0, n=20)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(again.Draw(0, n=20), first)
    np.testing.assert_array_equal(again.Draw(0, n=20), second)
    assert not np.array_equal(other.Draw(0, n=20), first)
    with pytest.raises(TypeError):
        pbc.compile(text, seed=-1)


def test_eight_threads_on_one_context_and_on_eight(program, numbers):
    from pbc import Program
    shared = [program] * 8
    own = [Program(program._path, threads=1) for _ in range(8)]
    for programs in (shared, own):
        wrong = []

        def work(f, seed):
            rng = np.random.default_rng(seed)
            for n in (3, 50, 120):
                a, b = rng.random((n, n)), rng.random((n, n))
                if not np.allclose(f.MatMul(a, b), a @ b):
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(f, i)) for i, f in enumerate(programs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not wrong


def test_calls_leave_no_memory_behind(program, numbers):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    x, large = numbers.random(4), numbers.random(100000)

    def many():
        for _ in range(20000):
            program.Twice(x)
        for _ in range(300):
            program.Twice(large)
            with pytest.raises(ValueError):
                program.Twice(x, out=np.zeros(3))

    many()
    before = resident()
    many()
    assert resident() - before < 1 << 20


@pytest.mark.parametrize("name", ["tune", "configuration", "functions", "explain", "report", "_path"])
def test_transforms_that_are_called_like_members_of_a_program(name):
    import pbc
    f = pbc.compile("transform %s from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 3 * a; } }" % name)
    np.testing.assert_array_equal(f[name](np.array([1.0, 2])), [3, 6])
    assert "hash" in f.configuration and callable(f.tune) and list(f.functions) == [name]


def test_a_transform_that_is_called_like_a_copy_of_a_template():
    import pbc
    f = pbc.compile("""template <k(1, 2)> transform By from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return k * a; } }
transform By_2 from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 20 * a; } }""")
    x = np.array([1.0])
    assert [f.By_1(x)[0], f.By_2(x)[0], f["By<2>"](x)[0]] == [1, 20, 2]


def test_arguments_that_are_called_like_words_of_python_or_of_calls():
    import pbc
    f = pbc.compile("""transform Words from lambda[n], out[n] to B[n] { B.cell(i) from(lambda.cell(i) a, out.cell(i) b) { return a - b; } }
transform Sizes param out to B[lambda] { B.cell(i) from() { return i * out; } }""")
    x, y, b = np.array([3.0, 4]), np.array([1.0, 1]), np.zeros(2)
    assert str(inspect.signature(f.Words)) == "(lambda_, out_, *, out=None)"
    assert f.Words(x, out_=y, out=b) is b and list(b) == [2, 3]
    assert list(f.Words(**{"lambda": x}, out_=y)) == [2, 3]
    assert str(inspect.signature(f.Sizes)) == "(*, out_, lambda_, out=None)"
    assert list(f.Sizes(out_=5, lambda_=3)) == [0, 5, 10]


def test_the_accuracy_may_be_left_to_the_program():
    import pbc
    f = pbc.compile("""transform Root from A[n] to X[n] accuracy_metric Worth accuracy_bins 1, 2
{ to(X x) from(A a) { for (int i = 0; i < n; ++i) x.cell(i) = a.cell(i); } }
transform Worth from X[n], A[n] to Q { to(Q q) from(X x, A a) { q = 2; } }""")
    assert list(f.Root([4.0], accuracy=None)) == list(f.Root([4.0])) == list(f.Root([4.0], accuracy=2)) == [4]


def test_no_configuration(tmp_path):
    import pbc
    text = "transform Plain from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a + 1; } }"
    f = pbc.compile(text)
    plain = f.configuration
    f._tuned.write_text(plain.replace("sequential_cutoff = ", "sequential_cutoff = 1"))
    try:
        assert pbc.compile(text).configuration != plain
        assert pbc.compile(text, configuration="").configuration == plain
    finally:
        f._tuned.unlink()


def test_what_is_updated_in_place_is_the_callers_array(program):
    import pbc

    f = pbc.compile("""
transform Scale from A[n], F to A[n] { A.cell(i) from(A.cell(i) a, F f) { return f * a; } }
transform Shift from A[n] to A[n] { A.cell(i) from(old A.cell(i+1) a) { return a; } secondary A.cell(i) from(A.cell(i) a) { return a; } }
transform Add from A[n], B[n] to A[n], Sum { A.cell(i) from(A.cell(i) a, B.cell(i) b) { return a + b; } Sum from(A a) { double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s; } }
transform Next from C : int to C : int { C from(old C c) { return c + 1; } }
""")
    a = np.arange(1.0, 7)
    assert f.Scale(2, a) is None
    np.testing.assert_array_equal(a, [2, 4, 6, 8, 10, 12])
    f.Shift(a[::-2])
    np.testing.assert_array_equal(a, [2, 4, 6, 4, 10, 8])
    f.Scale(F=0.5, A=a)
    assert f.Add(np.ones(6), a) == 23 and a[0] == 2
    assert f.Next(41) == 42
    assert list(inspect.signature(f.Add).parameters) == ["B", "A", "out"]
    assert "input A[n]: float64, updated in place" in f.Add.__doc__
    with pytest.raises(pbc.ArgumentError, match="has to be an array of float64"):
        f.Shift([1, 2])
    a.flags.writeable = False
    with pytest.raises(pbc.ArgumentError, match="read-only"):
        f.Shift(a)

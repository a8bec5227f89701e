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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Arrays that live on a device, here the fake one, as libraries for GPUs hand them over: by DLPack, with the device's number."""
import ctypes

import numpy as np
import pbc
import pytest

PROGRAM = "transform Scale from A[n], F to B[n] { B.cell(i) from(A.cell(i) a, F f) { return f * a; } }"
FAKE, CUDA = 12, 2  # DLPack's numbers: an extension's device, CUDA


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class OnDevice:
    """A NumPy array that says it lies on a device. Nothing but DLPack gives its cells away."""

    def __init__(self, array, kind=FAKE, number=0):
        self.array, self.kind, self.number, self.kept = array, kind, number, []

    def __dlpack_device__(self):
        return self.kind, self.number

    def __dlpack__(self, **_):
        a = self.array
        shape, strides = (ctypes.c_int64 * a.ndim)(*a.shape), (ctypes.c_int64 * a.ndim)(*(s // a.itemsize for s in a.strides))
        tensor = Tensor(a.ctypes.data, self.kind, self.number, a.ndim, 2, 64, 1, shape, strides, 0)
        managed = Managed(tensor, None, Deleter(lambda _: None))
        self.kept.append((managed, shape, strides))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(managed), b"dltensor", None)


@pytest.fixture
def devices(monkeypatch):
    monkeypatch.setenv("PB_FAKE_DEVICE", "")


@pytest.mark.parametrize("places", ["", '[Scale]\nsequential_cutoff = 0\nplace_rule0 = "gpu"\n'])
def test_arrays_are_used_where_they_lie(devices, tmp_path, places):
    configuration = tmp_path / "places.cfg"
    configuration.write_text('program = "program"\n' + places)
    f = pbc.compile(PROGRAM, configuration=configuration, devices="fake")
    a, b = np.arange(10.0), np.zeros(10)
    out = OnDevice(b)
    assert f.Scale(OnDevice(a), 3, out=out) is out
    np.testing.assert_array_equal(b, 3 * a)
    f.Scale(OnDevice(a[::-2]), 2, out=OnDevice(b[::2]))
    np.testing.assert_array_equal(b[::2], 2 * a[::-2])
    np.testing.assert_array_equal(f.Scale(OnDevice(a), 5), 5 * a)  # an output that is left out is NumPy's
    f.Scale(a, 7, out=out)
    np.testing.assert_array_equal(b, 7 * a)


def test_without_the_device(devices):
    f = pbc.compile(PROGRAM)
    with pytest.raises(pbc.DeviceError, match='Scale: the array A is on the device cuda:0, and this context has no device: .*made with, as "cuda:0"'):
        f.Scale(OnDevice(np.zeros(3), CUDA), 2)
    with pytest.raises(pbc.DeviceError, match="the array B is on the device fake:1, and this context does not have it"):
        pbc.compile(PROGRAM, devices="fake").Scale(np.zeros(3), 2, out=OnDevice(np.zeros(3), FAKE, 1))
    np.testing.assert_array_equal(f.Scale(np.ones(3), 2), [2, 2, 2])

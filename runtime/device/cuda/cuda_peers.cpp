// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies from one CUDA device to another, over their own connection.
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/transfer.h"

namespace pb::device {

bool CudaDevice::reaches(const Device &given) const {
  const auto *other = dynamic_cast<const CudaDevice *>(&given);
  const Cuda &cuda = context_->cuda;
  int can = 0;
  return other && other != this && cuda.hasPeers &&
         cuda.cuDeviceCanAccessPeer(&can, context_->device(), other->context_->device()) == 0 && can != 0;
}

bool CudaDevice::isIdle(Buffer &buffer) {
  context_->enter();
  bool isIdle = true;
  static_cast<CudaBuffer &>(buffer).memory.uses.each([&](const CudaMarkRef &mark) {
    isIdle &= context_->cuda.cuEventQuery(mark->event) !=
              kCuNotReady; // an error is found by who waits for the command
  });
  return isIdle;
}

EventRef CudaDevice::copyAcross(Buffer &given, const Transfer &whole, Device &to, Buffer &target) {
  auto &from = static_cast<CudaBuffer &>(given);
  const auto &into = static_cast<CudaBuffer &>(target);
  const CuContext other = static_cast<CudaDevice &>(to).context_->context();
  checkTransfer(whole, from.size);
  checkTransfer(whole, into.size);
  context_->enter();
  const Cuda &cuda = context_->cuda;
  if (opened_.insert(&to).second)
    cuda.cuCtxEnablePeerAccess(other, 0); // without it, the driver copies by way of the processor
  const CuStream stream = streams_[kCuOut];
  from.memory.uses.eachToAwait(kCuOut, false,
                               [&](const CudaMarkRef &before) { context_->wait(stream, before); });
  const CudaMarkRef before = begin(stream);
  const auto check = [&](CuStatus status) {
    require(cuda, status, Failure::Launch, "a copy to another device");
  };
  const Transfer t = packed(whole);
  try {
    for (long plane = 0; plane < t.planes; ++plane) {
      const unsigned long offset = t.offset + static_cast<unsigned long>(plane * t.planeStride);
      const auto pitch = static_cast<std::size_t>(t.rowStride);
      if (t.rows > 1 && t.rowStride >= static_cast<long>(t.bytes)) {
        CuRowsAcross rows{.bytes = t.bytes, .rows = static_cast<std::size_t>(t.rows)};
        rows.from.device = from.memory.address + offset, rows.from.context = context_->context();
        rows.to.device = into.memory.address + offset, rows.to.context = other;
        rows.from.pitch = rows.to.pitch = pitch;
        rows.from.height = rows.to.height = rows.rows;
        check(cuda.cuMemcpy3DPeerAsync(&rows, stream));
        continue;
      }
      for (long row = 0; row < t.rows; ++row) { // one row, or rows that lie backwards or overlap
        const unsigned long at = offset + static_cast<unsigned long>(row * t.rowStride);
        check(cuda.cuMemcpyPeerAsync(into.memory.address + at, other, from.memory.address + at,
                                     context_->context(), t.bytes, stream));
      }
    }
  } catch (const DeviceError &problem) {
    if (problem.failure() != Failure::Lost)
      cuda.cuStreamSynchronize(stream); // rows that have begun would overwrite what is copied by another way
    throw;
  }
  CudaMarkRef end = context_->record(stream, isTimed());
  from.memory.uses.note(kCuOut, false, end);
  return std::make_shared<CudaEvent>(kCuOut, epoch_, before, std::move(end), nullptr);
}

} // namespace pb::device

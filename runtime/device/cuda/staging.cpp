// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/staging.h"

#include "runtime/device/transfer.h"

#include <algorithm>
#include <cstring>

namespace pb::device {
namespace {

/// The work of a host function, with its arguments.
struct HostSide {
  char *host, *pinned;
  Transfer piece;
  bool in;
  CopyThreads *threads;
};

/// Moves a part of each row or, if there are many rows, some of the rows.
void movePart(const HostSide &side, int part, int parts) {
  const Transfer &t = side.piece;
  const long rows = t.rows * t.planes;
  const bool byRows = rows >= 4L * parts;
  const long first = byRows ? rows * part / parts : 0, end = byRows ? rows * (part + 1) / parts : rows;
  const unsigned long low = byRows ? 0 : t.bytes * part / parts,
                      high = byRows ? t.bytes : t.bytes * (part + 1) / parts;
  for (long row = first; row < end; ++row) {
    char *near = side.pinned + row * t.bytes + low;
    char *far = side.host + t.offset + row / t.rows * t.planeStride + row % t.rows * t.rowStride + low;
    std::memcpy(side.in ? near : far, side.in ? far : near, high - low);
  }
}

void moveRows(void *given) {
  const std::unique_ptr<HostSide> side(static_cast<HostSide *>(given));
  if (transferBytes(side->piece) < Staging::kShared)
    movePart(*side, 0, 1);
  else
    side->threads->share([&](int part, int parts) { movePart(*side, part, parts); });
}

} // namespace

Staging::Staging(std::shared_ptr<CudaContext> context, bool in, int helpers)
    : context_(std::move(context)), in_(in), threads_(helpers) {
  require(context_->cuda, context_->cuda.cuStreamCreate(&hostSide_, 1 /* not with stream 0 */), Failure::Lost,
          "cuStreamCreate");
}

Staging::~Staging() {
  context_->enter();
  finish();
  context_->cuda.cuStreamDestroy(hostSide_);
  for (const Slot &slot : slots_)
    if (slot.pinned)
      context_->cuda.cuMemFreeHost(slot.pinned);
}

void Staging::finish() { context_->cuda.cuStreamSynchronize(hostSide_); }

void Staging::deviceCopy(CuStream stream, CuAddress address, const Transfer &t, char *locked, long rowStep,
                         long planeStep) const {
  const Cuda &cuda = context_->cuda;
  const auto check = [&](CuStatus status) {
    require(cuda, status, Failure::Launch, "a copy between pinned memory and the device");
  };
  if (t.rows > 1 && t.rowStride >= static_cast<long>(t.bytes)) {
    for (long plane = 0; plane < t.planes; ++plane) {
      const CuAddress at = address + t.offset + plane * t.planeStride;
      const auto pitch = static_cast<std::size_t>(t.rowStride), near = static_cast<std::size_t>(rowStep);
      CuRows rows{.bytes = t.bytes, .rows = static_cast<std::size_t>(t.rows)};
      if (in_) {
        rows.fromHost = locked + plane * planeStep, rows.fromPitch = near;
        rows.toType = CuRows::Device, rows.toDevice = at, rows.toPitch = pitch;
      } else {
        rows.fromType = CuRows::Device, rows.fromDevice = at, rows.fromPitch = pitch;
        rows.toType = CuRows::Host, rows.toHost = locked + plane * planeStep, rows.toPitch = near;
      }
      check(cuda.cuMemcpy2DAsync(&rows, stream));
    }
    return;
  }
  for (long plane = 0; plane < t.planes; ++plane) // one row, or rows that lie backwards or overlap
    for (long row = 0; row < t.rows; ++row) {
      const CuAddress at = address + t.offset + plane * t.planeStride + row * t.rowStride;
      char *const near = locked + plane * planeStep + row * rowStep;
      check(in_ ? cuda.cuMemcpyHtoDAsync(at, near, t.bytes, stream)
                : cuda.cuMemcpyDtoHAsync(near, at, t.bytes, stream));
    }
}

void Staging::copyLocked(CuStream stream, CuAddress address, const Transfer &whole, char *host) const {
  const Transfer t = packed(whole);
  deviceCopy(stream, address, t, host + t.offset, t.rowStride, t.planeStride);
}

void Staging::piece(CuStream stream, CuAddress address, const Transfer &t, char *host) {
  const Cuda &cuda = context_->cuda;
  Slot &slot = slots_[next_];
  next_ = (next_ + 1) % kSlots;
  if (!slot.pinned)
    require(cuda, cuda.cuMemAllocHost(&slot.pinned, kPiece), Failure::OutOfMemory, "cuMemAllocHost");
  const auto row = static_cast<long>(t.bytes);
  auto side = std::make_unique<HostSide>(HostSide{host, static_cast<char *>(slot.pinned), t, in_, &threads_});
  const auto hostFunction = [&] {
    require(cuda, cuda.cuLaunchHostFunc(hostSide_, moveRows, side.get()), Failure::Launch,
            "cuLaunchHostFunc");
    [[maybe_unused]] const HostSide *given = side.release(); // the function deletes it
  };
  if (in_) {
    if (slot.free)
      context_->wait(hostSide_, slot.free);
    hostFunction();
    context_->wait(stream, context_->record(hostSide_, false));
    deviceCopy(stream, address, t, static_cast<char *>(slot.pinned), row, row * t.rows);
    slot.free = context_->record(stream, false);
  } else {
    if (slot.free)
      context_->wait(stream, slot.free);
    deviceCopy(stream, address, t, static_cast<char *>(slot.pinned), row, row * t.rows);
    context_->wait(hostSide_, context_->record(stream, false));
    hostFunction();
    slot.free = context_->record(hostSide_, false);
  }
}

CudaMarkRef Staging::copy(CuStream stream, CuAddress address, const Transfer &whole, char *host) {
  const Transfer t = packed(whole);
  if (transferBytes(t) == 0)
    return nullptr;
  if (in_ && t.rows == 1 && t.planes == 1 && t.bytes <= kAtOnce) {
    require(context_->cuda,
            context_->cuda.cuMemcpyHtoDAsync(address + t.offset, host + t.offset, t.bytes, stream),
            Failure::Launch, "cuMemcpyHtoDAsync");
    return nullptr;
  }
  // Each piece is as many planes as fit, else rows of one plane, else a part of a row.
  const unsigned long plane = t.bytes * t.rows;
  Transfer part = t;
  if (plane <= kPiece) {
    const long most = static_cast<long>(kPiece / plane);
    for (long k = 0; k < t.planes; k += most) {
      part.offset = t.offset + k * t.planeStride;
      part.planes = std::min(most, t.planes - k);
      piece(stream, address, part, host);
    }
  } else {
    part.planes = 1;
    for (long k = 0; k < t.planes; ++k) {
      const unsigned long base = t.offset + k * t.planeStride;
      if (t.bytes <= kPiece) {
        const long most = static_cast<long>(kPiece / t.bytes);
        for (long row = 0; row < t.rows; row += most) {
          part.offset = base + row * t.rowStride;
          part.rows = std::min(most, t.rows - row);
          piece(stream, address, part, host);
        }
      } else {
        for (long row = 0; row < t.rows; ++row)
          for (unsigned long done = 0; done < t.bytes; done += kPiece)
            piece(stream, address,
                  {.offset = base + row * t.rowStride + done, .bytes = std::min(kPiece, t.bytes - done)},
                  host);
      }
    }
  }
  return in_ ? nullptr : slots_[(next_ + kSlots - 1) % kSlots].free;
}

} // namespace pb::device

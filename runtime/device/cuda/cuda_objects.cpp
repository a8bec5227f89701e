// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/cuda_objects.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace pb::device {
namespace {

constexpr unsigned kWithoutTime = 2; // CU_EVENT_DISABLE_TIMING

unsigned long nextModule() {
  static std::atomic<unsigned long> last = 0;
  return ++last;
}

/// Rounds to few different sizes, so that memory is reused: eight steps between powers of two.
unsigned long rounded(unsigned long bytes) {
  const unsigned long least = std::max(bytes, 512UL), step = std::bit_floor(least) / 8;
  return (least + step - 1) / step * step;
}

} // namespace

CudaMark::CudaMark(std::shared_ptr<CudaContext> of, bool timed)
    : context(std::move(of)), isTimed(timed), event(context->takeEvent(timed)) {}

CudaMark::~CudaMark() { context->giveBack(event, isTimed); }

CudaContext::CudaContext(CuDevice device) : cuda(*Cuda::get()), device_(device) {
  require(cuda, cuda.cuDevicePrimaryCtxRetain(&context_, device), Failure::Lost, "cuDevicePrimaryCtxRetain");
}

CudaContext::~CudaContext() {
  enter();
  for (const auto &events : idle_)
    for (const CuEvent event : events)
      cuda.cuEventDestroy(event);
  cuda.cuDevicePrimaryCtxRelease(device_);
}

CuEvent CudaContext::takeEvent(bool timed) {
  {
    std::lock_guard hold(mutex_);
    if (auto &events = idle_[timed]; !events.empty()) {
      const CuEvent event = events.back();
      events.pop_back();
      return event;
    }
  }
  CuEvent event = nullptr;
  require(cuda, cuda.cuEventCreate(&event, timed ? 0 : kWithoutTime), Failure::Launch, "cuEventCreate");
  return event;
}

void CudaContext::giveBack(CuEvent event, bool timed) {
  std::lock_guard hold(mutex_);
  idle_[timed].push_back(event);
}

void CudaContext::enter() const { cuda.cuCtxSetCurrent(context_); }

CudaMarkRef CudaContext::record(CuStream stream, bool timed) {
  auto mark = std::make_shared<CudaMark>(shared_from_this(), timed);
  require(cuda, cuda.cuEventRecord(mark->event, stream), Failure::Launch, "cuEventRecord");
  return mark;
}

void CudaContext::wait(CuStream stream, const CudaMarkRef &mark) const {
  require(cuda, cuda.cuStreamWaitEvent(stream, mark->event, 0), Failure::Launch, "cuStreamWaitEvent");
}

CuStream CudaContext::urgentStream() const {
  CuStream stream = {};
  require(cuda, cuda.cuStreamCreateWithPriority(&stream, 1 /* not with stream 0 */, -1 /* others have 0 */),
          Failure::Launch, "cuStreamCreateWithPriority");
  return stream;
}

CudaMemory CudaPool::allocate(unsigned long bytes) {
  const unsigned long size = rounded(bytes);
  if (const auto kept = kept_.find(size); kept != kept_.end()) {
    CudaMemory memory = std::move(kept->second);
    kept_.erase(kept);
    keptBytes_ -= size;
    return memory;
  }
  const Cuda &cuda = context_->cuda;
  context_->enter();
  CudaMemory memory{.bytes = size};
  CuStatus status = cuda.cuMemAlloc(&memory.address, size);
  if (status == kCuOutOfMemory && !kept_.empty()) {
    clear();
    status = cuda.cuMemAlloc(&memory.address, size);
  }
  require(cuda, status, Failure::OutOfMemory, "cuMemAlloc of " + std::to_string(size) + " bytes");
  return memory;
}

void CudaPool::giveBack(CudaMemory &&memory) {
  const unsigned long size = memory.bytes;
  kept_.emplace(size, std::move(memory));
  keptBytes_ += size;
}

void CudaPool::clear() {
  context_->enter();
  for (const auto &[size, memory] : kept_)
    context_->cuda.cuMemFree(memory.address); // waits for commands that use it
  kept_.clear();
  keptBytes_ = 0;
}

CudaModule::CudaModule(std::shared_ptr<CudaContext> owner, const std::string &binary,
                       const std::string &entry, long dynamicBytes)
    : context(std::move(owner)), localBytes(static_cast<unsigned>(dynamicBytes)), number(nextModule()) {
  const Cuda &cuda = context->cuda;
  require(cuda, cuda.cuModuleLoadData(&module, binary.c_str()), Failure::Build,
          "cuModuleLoadData of " + entry);
  std::size_t size = 0;
  if (cuda.cuModuleGetGlobal(&firstGroup, &size, module, "pb_first_group") != 0)
    firstGroup = 0;
  if (const CuStatus status = cuda.cuModuleGetFunction(&function, module, entry.c_str()); status != 0) {
    cuda.cuModuleUnload(module);
    require(cuda, status, Failure::Build, "cuModuleGetFunction " + entry);
  }
  if (dynamicBytes == 0)
    return;
  if (const CuStatus status =
          cuda.cuFuncSetAttribute(function, kCuFunctionDynamicBytes, static_cast<int>(dynamicBytes));
      status != 0) {
    cuda.cuModuleUnload(module);
    require(cuda, status, Failure::Build,
            "the kernel " + entry + " asks for " + std::to_string(dynamicBytes) +
                " bytes of a group's memory, and the driver refuses: cuFuncSetAttribute");
  }
}

CudaModule::~CudaModule() {
  context->enter();
  if (lastLaunch)
    context->cuda.cuEventSynchronize(lastLaunch->event);
  context->cuda.cuModuleUnload(module);
}

bool CudaEvent::isDone() {
  const CudaMark &mark = *last();
  mark.context->enter();
  const CuStatus status = mark.context->cuda.cuEventQuery(mark.event);
  if (status == kCuNotReady)
    return false;
  require(mark.context->cuda, status, Failure::Lost, "a command failed on the device");
  return true;
}

// The driver gives milliseconds in a float: durations are exact, but begin times are not after hours.
Span CudaEvent::span() const {
  if (!epoch_ || !begin_)
    return {};
  const Cuda &cuda = end_->context->cuda;
  end_->context->enter();
  float before = 0, took = 0;
  if (cuda.cuEventElapsedTime(&before, epoch_->event, begin_->event) != 0 ||
      cuda.cuEventElapsedTime(&took, begin_->event, end_->event) != 0)
    return {};
  const auto begin = static_cast<unsigned long>(before * 1e6);
  return {begin, begin + static_cast<unsigned long>(took * 1e6)};
}

} // namespace pb::device

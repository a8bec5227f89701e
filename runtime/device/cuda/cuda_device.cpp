// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/cuda_device.h"

#include "runtime/device/dialect.h"
#include "runtime/device/library/own_function.h"
#include "runtime/device/list.h"
#include "runtime/device/transfer.h"

#include <algorithm>
#include <cstring>

namespace pb::device {
namespace {

int driverVersion() {
  int version = 0;
  Cuda::get()->cuDriverGetVersion(&version);
  return version;
}

int attributeOf(CuDevice device, int which) {
  int value = 0;
  Cuda::get()->cuDeviceGetAttribute(&value, which, device);
  return value;
}

} // namespace

Description CudaDevice::describe(CuDevice device) {
  const Cuda &cuda = *Cuda::get();
  char name[256] = {};
  std::size_t bytes = 0;
  const int driver = driverVersion();
  cuda.cuDeviceGetName(name, sizeof name - 1, device);
  cuda.cuDeviceTotalMem(&bytes, device);
  Description about{.api = "cuda",
                    .name = name,
                    .driver = "driver " + std::to_string(driver / 1000) + "." +
                              std::to_string(driver % 1000 / 10) + ", " + nvrtcVersion(driver),
                    .number = device,
                    .bytes = bytes,
                    .largest = bytes,
                    .localBytes = static_cast<unsigned long>(attributeOf(device, kCuLocalBytes)),
                    .mostLocalBytes = static_cast<unsigned long>(attributeOf(device, kCuMostLocalBytes)),
                    .largestGroup = attributeOf(device, kCuGroupItems),
                    .units = attributeOf(device, kCuUnits),
                    .warp = 32,
                    .groupsWait = true,
                    .hasDouble = true};
  for (int d = 0; d < 3; ++d)
    about.groupExtent[d] = attributeOf(device, kCuGroupExtent + d);
  return about;
}

CudaDevice::CudaDevice(CuDevice device)
    : about_(describe(device)), architecture_("sm_" + std::to_string(attributeOf(device, kCuMajor) * 10 +
                                                                     attributeOf(device, kCuMinor))),
      cache_(KernelCache::standardFolder()), context_(std::make_shared<CudaContext>(device)),
      pool_(std::make_shared<CudaPool>(context_)) {
  context_->enter();
  for (int d = 0; d < 3; ++d)
    gridExtent_[d] = attributeOf(device, kCuGridExtent + d);
  for (CuStream &stream : streams_)
    require(context_->cuda, context_->cuda.cuStreamCreate(&stream, 1), Failure::Lost, "cuStreamCreate");
  in_ = std::make_unique<Staging>(context_, true);
  out_ = std::make_unique<Staging>(context_, false);
  pages_ = std::make_unique<HostPages>(context_);
}

void CudaDevice::timeCommands() {
  context_->enter();
  epoch_ = context_->record(streams_[kCuKernels], true);
  for (CuStream stream : streams_) // no command that is timed may begin before the clock does
    context_->wait(stream, epoch_);
}

/// The call is a command of another stream, so that the next command of the event's stream need not wait for it.
bool CudaDevice::callWhenOver(Event &given, const std::function<void()> &ended) {
  context_->enter();
  const auto &event = static_cast<CudaEvent &>(given);
  const Cuda &cuda = context_->cuda;
  CuStream &stream = calls_[event.queue];
  if (!stream && cuda.cuStreamCreate(&stream, 1) != 0)
    return false;
  context_->wait(stream, event.last());
  auto call = std::make_unique<std::function<void()>>(ended);
  const auto run = [](void *data) {
    const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()> *>(data));
    (*owned)();
  };
  if (cuda.cuLaunchHostFunc(stream, run, call.get()) != 0)
    return false;
  [[maybe_unused]] const auto *passed = call.release(); // the function deletes it
  return true;
}

CudaDevice::~CudaDevice() {
  context_->enter();
  for (const CuStream stream : streams_) // nothing may write the host's memory afterwards
    context_->cuda.cuStreamSynchronize(stream);
  for (const CuStream stream : {calls_[kCuIn], calls_[kCuOut], calls_[kCuKernels], besides_})
    if (stream) {
      context_->cuda.cuStreamSynchronize(stream);
      context_->cuda.cuStreamDestroy(stream);
    }
  in_.reset();
  out_.reset();
  pages_.reset();
  for (const CuStream stream : streams_)
    context_->cuda.cuStreamDestroy(stream);
}

std::size_t CudaDevice::longestChain() const { return context_->cuda.hasGraphs ? kLongestChain : 0; }

std::unique_ptr<Buffer> CudaDevice::allocate(unsigned long bytes) {
  return std::make_unique<CudaBuffer>(pool_, bytes);
}

/// Its context is the device's primary one, whose memory all libraries of the process share.
std::unique_ptr<Buffer> CudaDevice::borrow(void *memory, unsigned long bytes) {
  context_->enter();
  const Cuda &cuda = context_->cuda;
  const auto address = reinterpret_cast<CuAddress>(memory);
  unsigned kind = 0;
  int device = 0;
  if (cuda.cuPointerGetAttribute(&kind, kCuMemoryKind, address) != 0 || kind != CuRows::Device ||
      cuda.cuPointerGetAttribute(&device, kCuMemoryDevice, address) != 0 || device != about_.number)
    throw DeviceError(Failure::Unsuitable, "the memory is not that of " + about_.name);
  const CudaMarkRef others = context_->record(kCuDefaultStream, false);
  for (const CuStream stream : streams_)
    context_->wait(stream, others);
  return std::make_unique<CudaBuffer>(CudaMemory{.address = address, .bytes = bytes});
}

std::unique_ptr<Kernel> CudaDevice::build(const KernelSource &source) {
  context_->enter(); // any thread's
  if (source.isLibrary) {
    auto kernel = std::make_unique<LibraryKernel>(source.text);
    if (auto own = buildOwn(*this, kernel->call))
      return own;
    libraries_.open(kernel->call.entry);
    return kernel;
  }
  const std::string text = kernelText(kCudaPrelude, source);
  const std::string key = kernelKey(about_, architecture_, text, source.entry);
  if (const auto binary = cache_.get(key))
    try {
      auto kernel = std::make_unique<CudaKernel>(context_, *binary, source);
      ++cached_;
      return kernel;
    } catch (const DeviceError &problem) {
      if (problem.failure() == Failure::Lost)
        throw;
    }
  const std::string binary = compileCuda(text, architecture_, driverVersion());
  ++compiled_;
  auto kernel = std::make_unique<CudaKernel>(context_, binary, source);
  int items = 0;
  const long wanted = static_cast<long>(source.group[0]) * source.group[1] * source.group[2];
  if (context_->cuda.cuFuncGetAttribute(&items, kCuFunctionGroupItems, kernel->code->function) == 0 &&
      items < wanted)
    throw DeviceError(Failure::Build,
                      "the kernel " + source.entry + " needs too many registers for groups of " +
                          std::to_string(wanted) + " items: at most " + std::to_string(items) + " fit");
  cache_.put(key, binary);
  return kernel;
}

void CudaDevice::plan(const Kernel &kernel, const std::vector<LibraryMatrix> &matrices) {
  context_->enter();
  if (const auto *library = dynamic_cast<const LibraryKernel *>(&kernel))
    libraries_.plan(library->call, matrices);
}

bool CudaDevice::lockPages(void *memory, unsigned long bytes) {
  pages_->lock(memory, bytes);
  return true;
}

void CudaDevice::unlockPages(void *memory) { pages_->unlock(memory); }

bool CudaDevice::isLocked(const Transfer &t, const char *host) const {
  if (transferBytes(t) == 0)
    return false;
  const auto [low, high] = reachOf(t);
  return pages_->areLocked(host + low, static_cast<unsigned long>(high - low));
}

EventRef CudaDevice::copy(CudaBuffer &buffer, CuQueue queue, const Transfer &t, char *host) {
  checkTransfer(t, buffer.size);
  context_->enter();
  const CuStream stream = streams_[queue];
  const bool writes = queue == kCuIn;
  auto &uses = buffer.memory.uses;
  uses.eachToAwait(queue, writes, [&](const CudaMarkRef &before) { context_->wait(stream, before); });
  const CudaMarkRef before = begin(stream);
  CudaMarkRef onHost;
  const auto note = [&] {
    CudaMarkRef end = context_->record(stream, isTimed());
    uses.note(queue, writes, end);
    return end;
  };
  try {
    Staging &staging = writes ? *in_ : *out_;
    if (isLocked(t, host))
      staging.copyLocked(stream, buffer.memory.address, t, host);
    else
      onHost = staging.copy(stream, buffer.memory.address, t, host);
  } catch (const DeviceError &problem) {
    if (problem.failure() != Failure::Lost)
      note(); // pieces may be under way
    throw;
  }
  CudaMarkRef end = note();
  return std::make_shared<CudaEvent>(queue, epoch_, before, std::move(end), std::move(onHost));
}

EventRef CudaDevice::copyIn(Buffer &to, const Transfer &t, const void *host) {
  return copy(static_cast<CudaBuffer &>(to), kCuIn, t, const_cast<char *>(static_cast<const char *>(host)));
}

EventRef CudaDevice::copyOut(Buffer &from, const Transfer &t, void *host) {
  return copy(static_cast<CudaBuffer &>(from), kCuOut, t, static_cast<char *>(host));
}

/// A grid can have only few groups along y and z, so it is launched in parts, each of which gets its first
/// group.
void CudaDevice::launchParts(CudaKernel &kernel, const Grid &grid, void **arguments) {
  const Cuda &cuda = context_->cuda;
  const CuStream stream = kernelStream();
  const CudaModule &code = *kernel.code;
  long groups[3];
  for (int d = 0; d < 3; ++d)
    groups[d] = grid.items[d] / grid.group[d];
  if (groups[0] > gridExtent_[0])
    throw DeviceError(Failure::Launch,
                      "the kernel " + kernel.entry + " has too many groups: " + std::to_string(groups[0]));
  long told[3] = {};
  const auto tell = [&](int d, long first) {
    if (code.firstGroup && told[d] != first)
      require(cuda, cuda.cuMemsetD32Async(code.firstGroup + 8 * d, static_cast<unsigned>(first), 1, stream),
              Failure::Launch, "cuMemsetD32Async");
    told[d] = first;
  };
  for (long z = 0; z < groups[2]; z += gridExtent_[2])
    for (long y = 0; y < groups[1]; y += gridExtent_[1]) {
      tell(1, y);
      tell(2, z);
      require(cuda,
              cuda.cuLaunchKernel(code.function, static_cast<unsigned>(groups[0]),
                                  static_cast<unsigned>(std::min(groups[1] - y, gridExtent_[1])),
                                  static_cast<unsigned>(std::min(groups[2] - z, gridExtent_[2])),
                                  static_cast<unsigned>(grid.group[0]), static_cast<unsigned>(grid.group[1]),
                                  static_cast<unsigned>(grid.group[2]), code.localBytes, stream, arguments,
                                  nullptr),
              y + z > 0 ? Failure::Lost : Failure::Launch, "cuLaunchKernel " + kernel.entry);
    }
  tell(1, 0);
  tell(2, 0);
}

void CudaDevice::fork() {
  context_->enter();
  fork_ = context_->record(streams_[kCuKernels], false);
}

void CudaDevice::launchBeside(bool isBeside) {
  isBeside_ = isBeside && fork_;
  if (isBeside_ && !besides_) {
    context_->enter();
    besides_ = context_->urgentStream();
  }
}

void CudaDevice::awaitOthers(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments)
    if (argument.buffer)
      static_cast<CudaBuffer *>(argument.buffer)
          ->memory.uses.eachToAwait(kCuKernels, argument.written, [&](const CudaMarkRef &before) {
            context_->wait(kernelStream(), before);
          });
  if (isBeside_)
    context_->wait(besides_, fork_);
}

EventRef CudaDevice::noteLaunch(const std::vector<Argument> &arguments, const CudaMarkRef &begin) {
  CudaMarkRef end = context_->record(kernelStream(), isTimed());
  CudaMarkRef all = end;
  if (isBeside_) {
    context_->wait(streams_[kCuKernels], end);
    all = context_->record(streams_[kCuKernels], false);
  }
  for (const Argument &argument : arguments)
    if (argument.buffer)
      static_cast<CudaBuffer *>(argument.buffer)->memory.uses.note(kCuKernels, argument.written, all);
  return std::make_shared<CudaEvent>(kCuKernels, epoch_, begin, std::move(end), nullptr);
}

EventRef CudaDevice::launchLibrary(const LibraryKernel &kernel, const std::vector<Argument> &arguments) {
  // The list includes scratch memory, which the pool gives to later commands in order.
  std::vector<Argument> used = arguments;
  std::vector<std::unique_ptr<Buffer>> scratch;
  const auto addressOf = [](Buffer &b) -> unsigned long {
    return static_cast<CudaBuffer &>(b).memory.address;
  };
  const auto run = withMemory([&] {
    scratch.clear();
    used = arguments;
    return libraries_.prepare(kernel.call, kernel.call.matrices(arguments, addressOf), [&](unsigned long n) {
      scratch.push_back(allocate(n));
      used.push_back(Argument::writes(*scratch.back()));
      return addressOf(*scratch.back());
    });
  });
  awaitOthers(used);
  const CudaMarkRef before = begin(streams_[kCuKernels]);
  try {
    run(streams_[kCuKernels]);
  } catch (const DeviceError &problem) {
    if (problem.failure() != Failure::Lost)
      noteLaunch(used, before); // what it began before it refused is under way
    throw;
  }
  return noteLaunch(used, before);
}

EventRef CudaDevice::launch(Kernel &given, const std::vector<Argument> &arguments, const Grid &grid) {
  context_->enter();
  const auto *library = dynamic_cast<LibraryKernel *>(&given);
  const auto *own = dynamic_cast<OwnFunction *>(&given);
  if (library || own) {
    isBeside_ = false; // they have memory of their own
    return library ? launchLibrary(*library, arguments) : own->launch(*this, arguments);
  }
  auto &kernel = static_cast<CudaKernel &>(given);
  CudaArguments all(arguments);
  awaitOthers(arguments);
  const CudaMarkRef before = begin(kernelStream());
  if (grid.items[0] > 0 && grid.items[1] > 0 && grid.items[2] > 0)
    launchParts(kernel, grid, all.pointers());
  EventRef event = noteLaunch(arguments, before);
  kernel.code->lastLaunch = static_cast<CudaEvent &>(*event).end();
  return event;
}

/// Null where a launch has no groups, or has to be given in parts.
EventRef CudaDevice::launchChain(Kernel &given, const std::vector<ChainLaunch> &launches) {
  const auto *kernel = dynamic_cast<CudaKernel *>(&given);
  if (!kernel || !context_->cuda.hasGraphs)
    return nullptr;
  CudaGraph::Codes codes;
  for (const ChainLaunch &l : launches) {
    for (int d = 0; d < 3; ++d)
      if (const long groups = l.grid.items[d] / l.grid.group[d]; groups < 1 || groups > gridExtent_[d])
        return nullptr;
    const auto *own = l.kernel ? dynamic_cast<CudaKernel *>(l.kernel) : kernel;
    if (!own)
      return nullptr;
    codes.push_back(own->code);
  }
  context_->enter();
  ChainKey key(
      kernel->code->number, launches, [](Buffer &b) { return static_cast<CudaBuffer &>(b).memory.address; },
      [](Kernel &k) { return static_cast<CudaKernel &>(k).code->number; });
  if (!graphs_.isWorthIt(key))
    return nullptr;
  while (!running_.empty() && running_.front().second->isDone())
    running_.pop_front();
  std::shared_ptr<CudaGraph> graph;
  if (const auto *known = graphs_.find(key))
    graph = *known;
  else {
    graph = graphs_.keep(std::move(key),
                         withMemory([&] { return std::make_shared<CudaGraph>(codes, launches); }));
    ++madeGraphs_;
  }
  std::vector<Argument> used; // each buffer once
  for (const ChainLaunch &l : launches)
    for (const Argument &a : l.arguments)
      if (a.buffer) {
        const auto at =
            std::find_if(used.begin(), used.end(), [&](const Argument &u) { return u.buffer == a.buffer; });
        if (at == used.end())
          used.push_back(a);
        else
          at->written |= a.written;
      }
  awaitOthers(used);
  const CudaMarkRef before = begin(kernelStream());
  graph->launch(kernelStream());
  ++chains_;
  EventRef event = noteLaunch(used, before);
  for (const std::shared_ptr<CudaModule> &code : codes)
    code->lastLaunch = static_cast<CudaEvent &>(*event).end();
  running_.emplace_back(std::move(graph), event);
  return event;
}

std::vector<Description> cudaDevices(std::vector<std::string> &) {
  std::vector<Description> all;
  int count = 0;
  if (const Cuda *cuda = Cuda::get(); cuda && cuda->cuDeviceGetCount(&count) == 0)
    for (int k = 0; k < count; ++k) {
      CuDevice device = 0;
      cuda->cuDeviceGet(&device, k);
      all.push_back(CudaDevice::describe(device));
    }
  return all;
}

std::unique_ptr<Device> openCudaDevice(int number) {
  const Cuda &cuda = *Cuda::get();
  CuDevice device = 0;
  require(cuda, cuda.cuDeviceGet(&device, number), Failure::Lost, "cuDeviceGet");
  return std::make_unique<CudaDevice>(device);
}

} // namespace pb::device

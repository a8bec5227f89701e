// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/fake/fake_device.h"

#include "runtime/device/fake/fake_state.h"
#include "runtime/device/library/own_function.h"
#include "runtime/device/transfer.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace pb::device {

Description FakeDevice::describe(const FakeOptions &options, int number) {
  return {.api = "fake",
          .name = "fake device " + std::to_string(number),
          .driver = hostCompiler(),
          .number = number,
          .bytes = options.memory,
          .largest = options.largest ? std::min(options.largest, options.memory) : options.memory,
          .localBytes = options.local,
          .largestGroup = options.group,
          .groupExtent = {options.group, options.group, options.group},
          .units = options.units,
          .warp = 4,
          .groupsWait = options.groupsWait,
          .hasDouble = options.hasDouble,
          .sharesMemory = options.shares};
}

FakeDevice::FakeDevice(FakeOptions options, int number)
    : options_(std::move(options)), about_(describe(options_, number)), cache_(KernelCache::standardFolder()),
      libraries_(options_.libraries), state_(std::make_shared<State>()) {
  state_->faults = options_.faults;
}

FakeDevice::~FakeDevice() = default;

bool FakeDevice::fails(FakeFault::Kind kind, long number) const {
  return std::any_of(state_->faults.begin(), state_->faults.end(),
                     [&](const FakeFault &fault) { return fault.hits(kind, number); });
}

void FakeDevice::throwIfLost() const {
  std::lock_guard lock(engines_.shared()->mutex);
  if (engines_.shared()->lost)
    throw fakeLost();
}

std::unique_ptr<Buffer> FakeDevice::allocate(unsigned long bytes) {
  throwIfLost();
  {
    std::lock_guard lock(state_->mutex);
    FakeCounters &counters = state_->counters;
    if (fails(FakeFault::Memory, ++counters.allocations))
      throw DeviceError(Failure::OutOfMemory, "the fake device refuses allocation " +
                                                  std::to_string(counters.allocations) +
                                                  ", as was asked for");
    if (bytes > about_.largest || counters.bytes + bytes > about_.bytes)
      throw DeviceError(Failure::OutOfMemory,
                        "the fake device has no " + std::to_string(bytes) + " bytes: " +
                            std::to_string(counters.bytes) + " of " + std::to_string(about_.bytes) +
                            " are in use, buffers have at most " + std::to_string(about_.largest));
    ++counters.buffers;
    counters.bytes += bytes;
    counters.mostBytes = std::max(counters.mostBytes, counters.bytes);
  }
  auto memory = std::make_shared<FakeMemory>();
  memory->own = std::make_unique<WalledMemory>(bytes);
  memory->base = memory->own->base();
  memory->bytes = bytes;
  memory->freed = [state = state_, bytes] {
    std::lock_guard lock(state->mutex);
    --state->counters.buffers;
    state->counters.bytes -= bytes;
  };
  return std::make_unique<FakeBuffer>(state_, std::move(memory));
}

std::unique_ptr<Buffer> FakeDevice::bufferOver(void *memory, unsigned long bytes) {
  auto over = std::make_shared<FakeMemory>();
  over->base = static_cast<char *>(memory);
  over->bytes = bytes;
  return std::make_unique<FakeBuffer>(state_, std::move(over));
}

std::unique_ptr<Buffer> FakeDevice::wrap(void *memory, unsigned long bytes) {
  throwIfLost();
  return options_.shares ? bufferOver(memory, bytes) : nullptr;
}

std::unique_ptr<Buffer> FakeDevice::borrow(void *memory, unsigned long bytes) {
  throwIfLost();
  return bufferOver(memory, bytes);
}

std::unique_ptr<Kernel> FakeDevice::build(const KernelSource &source) {
  throwIfLost();
  {
    std::lock_guard lock(state_->mutex);
    ++state_->counters.builds;
    for (const FakeFault &fault : state_->faults)
      if (fault.kind == FakeFault::Build && (fault.entry == "*" || fault.entry == source.entry))
        throw DeviceError(Failure::Build,
                          "the fake device refuses the kernel " + source.entry + ", as was asked for");
  }
  if (source.isLibrary) {
    auto kernel = std::make_unique<LibraryKernel>(source.text);
    if (auto own = buildOwn(*this, kernel->call))
      return own;
    if (options_.libraries.empty())
      throw DeviceError(Failure::Build, std::string("the fake device has no ") + kernel->call.about().name);
    libraries_.open(kernel->call.entry);
    return kernel;
  }
  if (source.group[0] * source.group[1] * source.group[2] > about_.largestGroup)
    throw DeviceError(Failure::Build, "groups of the fake device have at most " +
                                          std::to_string(about_.largestGroup) + " items");
  if (const auto given = options_.kernels.find(source.entry); given != options_.kernels.end()) {
    auto kernel = std::make_unique<FakeKernel>(source.entry, given->second);
    std::copy_n(source.group, 3, kernel->group);
    return kernel;
  }
  const std::string text = hostKernelText(source, options_.hasDouble);
  const std::string key =
      kernelKey({.api = "fake", .driver = about_.driver}, kHostOptions, text, source.entry);
  std::optional<std::string> binary = cache_.get(key);
  const bool found = binary.has_value();
  if (!found) {
    binary = compileHostKernel(text, about_.driver);
    cache_.put(key, *binary);
  }
  auto kernel = std::make_unique<FakeKernel>(source, *binary);
  if (kernel->library->localBytes() > about_.localBytes)
    throw DeviceError(Failure::Build, "the kernel " + source.entry + " wants " +
                                          std::to_string(kernel->library->localBytes()) +
                                          " bytes for each group; the fake device has " +
                                          std::to_string(about_.localBytes));
  std::lock_guard lock(state_->mutex);
  ++(found ? state_->builds.cached : state_->builds.compiled);
  return kernel;
}

Builds FakeDevice::builds() const {
  std::lock_guard lock(state_->mutex);
  return state_->builds;
}

FakeBuffer &FakeDevice::known(Buffer &buffer) const {
  std::lock_guard lock(state_->mutex);
  if (!state_->alive.contains(&buffer))
    throw std::logic_error("a command with a buffer that was freed or that is not this device's");
  return static_cast<FakeBuffer &>(buffer);
}

/// Creates the next command, with the failure that it shall have.
FakeCommandRef FakeDevice::begin(double seconds) {
  auto command = std::make_shared<FakeCommand>(engines_.shared());
  command->seconds = seconds;
  command->isTimed = isTimed_;
  std::unique_lock lock(state_->mutex);
  ++commands_;
  if (fails(FakeFault::Stuck, commands_)) {
    lock.unlock();
    std::unique_lock driver(engines_.shared()->mutex);
    engines_.shared()->changed.wait(driver, [&] { return engines_.shared()->released; });
    driver.unlock();
    lock.lock();
  }
  command->hangs = fails(FakeFault::Hang, commands_);
  command->loses = std::any_of(state_->faults.begin(), state_->faults.end(), [&](const FakeFault &fault) {
    return fault.kind == FakeFault::Lost && commands_ >= fault.number;
  });
  return command;
}

bool FakeDevice::lockPages(void *memory, unsigned long bytes) {
  std::lock_guard lock(state_->mutex);
  if (fails(FakeFault::Lock, ++state_->counters.locks))
    throw DeviceError(Failure::OutOfMemory, "the fake device locks no pages, as was asked for");
  if (!state_->locked.emplace(static_cast<const char *>(memory), bytes).second)
    throw std::logic_error("pages are locked twice");
  ++state_->counters.locked;
  return true;
}

void FakeDevice::unlockPages(void *memory) {
  std::lock_guard lock(state_->mutex);
  if (state_->locked.erase(static_cast<const char *>(memory)) != 1)
    throw std::logic_error("pages are unlocked that were not locked");
  --state_->counters.locked;
}

EventRef FakeDevice::copy(FakeBuffer &buffer, const Transfer &t, const void *from, void *to, bool in) {
  checkTransfer(t, buffer.memory->bytes);
  throwIfLost();
  const unsigned long bytes = transferBytes(t);
  const bool same = from == to; // memory that is shared
  {
    std::lock_guard lock(state_->mutex);
    FakeCounters &counters = state_->counters;
    ++(in ? counters.copiesIn : counters.copiesOut);
    if (fails(FakeFault::Copy, counters.copiesIn + counters.copiesOut))
      throw DeviceError(Failure::OutOfMemory, "the fake device refuses a copy, as was asked for");
    if (!same)
      (in ? counters.bytesIn : counters.bytesOut) += bytes;
    const auto *host = static_cast<const char *>(in ? from : to) + reachOf(t).low;
    const auto next = state_->locked.upper_bound(host);
    if (bytes && next != state_->locked.begin() &&
        host + (reachOf(t).high - reachOf(t).low) <= std::prev(next)->first + std::prev(next)->second)
      ++counters.lockedCopies;
  }
  FakeCommandRef command =
      begin(same ? 0 : options_.latency + (options_.bandwidth > 0 ? bytes / options_.bandwidth : 0));
  command->work = [memory = buffer.memory, t, from, to, same] {
    if (!same)
      eachRow(t, [&](unsigned long offset) {
        std::memcpy(static_cast<char *>(to) + offset, static_cast<const char *>(from) + offset, t.bytes);
      });
  };
  buffer.order(kCopies, in, command);
  buffer.uses.note(kCopies, in, command);
  engines_.give(kCopies, command);
  return command;
}

EventRef FakeDevice::copyIn(Buffer &buffer, const Transfer &t, const void *host) {
  FakeBuffer &to = known(buffer);
  return copy(to, t, host, to.memory->base, true);
}

EventRef FakeDevice::copyOut(Buffer &buffer, const Transfer &t, void *host) {
  FakeBuffer &from = known(buffer);
  return copy(from, t, from.memory->base, host, false);
}

bool FakeDevice::countLaunches(long count) {
  throwIfLost();
  std::lock_guard lock(state_->mutex);
  bool isWrong = false;
  for (long k = 0; k < count; ++k) {
    if (fails(FakeFault::Launch, ++state_->counters.launches))
      throw DeviceError(Failure::Launch, "the fake device refuses launch " +
                                             std::to_string(state_->counters.launches) +
                                             ", as was asked for");
    isWrong |= fails(FakeFault::Wrong, state_->counters.launches);
  }
  return isWrong;
}

void FakeDevice::plan(const Kernel &kernel, const std::vector<LibraryMatrix> &matrices) {
  if (const auto *library = dynamic_cast<const LibraryKernel *>(&kernel))
    libraries_.plan(library->call, matrices);
}

EventRef FakeDevice::launchLibrary(const LibraryKernel &kernel, const std::vector<Argument> &arguments) {
  std::vector<std::shared_ptr<FakeMemory>> used;
  const auto addressOf = [&](Buffer &buffer) {
    return reinterpret_cast<unsigned long>(known(buffer).memory->base);
  };
  auto run =
      libraries_.prepare(kernel.call, kernel.call.matrices(arguments, addressOf), [&](unsigned long bytes) {
        auto scratch = std::make_shared<FakeMemory>();
        scratch->own = std::make_unique<WalledMemory>(bytes);
        used.push_back(scratch);
        return reinterpret_cast<unsigned long>(scratch->own->base());
      });
  countLaunches(1);
  FakeCommandRef command = begin(options_.latency);
  command->slower = 1 / options_.speed;
  for (const Argument &argument : arguments)
    if (argument.buffer) {
      auto &buffer = static_cast<FakeBuffer &>(*argument.buffer);
      used.push_back(buffer.memory);
      buffer.order(kKernels, argument.written, command);
    }
  for (const Argument &argument : arguments)
    if (argument.buffer)
      static_cast<FakeBuffer &>(*argument.buffer).uses.note(kKernels, argument.written, command);
  command->work = [run = std::move(run), used = std::move(used), name = kernel.call.about().name] {
    run(nullptr);
    for (const auto &memory : used)
      if (memory->own && !memory->own->wallsStand())
        throw std::logic_error(std::string(name) + " wrote outside of a buffer");
  };
  engines_.give(kKernels, command);
  return command;
}

/// A launch that was found to be possible.
struct FakeDevice::Prepared {
  const FakeKernel *kernel;
  HostLaunch launch;
  std::vector<std::pair<FakeBuffer *, bool>> buffers; // and whether it writes them
};

FakeDevice::Prepared FakeDevice::prepare(Kernel &given, const std::vector<Argument> &arguments,
                                         const Grid &grid) const {
  auto &kernel = static_cast<FakeKernel &>(given);
  Prepared p{&kernel, {}, {}};
  for (const Argument &argument : arguments) {
    if (argument.buffer)
      p.buffers.emplace_back(&known(*argument.buffer), argument.written);
    p.launch.arguments.push_back(argument.buffer
                                     ? reinterpret_cast<unsigned long>(p.buffers.back().first->memory->base)
                                     : static_cast<unsigned long>(argument.value));
  }
  if (kernel.library) {
    const std::string &kinds = kernel.library->kinds();
    bool fit = kinds.size() == arguments.size();
    for (std::size_t k = 0; fit && k < kinds.size(); ++k)
      fit = arguments[k].buffer ? kinds[k] == 'r' || (kinds[k] == 'w' && arguments[k].written)
                                : kinds[k] == 'v';
    if (!fit)
      throw std::logic_error("the kernel " + kernel.entry + " takes (" + kinds +
                             "), r a buffer that is only read, w a buffer, v a value; it was given others");
  }
  for (int d = 0; d < 3; ++d) {
    if (grid.group[d] != kernel.group[d] || grid.items[d] < 0 || grid.items[d] % grid.group[d] != 0)
      throw std::logic_error("the kernel " + kernel.entry + " was built for groups of " +
                             std::to_string(kernel.group[d]) + " along " + std::to_string(d) + "; " +
                             std::to_string(grid.items[d]) + " items in groups of " +
                             std::to_string(grid.group[d]) + " were asked for");
    p.launch.items[d] = grid.items[d];
    p.launch.group[d] = grid.group[d];
  }
  return p;
}

/// Launches that follow each other, as one command.
EventRef FakeDevice::give(std::vector<Prepared> launches, bool isWrong) {
  if (isBeside_) {
    std::lock_guard lock(state_->mutex);
    ++state_->counters.besides;
  }
  FakeCommandRef command = begin(options_.latency);
  command->slower = 1 / options_.speed;
  std::map<FakeBuffer *, bool> buffers;
  for (const Prepared &p : launches)
    for (const auto &[buffer, written] : p.buffers)
      buffers[buffer] |= written;
  std::vector<std::shared_ptr<FakeMemory>> used, spoilt;
  for (const auto &[buffer, written] : buffers) {
    used.push_back(buffer->memory);
    if (written && isWrong)
      spoilt.push_back(buffer->memory);
    buffer->order(kKernels, written, command);
  }
  for (const auto &[buffer, written] : buffers)
    buffer->uses.note(kKernels, written, command);
  const FakeKernel &kernel = *launches.front().kernel;
  std::vector<HostLaunch> all;
  all.reserve(launches.size());
  for (Prepared &p : launches)
    all.push_back(std::move(p.launch));
  command->work = [all = std::move(all), used = std::move(used), spoilt = std::move(spoilt),
                   entry = kernel.entry, function = kernel.function, library = kernel.library] {
    for (const HostLaunch &launch : all) {
      if (library)
        runGroups(*library, launch);
      else
        function(launch);
    }
    for (const auto &memory : spoilt)
      for (unsigned long k = 0; k < memory->bytes; ++k)
        memory->base[k] ^= 0x11;
    for (const auto &memory : used)
      if (memory->own && !memory->own->wallsStand())
        throw std::logic_error("the kernel " + entry + " wrote outside of a buffer");
  };
  engines_.give(kKernels, command);
  return command;
}

EventRef FakeDevice::launch(Kernel &kernel, const std::vector<Argument> &arguments, const Grid &grid) {
  if (const auto *library = dynamic_cast<LibraryKernel *>(&kernel))
    return launchLibrary(*library, arguments);
  if (const auto *own = dynamic_cast<OwnFunction *>(&kernel))
    return own->launch(*this, arguments);
  std::vector<Prepared> one;
  one.push_back(prepare(kernel, arguments, grid));
  const bool isWrong = countLaunches(1);
  return give(std::move(one), isWrong);
}

EventRef FakeDevice::launchChain(Kernel &kernel, const std::vector<ChainLaunch> &launches) {
  if (!dynamic_cast<FakeKernel *>(&kernel))
    return nullptr;
  ChainKey key(
      static_cast<FakeKernel &>(kernel).number, launches,
      [&](Buffer &b) { return reinterpret_cast<unsigned long>(known(b).memory->base); },
      [](Kernel &k) { return static_cast<FakeKernel &>(k).number; });
  if (!graphs_.isWorthIt(key))
    return nullptr;
  std::vector<Prepared> all;
  for (const ChainLaunch &l : launches)
    all.push_back(prepare(l.kernel ? *l.kernel : kernel, l.arguments, l.grid));
  throwIfLost();
  if (!graphs_.find(key)) {
    std::lock_guard lock(state_->mutex);
    if (fails(FakeFault::Chain, ++graphsTried_))
      throw DeviceError(Failure::Chain, "the fake device makes no graph, as was asked for");
    ++state_->counters.graphs;
    graphs_.keep(std::move(key), {});
  }
  const bool isWrong = countLaunches(static_cast<long>(launches.size()));
  {
    std::lock_guard lock(state_->mutex);
    ++state_->counters.chains;
  }
  return give(std::move(all), isWrong);
}

Chains FakeDevice::chains() const {
  std::lock_guard lock(state_->mutex);
  return {state_->counters.graphs, state_->counters.chains};
}

bool FakeDevice::callWhenOver(Event &event, const std::function<void()> &ended) {
  auto &command = static_cast<FakeCommand &>(event);
  {
    std::lock_guard lock(engines_.shared()->mutex);
    if (!command.ended) {
      command.calls.push_back(ended);
      return true;
    }
  }
  ended();
  return true;
}

FakeCounters FakeDevice::counters() const {
  std::lock_guard lock(state_->mutex);
  FakeCounters now = state_->counters;
  now.events = engines_.shared()->commands;
  now.polls = engines_.shared()->polls;
  return now;
}

void FakeDevice::fail(FakeFault fault) {
  std::lock_guard lock(state_->mutex);
  state_->faults.push_back(std::move(fault));
}

void FakeDevice::release() {
  {
    std::lock_guard lock(engines_.shared()->mutex);
    engines_.shared()->released = true;
  }
  engines_.shared()->changed.notify_all();
}

} // namespace pb::device

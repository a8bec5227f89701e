// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One device, as its management thread sees it: buffers, kernels, copies and launches, none of which block.
//
//   std::vector<std::unique_ptr<Device>> all = openDevices("opencl:0,fake");
//   auto buffer = device.allocate(1 << 20);
//   EventRef in = device.copyIn(*buffer, {.offset = 0, .bytes = 1 << 20}, host);
//   EventRef ran = device.launch(*kernel, {Argument::writes(*buffer), Argument::of(7L)},
//                                {{1024, 1, 1}, {64, 1, 1}});
//   device.flush();
//   while (!ran->isDone()) ...
//
// There are three implementations: opencl/, cuda/ (both libraries are opened when a program runs, never
// linked) and fake/ (kernels run on this processor; speed, memory, latency and failures can be set).
//
// Invariants: commands that touch the same buffer, and of which one writes it, take effect in the order in
// which they were given; others may overlap (several queues, pinned staging). Only the management thread
// calls a Device and its buffers, except build(), plan(), reaches() and the two for pages, which any thread may call; any thread may query an event.
// No call but these and allocate() takes longer than the driver's own bookkeeping. Buffers, kernels and
// events may live longer than their device. Devices fail only by DeviceError; a call that could never be
// right (a copy past a buffer's end) is a mistake of the caller and throws std::logic_error.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pb::device {

enum class Failure {
  OutOfMemory, // nothing was allocated; freeing others may help
  Build,       // this kernel cannot be built here
  Launch,      // this launch was refused; at most matrices that it writes and does not read have changed
  Unsuitable,  // refused, too, but because of its matrices: others may be accepted
  Chain,       // these launches cannot be given as one command, perhaps one by one; nothing has changed
  Lost,        // the device is gone, and with it the data that only it had
};

class DeviceError : public std::runtime_error {
public:
  DeviceError(Failure failure, const std::string &what) : std::runtime_error(what), failure_(failure) {}
  Failure failure() const { return failure_; }

private:
  Failure failure_;
};

struct Description {
  std::string api;              // "opencl", "cuda", "fake"
  std::string name;             // "NVIDIA H200"
  std::string driver;           // its version; with the name it identifies what compiled kernels depend on
  int number = 0;               // among the devices of its api: 1 of "cuda:1"
  unsigned long bytes = 0;      // of global memory
  unsigned long largest = 0;    // largest buffer, in bytes
  unsigned long localBytes = 0; // per group
  /// Per group, for kernels that ask for more when they are built (KernelSource::dynamicBytes); 0: they cannot.
  unsigned long mostLocalBytes = 0;
  int largestGroup = 1; // largest number of items in a group
  int groupExtent[3] = {1, 1, 1};
  int units = 1; // compute units, which run groups
  /// Items of a group that work in step, and so can tell each other what they have (PB_WARP of the dialect); 1: none.
  int warp = 1;
  /// A group that has begun goes on while another one waits for it. So a group may wait for those that began before it.
  bool groupsWait = false;
  bool hasDouble = false;
  /// With the processor: no copies are needed where a buffer can be the processor's own memory.
  bool sharesMemory = false;
};

/// Rows of bytes that lie at the same offset in a buffer and from a host pointer. Helpers: transfer.h.
struct Transfer {
  unsigned long offset = 0, bytes = 0;                       // of the first row
  long rows = 1, rowStride = 0, planes = 1, planeStride = 0; // strides in bytes
};

class Buffer {
public:
  virtual ~Buffer() = default; // frees the buffer when commands that use it are done
};

/// What a built kernel needs, as the driver says.
struct KernelNeeds {
  unsigned long groupBytes = 0; // of a group's memory
  unsigned long itemBytes = 0;  // of memory that each item has for itself
  unsigned long mostItems = 0;  // that its groups can have
};

class Kernel {
public:
  virtual ~Kernel() = default;
  /// Nothing where the driver does not say it.
  virtual std::optional<KernelNeeds> needs() const { return std::nullopt; }
};

/// Nanoseconds on the device's clock.
struct Span {
  unsigned long begin = 0, end = 0;
};

class Event {
public:
  virtual ~Event() = default;
  /// Does not wait. Throws the command's error, if it failed.
  virtual bool isDone() = 0;
  /// When the command ran, once it is done. Zeros if the device does not say, or if timeCommands() was not
  /// called before the command was given.
  virtual Span span() const = 0;
  /// The device's own event that is over last: this one, unless it stands for several commands.
  virtual Event &lastCommand() { return *this; }
};
using EventRef = std::shared_ptr<Event>;

struct Argument {
  Buffer *buffer = nullptr; // null: the argument is the 8 bytes of `value`
  long value = 0;
  bool written = true; // whether the kernel writes the buffer; one that is only read can be copied meanwhile
  static Argument reads(Buffer &b) { return {&b, 0, false}; }
  static Argument writes(Buffer &b) { return {&b, 0, true}; }
  static Argument of(long v) { return {nullptr, v, false}; }
};

struct Grid {
  long items[3] = {1, 1, 1}; // multiples of `group`
  int group[3] = {1, 1, 1};
};

/// One launch of a chain.
struct ChainLaunch {
  std::vector<Argument> arguments;
  Grid grid;
  bool waits = true;        // for all before it; false: it may run together with the one before it
  Kernel *kernel = nullptr; // null: that of the chain
};

/// Counts what launchChain() did so far: graphs that were made, and chains that were given. For the management
/// thread.
struct Chains {
  long made = 0, given = 0;
};

struct KernelSource {
  std::string text; // in the dialect (dialect.h), without its prelude
  std::string entry;
  int group[3] = {1, 1, 1}; // macros PB_G0, PB_G1, PB_G2
  bool isLibrary = false;   // `text` is DeviceKernel::source of such a kernel
  /// Group-local memory, if that is more than Description::localBytes; 0: it is not.
  long dynamicBytes = 0;
};

/// Counts what build() did so far.
struct Builds {
  long compiled = 0, cached = 0;
};

struct LibraryMatrix; // library/library_call.h

class Device {
public:
  /// Nothing runs after destruction; commands that have not begun may be dropped.
  virtual ~Device() = default;
  virtual const Description &about() const = 0;
  virtual std::unique_ptr<Buffer> allocate(unsigned long bytes) = 0;
  /// How many bytes of freed buffers it keeps for later ones; gives them back where memory is short.
  virtual unsigned long keptBytes() const { return 0; }
  /// Where sharesMemory: a buffer that is this memory of the processor, so that copies to it cost nothing.
  virtual std::unique_ptr<Buffer> wrap(void *, unsigned long) { return nullptr; }
  /// A buffer that is memory of this device which somebody else has allocated there, as the address that a kernel would be
  /// given. The owner frees it once the buffer is gone and isIdle() said that nothing uses it. Commands of this device wait
  /// for those of the owner that the device's kind puts in front of them (CUDA: those that its default stream waits for).
  virtual std::unique_ptr<Buffer> borrow(void *, unsigned long) {
    throw DeviceError(Failure::Unsuitable, about().name + " takes no memory that others have allocated");
  }
  /// Takes the kernel from the cache on disk (kernel_cache.h) or from the driver's compiler.
  virtual std::unique_ptr<Kernel> build(const KernelSource &) = 0;
  virtual Builds builds() const { return {}; }
  /// For a function of a library: does what takes long before such matrices can be computed (a plan), so that
  /// launch() need not. Addresses are not known yet. Any thread may call.
  virtual void plan(const Kernel &, const std::vector<LibraryMatrix> &) {}
  /// `host` must stay unchanged until the event is done.
  virtual EventRef copyIn(Buffer &, const Transfer &, const void *host) = 0;
  virtual EventRef copyOut(Buffer &, const Transfer &, void *host) = 0;
  /// Whether copyAcross() can copy to that device. Any thread.
  virtual bool reaches(const Device &) const { return false; }
  /// For a device that is reached by others or has borrowed the buffer: whether all commands that use the buffer are over. They must have
  /// been flushed.
  virtual bool isIdle(Buffer &) { return true; }
  /// Copies rows of bytes to the same places of a buffer of a device that this one reaches, without the processor's
  /// memory. The command is this device's; no command of `to` may use the buffer until it is over.
  virtual EventRef copyAcross(Buffer &from, const Transfer &, Device &to, Buffer &target) {
    (void)from, (void)to, (void)target;
    throw DeviceError(Failure::Launch, "this device cannot copy to others");
  }
  /// Locks pages of the processor's memory, so that copies of them need no staging. Takes about as long as a
  /// copy; any thread may call. False: that is of no use here. Throws DeviceError if it is refused.
  virtual bool lockPages(void *, unsigned long) { return false; }
  /// For what lockPages() was called with. No copy of this memory may be under way. Any thread.
  virtual void unlockPages(void *) {}
  virtual EventRef launch(Kernel &, const std::vector<Argument> &, const Grid &) = 0;
  /// Gives launches that follow each other as one command, a graph of the driver (chain_shelf.h), with one
  /// event. Null: nothing was given, and the caller gives them one by one, because this device has no graphs
  /// or this chain is not worth one yet. Throws as launch() does, and Failure::Chain; nothing has begun then.
  virtual EventRef launchChain(Kernel &, const std::vector<ChainLaunch> &) { return nullptr; }
  /// The largest number of launches that launchChain() takes; 0: it takes none.
  virtual std::size_t longestChain() const { return 0; }
  virtual Chains chains() const { return {}; }
  /// Remembers which launches were given so far.
  virtual void fork() {}
  /// While true, launches need not wait for those since fork(): none of these reads what they write or writes what they
  /// read, though both may write different cells of the same buffers. A device may order them all the same.
  virtual void launchBeside(bool) {}
  /// After this, the commands that were given begin without further calls.
  virtual void flush() = 0;
  /// To be called before the first command: events say when their commands ran. Without it, devices leave out
  /// what that costs.
  virtual void timeCommands() {}
  /// To be called before the first command: from then on `ended` is called, by any thread, when the commands
  /// that one flush() began have ended, once for each kind of command. False: the device never calls, and
  /// events have to be polled.
  virtual bool callAtEnd(const std::function<void()> &ended) {
    (void)ended;
    return false;
  }
  /// Calls `ended`, by any thread, once the command of this event of the device has ended, or soon if it has. It costs
  /// about as much as a launch, so it is for commands that take a while; a command that fails may not call.
  /// The command must have been flushed. False: the device never calls.
  virtual bool callWhenOver(Event &, const std::function<void()> &ended) {
    (void)ended;
    return false;
  }
};

/// The name by which a device can be opened: "opencl:0", "cuda:0", "fake:0".
struct DeviceName {
  std::string id;
  Description about;
};

/// Lists all devices of this machine. "fake:0" is listed if PB_FAKE_DEVICE asks for it (fake/fake_options.h);
/// it can always be opened as "fake".
std::vector<DeviceName> listDevices();
/// Lists the devices that openDevices(names) would try to open.
std::vector<DeviceName> listDevices(const std::string &names);

/// Opens the named devices; names are separated by commas ("opencl:0,cuda:1"; "all": each device once, by
/// CUDA rather than OpenCL; "none"; "opencl": the first one of OpenCL). Devices that cannot be opened are
/// left out, with a sentence each in `complaints`.
std::vector<std::unique_ptr<Device>> openDevices(const std::string &names,
                                                 std::vector<std::string> &complaints);

} // namespace pb::device

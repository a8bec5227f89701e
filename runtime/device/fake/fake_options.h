// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The properties of a fake device, and the failures that it simulates.
//
//   PB_FAKE_DEVICE="memory=64M latency=50us bandwidth=10G speed=0.5 fail=launch:3,memory:5+"
//
// Words are separated by spaces, semicolons or both; a word is NAME=VALUE:
//
//   memory=1G       bytes of the device; K, M, G are powers of 1024
//   largest=256M    bytes of one buffer (else all of the memory)
//   local=48K       bytes of a group
//   group=1024      items of a group
//   units=4         the number of units that the device reports; its groups run on one thread
//   latency=50us    of each copy and launch (ns, us, ms, s)
//   bandwidth=10G   bytes a second of copies; without it copies are not slowed down
//   speed=0.5       kernels take 1/speed of their time here (0 < speed <= 1)
//   double=0        has no doubles
//   groups_wait=1   says that groups may wait for those that began before them, as GPUs do
//   peers=0         copies to and from other fake devices go by way of the processor
//   shares=1        shares the processor's memory: wrap() works
//   libraries=PATH  a folder of libraries that have the functions of CUDA's and compute in the processor's
//                   memory (tests/unit/device/library)
//   devices=2       the number of devices: "fake:0", "fake:1"; all alike, except that faults concern the first
//   fail=FAULT,...  of the first device:
//     build:NAME      kernels whose entry is NAME, or all for "*", do not compile
//     memory:K        the K-th allocation (from 1) is refused
//     launch:K        the K-th launch is refused
//     wrong:K         the K-th launch reports success, and what it writes is wrong
//     chain:K         the K-th chain of launches cannot be made into a graph
//     lock:K          the K-th locking of pages is refused
//     copy:K          the K-th copy, in or out, is refused for lack of memory
//     across:K        the K-th copy to another device is refused
//     lost:K          the device is lost when it comes to the K-th command (copies and launches): earlier
//                     commands take effect, this one and all later ones do not
//     hang:K          the K-th command does not end before FakeDevice::release() or the end of the device
//     stuck:K         the call that gives the K-th command does not return before FakeDevice::release()
//   K+ instead of K: that one and all later ones.
//
// Refused calls count: after launch:3 failed, the next launch is the fourth. A refused call is not a command.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pb::device {

/// The arguments and position that a launch gives to a kernel that is a function of this program.
struct HostLaunch {
  std::vector<unsigned long> arguments; // pointers and values
  long items[3] = {1, 1, 1};
  int group[3] = {1, 1, 1};

  template <class T>
  T *pointer(int k) const {
    return __builtin_bit_cast(T *, arguments[k]);
  }
  long value(int k) const { return static_cast<long>(arguments[k]); }
};
using HostKernel = std::function<void(const HostLaunch &)>;

struct FakeFault {
  enum Kind { Build, Memory, Launch, Wrong, Chain, Lock, Copy, Across, Lost, Hang, Stuck };
  Kind kind = Launch;
  long number = 1;        // from 1, unless kind is Build
  bool andLater = false;  // K+
  std::string entry = {}; // for Build
  bool hits(Kind k, long n) const { return kind == k && (n == number || (andLater && n > number)); }
};

struct FakeOptions {
  unsigned long memory = 1UL << 30, largest = 0, local = 48UL << 10;
  int group = 1024, units = 1, devices = 1;
  double latency = 0;   // seconds
  double bandwidth = 0; // bytes a second; 0: no limit
  double speed = 1;
  bool hasDouble = true, shares = false, peers = true, groupsWait = false;
  std::string libraries = {}; // a folder
  std::vector<FakeFault> faults = {};
  /// Kernels that are functions of this program instead of text, by their entries: they need no compiler.
  std::map<std::string, HostKernel> kernels = {};
};

/// Throws base::UserError if the text does not have the form above.
FakeOptions parseFakeOptions(const std::string &text);

} // namespace pb::device

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A CUDA driver for tests, as a shared library: streams are threads that take their time, memory is the
// host's, and kernels are the two functions below, whatever code they were loaded from. It is as strict as
// the real one may be: copies of memory that is not pinned count as mistakes, unless they are small and to
// the device.
#include "runtime/device/cuda/cuda_api.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pb::device {
namespace {

std::mutex mutex;
std::condition_variable changed;
std::map<void *, std::size_t> pinned, onDevice;
std::size_t allocated = 0, graphMemory = 0;
int version = 13000;
int registered = 0, failRegister = 0, hostFunctions = 0;
int graphs = 0, liveGraphs = 0, failGraph = 0;
int allocations = 0, events = 0, timedEvents = 0, liveEvents = 0, mistakes = 0, failLaunch = 0, launches = 0;
int failLocal = 0, lastLocal = 0, edges = 0;
std::atomic<int> slowHost = 0, slowLink = 0;
constexpr std::size_t kMemory = 64UL << 20;

struct Recorded {
  long given = 0, done = 0;
  std::chrono::steady_clock::time_point when;
};

/// The part of memory in this map that contains the bytes.
bool within(const std::map<void *, std::size_t> &all, const void *at, std::size_t bytes) {
  auto next = all.upper_bound(const_cast<void *>(at));
  if (next == all.begin())
    return false;
  --next;
  return static_cast<const char *>(at) + bytes <= static_cast<const char *>(next->first) + next->second;
}

void rest(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }
void copy(void *to, const void *from, std::size_t n) {
  rest(n >= 1 << 20 ? slowLink.load() : 0);
  std::memcpy(to, from, n);
}

template <class T = void>
T *at(CuAddress address) {
  return __builtin_bit_cast(T *, address);
}

} // namespace

struct CUevent_st {
  bool isTimed = false;
  std::shared_ptr<Recorded> state = std::make_shared<Recorded>();
};

struct CUstream_st {
  std::deque<std::function<void()>> work;
  bool busy = false, end = false;
  unsigned random = 1;
  std::thread thread{[this] {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return end || !work.empty(); });
      if (work.empty())
        return;
      auto next = std::move(work.front());
      work.pop_front();
      busy = true;
      lock.unlock();
      random = random * 1103515245 + 12345;
      std::this_thread::sleep_for(std::chrono::microseconds(random >> 16 & 127));
      next();
      next = nullptr;
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }};
  int give(std::function<void()> f) {
    std::lock_guard lock(mutex);
    work.push_back(std::move(f));
    changed.notify_all();
    return 0;
  }
};

struct CUfunc_st {
  std::string name;
  unsigned localBytes = 0; // that launches may ask for
  CUmod_st *module;
};
struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
  long firstGroup[3] = {};
};

struct CUgraphNode_st {
  std::function<void()> work;
};
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
  std::atomic<int> running = 0;
};

namespace {

std::function<void()> workOf(CuFunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, void **p) {
  std::array<unsigned long, 5> a{};
  for (std::size_t k = 0; k < (f->name == "scale" ? 5 : 1); ++k)
    std::memcpy(&a[k], p[k], 8);
  if (f->name == "scale") // A_p, A_o, by, low0, high0
    return [=] {
      for (long i = static_cast<long>(a[3]); i < static_cast<long>(a[4]) && i < static_cast<long>(gx) * bx;
           ++i)
        at<float>(a[0])[a[1] + i] *= static_cast<float>(__builtin_bit_cast(double, a[2]));
    };
  return [=] { // counts the groups, in planes of 100 rows
    for (unsigned z = 0; z < gz; ++z)
      for (unsigned y = 0; y < gy; ++y)
        at<int>(a[0])[(f->module->firstGroup[2] + z) * 100 + f->module->firstGroup[1] + y] += 1;
  };
}

} // namespace

extern "C" {

int pb_test_allocations() { return allocations; }
/// How many events were made, how many of them with times, and how many there are.
int pb_test_events() { return events; }
int pb_test_timed_events() { return timedEvents; }
int pb_test_live_events() { return liveEvents; }
int pb_test_launches() { return launches; }
int pb_test_mistakes() { return mistakes; }
/// Milliseconds by which host functions, and copies of a megabyte or more, are slowed down.
void pb_test_slow(int host, int link) { slowHost = host, slowLink = link; }
/// How many pieces of memory have locked pages, and the status of locking from now on.
int pb_test_registered() { return registered; }
void pb_test_fail_register(int status) { failRegister = status; }
/// How many pieces were staged.
int pb_test_host_functions() { return hostFunctions; }
void pb_test_version(int v) { version = v; }
/// How many graphs were made, and how many there are.
int pb_test_graphs() { return graphs; }
int pb_test_live_graphs() { return liveGraphs; }
/// Bytes that must be free for making a graph.
void pb_test_graph_memory(int bytes) { graphMemory = static_cast<std::size_t>(bytes); }
/// The status of making graphs from now on.
void pb_test_fail_graphs(int status) { failGraph = status; }
/// The status of asking for memory of groups from now on, and how much the last launch or node of a graph had.
void pb_test_fail_local(int status) { failLocal = status; }
int pb_test_last_local() { return lastLocal; }
int pb_test_edges() { return edges; } // of all graphs: how often a node waits for another
void pb_test_fail_launch(int status) { failLaunch = status; }

CuStatus cuInit(unsigned) { return 0; }
CuStatus cuDriverGetVersion(int *v) { return *v = version, 0; }
CuStatus cuGetErrorName(CuStatus, const char **name) { return *name = "CUDA_ERROR_OF_TESTS", 0; }
CuStatus cuGetErrorString(CuStatus, const char **text) { return *text = "as was asked for", 0; }
CuStatus cuDeviceGetCount(int *n) { return *n = 1, 0; }
CuStatus cuDeviceGet(CuDevice *d, int n) { return *d = n, 0; }
CuStatus cuDeviceGetName(char *name, int, CuDevice) { return std::strcpy(name, "a test"), 0; }
CuStatus cuDeviceTotalMem_v2(std::size_t *n, CuDevice) { return *n = kMemory, 0; }
CuStatus cuDeviceGetAttribute(int *v, int which, CuDevice) {
  static const std::map<int, int> values = {{1, 1024},    {2, 1024}, {3, 1024}, {4, 64},
                                            {5, 1 << 30}, {6, 5},    {7, 3},    {8, 49152},
                                            {16, 4},      {75, 9},   {76, 0},   {97, 232448}};
  return *v = values.at(which), 0;
}
CuStatus cuDevicePrimaryCtxRetain(CuContext *c, CuDevice) {
  return *c = reinterpret_cast<CuContext>(&mutex), 0;
}
CuStatus cuDevicePrimaryCtxRelease_v2(CuDevice) { return 0; }
CuStatus cuCtxSetCurrent(CuContext) { return 0; }

CuStatus cuMemAlloc_v2(CuAddress *to, std::size_t n) {
  std::lock_guard lock(mutex);
  if (allocated + n > kMemory)
    return kCuOutOfMemory;
  ++allocations;
  allocated += n;
  void *memory = std::calloc(1, n);
  onDevice[memory] = n;
  *to = reinterpret_cast<CuAddress>(memory);
  return 0;
}
CuStatus cuMemFree_v2(CuAddress address) {
  std::unique_lock lock(mutex);
  void *memory = at(address);
  allocated -= onDevice.at(memory);
  onDevice.erase(memory);
  std::free(memory);
  return 0;
}
CuStatus cuPointerGetAttribute(void *to, int attribute, CuAddress address) {
  std::lock_guard lock(mutex);
  if (!within(onDevice, at<>(address), 1))
    return 1;
  *static_cast<int *>(to) =
      attribute == kCuMemoryKind ? int{CuRows::Device} : 0; // all memory is the first device's
  return 0;
}
CuStatus cuMemAllocHost_v2(void **to, std::size_t n) {
  std::lock_guard lock(mutex);
  *to = std::malloc(n);
  pinned[*to] = n;
  return 0;
}
CuStatus cuMemFreeHost(void *p) {
  std::lock_guard lock(mutex);
  pinned.erase(p);
  std::free(p);
  return 0;
}

CuStatus cuMemHostRegister_v2(void *p, std::size_t n, unsigned) {
  std::lock_guard lock(mutex);
  if (failRegister)
    return failRegister;
  ++registered;
  return pinned[p] = n, 0;
}
CuStatus cuMemHostUnregister(void *p) {
  std::lock_guard lock(mutex);
  mistakes += pinned.erase(p) != 1;
  --registered;
  return 0;
}

CuStatus cuMemcpyHtoDAsync_v2(CuAddress to, const void *from, std::size_t n, CuStream s) {
  void *device = at(to);
  std::unique_lock lock(mutex);
  mistakes += !within(onDevice, device, n);
  if (within(pinned, from, n)) {
    lock.unlock();
    return s->give([=] { copy(device, from, n); });
  }
  mistakes += n > 65536;
  lock.unlock();
  std::string now(static_cast<const char *>(from), n); // the driver's own staging
  return s->give([=] { std::memcpy(device, now.data(), n); });
}
CuStatus cuMemcpyDtoHAsync_v2(void *to, CuAddress from, std::size_t n, CuStream s) {
  void *device = at(from);
  {
    std::lock_guard lock(mutex);
    mistakes += !within(onDevice, device, n) + !within(pinned, to, n);
  }
  return s->give([=] { copy(to, device, n); });
}
CuStatus cuDeviceCanAccessPeer(int *can, CuDevice from, CuDevice to) {
  return *can = from != to && to < 2, 0;
}
CuStatus cuCtxEnablePeerAccess(CuContext, unsigned) { return 0; }
CuStatus cuMemcpyPeerAsync(CuAddress to, CuContext, CuAddress from, CuContext, std::size_t n, CuStream s) {
  {
    std::lock_guard lock(mutex);
    mistakes += !within(onDevice, at<>(to), n) + !within(onDevice, at<>(from), n);
  }
  return s->give([=] { std::memcpy(at<>(to), at<>(from), n); });
}
CuStatus cuMemcpy3DPeerAsync(const CuRowsAcross *given, CuStream s) {
  const CuRowsAcross r = *given;
  {
    std::lock_guard lock(mutex);
    mistakes += !within(onDevice, at<>(r.from.device), r.from.pitch * (r.rows - 1) + r.bytes);
    mistakes += !within(onDevice, at<>(r.to.device), r.to.pitch * (r.rows - 1) + r.bytes);
    mistakes += r.planes != 1 || r.from.pitch < r.bytes || r.to.pitch < r.bytes;
  }
  return s->give([=] {
    for (std::size_t row = 0; row < r.rows; ++row)
      std::memcpy(at<char>(r.to.device) + row * r.to.pitch, at<char>(r.from.device) + row * r.from.pitch,
                  r.bytes);
  });
}

CuStatus cuMemcpy2DAsync_v2(const CuRows *given, CuStream s) {
  const CuRows r = *given;
  const bool in = r.fromType == CuRows::Host;
  const char *from = in ? static_cast<const char *>(r.fromHost) : at<const char>(r.fromDevice);
  char *to = in ? at<char>(r.toDevice) : static_cast<char *>(r.toHost);
  {
    std::lock_guard lock(mutex);
    mistakes += !within(in ? pinned : onDevice, from, r.fromPitch * (r.rows - 1) + r.bytes);
    mistakes += !within(in ? onDevice : pinned, to, r.toPitch * (r.rows - 1) + r.bytes);
    mistakes += r.toPitch < r.bytes || r.fromPitch < r.bytes;
  }
  return s->give([=] {
    for (std::size_t row = 0; row < r.rows; ++row)
      std::memcpy(to + row * r.toPitch, from + row * r.fromPitch, r.bytes);
  });
}
CuStatus cuMemsetD32Async(CuAddress to, unsigned v, std::size_t n, CuStream s) {
  return s->give([=] {
    for (std::size_t k = 0; k < n; ++k)
      at<unsigned>(to)[k] = v;
  });
}

CuStatus cuStreamCreate(CuStream *s, unsigned) { return *s = new CUstream_st, 0; }
CuStatus cuStreamCreateWithPriority(CuStream *s, unsigned, int) { return *s = new CUstream_st, 0; }
CuStatus cuStreamSynchronize(CuStream s) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return s->work.empty() && !s->busy; });
  return 0;
}
CuStatus cuStreamDestroy_v2(CuStream s) {
  {
    std::lock_guard lock(mutex);
    s->end = true;
  }
  changed.notify_all();
  s->thread.join();
  delete s;
  return 0;
}
CuStatus cuStreamWaitEvent(CuStream s, CuEvent e, unsigned) {
  long which = 0;
  {
    std::lock_guard lock(mutex);
    which = e->state->given;
  }
  return s->give([=, state = e->state] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return state->done >= which; });
  });
}
CuStatus cuLaunchHostFunc(CuStream s, CuHostFunction f, void *given) {
  ++hostFunctions;
  return s->give([=] { rest(slowHost), f(given); });
}
CuStatus cuEventCreate(CuEvent *e, unsigned flags) {
  std::lock_guard lock(mutex);
  *e = new CUevent_st{.isTimed = (flags & 2) == 0};
  ++events, ++liveEvents;
  timedEvents += (*e)->isTimed;
  return 0;
}
CuStatus cuEventDestroy_v2(CuEvent e) {
  std::lock_guard lock(mutex);
  --liveEvents;
  return delete e, 0;
}
CuStatus cuEventRecord(CuEvent e, CuStream s) {
  long which = 0;
  {
    std::lock_guard lock(mutex);
    which = ++e->state->given;
  }
  const auto pass = [which, state = e->state] {
    std::lock_guard lock(mutex);
    state->done = which;
    state->when = std::chrono::steady_clock::now();
  };
  return s ? s->give(pass) : (pass(), 0); // the default stream has no commands
}
CuStatus cuEventQuery(CuEvent e) {
  std::lock_guard lock(mutex);
  return e->state->done == e->state->given ? 0 : kCuNotReady;
}
CuStatus cuEventSynchronize(CuEvent e) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [state = e->state] { return state->done == state->given; });
  return 0;
}
CuStatus cuEventElapsedTime(float *ms, CuEvent from, CuEvent to) {
  std::lock_guard lock(mutex);
  if (!from->isTimed || !to->isTimed)
    return ++mistakes, 400;
  *ms = std::chrono::duration<float, std::milli>(to->state->when - from->state->when).count();
  return 0;
}

CuStatus cuModuleLoadData(CuModule *m, const void *binary) {
  const char *code = static_cast<const char *>(binary);
  if (std::memcmp(code, "\177ELF", 4) != 0)
    return 200;
  // The compiler for tests says which version it is; a driver loads no code of a newer one.
  if (std::memcmp(code + 4, " by ", 4) == 0 && std::atoi(code + 8) > version / 1000)
    return 209;
  return *m = new CUmod_st, 0;
}
CuStatus cuModuleUnload(CuModule m) { return delete m, 0; }
CuStatus cuModuleGetFunction(CuFunction *f, CuModule m, const char *name) {
  *f = &(m->functions[name] = {.name = name, .module = m});
  return 0;
}
CuStatus cuModuleGetGlobal_v2(CuAddress *at, std::size_t *n, CuModule m, const char *) {
  *n = sizeof m->firstGroup;
  return *at = reinterpret_cast<CuAddress>(m->firstGroup), 0;
}
CuStatus cuFuncGetAttribute(int *v, int, CuFunction) { return *v = 1024, 0; }
CuStatus cuFuncSetAttribute(CuFunction f, int which, int value) {
  mistakes += which != kCuFunctionDynamicBytes;
  if (failLocal || value > 232448)
    return failLocal ? failLocal : 1;
  f->localBytes = static_cast<unsigned>(value);
  return 0;
}

CuStatus cuLaunchKernel(CuFunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned, unsigned,
                        unsigned local, CuStream s, void **p, void **) {
  if (local > std::max(49152U, f->localBytes))
    return 1;
  lastLocal = static_cast<int>(local);
  if (failLaunch)
    return std::exchange(failLaunch, 0);
  ++launches;
  if (gy > 5 || gz > 3)
    return 1;
  return s->give(workOf(f, gx, gy, gz, bx, p));
}

CuStatus cuGraphCreate(CuGraph *g, unsigned) { return *g = new CUgraph_st, 0; }
CuStatus cuGraphDestroy(CuGraph g) { return delete g, 0; }
CuStatus cuGraphAddKernelNode_v2(CuGraphNode *n, CuGraph g, const CuGraphNode *after, std::size_t count,
                                 const CuKernelNode *k) {
  for (std::size_t i = 0; i < count; ++i)
    if (std::none_of(g->nodes.begin(), g->nodes.end(),
                     [&](const auto &node) { return node.get() == after[i]; }))
      return ++mistakes, 1;
  edges += static_cast<int>(count);
  if (k->grid[1] > 5 || k->grid[2] > 3 || k->localBytes > std::max(49152U, k->function->localBytes))
    return ++mistakes, 1;
  lastLocal = static_cast<int>(k->localBytes);
  g->nodes.push_back(std::make_shared<CUgraphNode_st>(
      workOf(k->function, k->grid[0], k->grid[1], k->grid[2], k->group[0], k->arguments)));
  return *n = g->nodes.back().get(), 0;
}
CuStatus cuGraphInstantiateWithFlags(CuGraphExec *e, CuGraph g, unsigned long long) {
  if (failGraph)
    return failGraph;
  if (std::lock_guard lock(mutex); allocated + graphMemory > kMemory)
    return kCuOutOfMemory;
  ++graphs, ++liveGraphs;
  return *e = new CUgraphExec_st{g->nodes}, 0;
}
CuStatus cuGraphLaunch(CuGraphExec e, CuStream s) {
  if (failLaunch)
    return std::exchange(failLaunch, 0);
  ++e->running;
  return s->give([e] {
    for (const auto &node : e->nodes)
      node->work();
    --e->running;
  });
}
CuStatus cuGraphExecDestroy(CuGraphExec e) {
  mistakes += e->running > 0;
  --liveGraphs;
  return delete e, 0;
}
}

} // namespace pb::device

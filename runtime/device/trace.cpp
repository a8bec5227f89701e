// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/trace.h"
#include "runtime/base/pending_files.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

#include <map>
#include <stdexcept>

namespace pb::device {

/// Events in blocks that are never moved, so that a reader can follow the writer.
struct Trace::Log {
  static constexpr unsigned kBlock = 512;
  struct Block {
    Event events[kBlock];
    std::atomic<unsigned> count = 0;
    std::atomic<Block *> next = nullptr;
  };
  std::string thread; // under the trace's lock
  Block first;
  Block *last = &first;
  Log() = default;
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;
  ~Log() {
    for (Block *b = first.next.load(); b;) {
      Block *next = b->next.load();
      delete b;
      b = next;
    }
  }
};

namespace {

std::atomic<unsigned long> traces = 0;

void appendQuoted(std::string &out, const char *text) {
  out += '"';
  for (; *text; ++text) {
    const auto c = static_cast<unsigned char>(*text);
    if (c == '"' || c == '\\')
      out += '\\';
    if (c < 32) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += static_cast<char>(c);
    }
  }
  out += '"';
}

void appendEvent(std::string &out, const Trace::Event &e, int process, int thread, double begin,
                 double length) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, R"({"ph":"X","pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f,"cat":)",
                process, thread, begin, length);
  out += numbers;
  appendQuoted(out, e.category);
  out += ",\"name\":";
  std::string name = e.name;
  if (*e.detail)
    name += std::string(*e.name ? " " : "") + e.detail;
  appendQuoted(out, name.c_str());
  out += "},\n";
}

void appendName(std::string &out, const char *what, int process, int thread, const std::string &name) {
  out += "{\"ph\":\"M\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
         ",\"name\":\"" + what + "\",\"args\":{\"name\":";
  appendQuoted(out, name.c_str());
  out += "}},\n";
}

} // namespace

Trace::Trace() : number_(++traces) {}
Trace::~Trace() = default;

unsigned long Trace::now() {
  using namespace std::chrono;
  return static_cast<unsigned long>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

Trace::Log &Trace::mine() {
  // The number of the trace that this thread used last; numbers are never reused, so an old one cannot be
  // mistaken.
  thread_local unsigned long number = 0;
  thread_local Log *log = nullptr;
  thread_local std::map<unsigned long, Log *> others;
  if (number == number_)
    return *log;
  Log *&known = others[number_];
  if (!known) {
    std::lock_guard hold(mutex_);
    logs_.push_back(std::make_unique<Log>());
    known = logs_.back().get();
    known->thread = (task::Scheduler::current() ? "worker " : "thread ") + std::to_string(logs_.size());
  }
  number = number_;
  return *(log = known);
}

void Trace::nameThread(const std::string &name) {
  Log &log = mine();
  std::lock_guard hold(mutex_);
  log.thread = name;
}

void Trace::append(const Event &event) {
  Log &log = mine();
  unsigned n = log.last->count.load(std::memory_order_relaxed);
  if (n == Log::kBlock) {
    auto *block = new Log::Block;
    log.last->next.store(block, std::memory_order_release);
    log.last = block;
    n = 0;
  }
  log.last->events[n] = event;
  log.last->count.store(n + 1, std::memory_order_release);
}

void Trace::note(const char *category, const char *name, const char *detail, Span span) {
  append({category, name, detail, -1, span, span.end});
}

void Trace::onDevice(int device, const char *category, const char *detail, Span span) {
  append({category, "", detail, device, span, now()});
}

std::vector<Trace::Lane> Trace::lanes() const {
  std::lock_guard hold(mutex_);
  std::vector<Lane> lanes;
  for (const auto &log : logs_) {
    lanes.push_back({log->thread, {}});
    for (const Log::Block *b = &log->first; b; b = b->next.load(std::memory_order_acquire)) {
      const unsigned n = b->count.load(std::memory_order_acquire);
      lanes.back().events.insert(lanes.back().events.end(), b->events, b->events + n);
    }
  }
  return lanes;
}

std::string Trace::text() const {
  const std::vector<Lane> all = lanes();
  // A device's clock differs from the processor's by a constant. The largest one is taken for which nothing
  // ends after it was seen to end.
  std::map<int, long> apart;
  unsigned long begin = ~0ul;
  for (const Lane &lane : all)
    for (const Event &e : lane.events) {
      if (e.device < 0) {
        begin = std::min(begin, e.span.begin);
        continue;
      }
      const long here = static_cast<long>(e.seen) - static_cast<long>(e.span.end);
      const auto [at, isNew] = apart.emplace(e.device, here);
      at->second = std::min(at->second, here);
    }
  if (begin == ~0ul)
    begin = 0;
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  appendName(out, "process_name", 0, 0, "processor");
  for (const auto &[device, distance] : apart) {
    appendName(out, "process_name", 1 + device, 0, "device " + std::to_string(device));
    appendName(out, "thread_name", 1 + device, 0, "kernels");
    appendName(out, "thread_name", 1 + device, 1, "copies in");
    appendName(out, "thread_name", 1 + device, 2, "copies out");
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    appendName(out, "thread_name", 0, static_cast<int>(k), all[k].thread);
    for (const Event &e : all[k].events) {
      const long shift = e.device < 0 ? 0 : apart[e.device];
      const double at =
          (static_cast<double>(static_cast<long>(e.span.begin) + shift) - static_cast<double>(begin)) / 1e3;
      const double length = static_cast<double>(e.span.end - e.span.begin) / 1e3;
      const std::string category = e.category;
      if (e.device < 0)
        appendEvent(out, e, 0, static_cast<int>(k), at, length);
      else
        appendEvent(out, e, 1 + e.device,
                    category == "copy-in"    ? 1
                    : category == "copy-out" ? 2
                                             : 0,
                    at, length);
    }
  }
  out.erase(out.find_last_of(',')); // there is a name at least
  return out + "\n]}\n";
}

void Trace::write(const std::string &path) const {
  try {
    base::writeWhole(path, text());
  } catch (const base::CannotWrite &) {
    throw std::runtime_error("cannot write the trace to '" + path +
                             "': is the folder there, and is it yours?");
  }
}

} // namespace pb::device

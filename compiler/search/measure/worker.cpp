// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/worker.h"
#include "compiler/kernel/footprint.h"
#include "compiler/search/measure/fastest_run.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pbc::search {
namespace {

struct Question {
  std::uint32_t pathBytes, leaf;
  std::int32_t runs; // 0: this is the reference
  double most;
};

struct Answer {
  std::int32_t fate;
  std::int32_t runs;
  double seconds, difference;
};

bool writeAll(int file, const void *data, std::size_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    const ssize_t n = write(file, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, bytes -= std::size_t(n);
  }
  return true;
}

bool readAll(int file, void *data, std::size_t bytes) {
  char *at = static_cast<char *>(data);
  while (bytes > 0) {
    const ssize_t n = read(file, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, bytes -= std::size_t(n);
  }
  return true;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The time for which this thread ran: other programs on its core do not count.
double ownSeconds() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

using Leaf = void (*)(const long *, void *const *);

/// The library that was loaded last: the leaves of one are measured one after the other.
class Library {
public:
  Library() = default;
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  ~Library() { close(); }

  /// Null: there is no such file or leaf.
  Leaf leaf(const std::string &path, std::size_t number) {
    if (path != path_) {
      close();
      library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      path_ = path;
    }
    return library_ ? reinterpret_cast<Leaf>(dlsym(library_, leafFunctionName(number).c_str())) : nullptr;
  }

private:
  void close() {
    if (library_)
      dlclose(library_);
    library_ = nullptr;
  }
  std::string path_;
  void *library_ = nullptr;
};

constexpr std::size_t kLargePage = 2 << 20;

/// The memory of the kernel's matrices in the worker.
class Memory {
public:
  explicit Memory(const Arrays &arrays) : arrays_(arrays) {
    for (const Array &array : arrays.all) {
      // Rows of several matrices of a power of two bytes would begin in the same sets of a cache.
      const std::size_t bytes = (std::size_t(array.bytes()) + 4095) / 4096 * 4096 + 4096 + 64 * cells_.size();
      // Matrices of programs lie in large pages, too (runtime/matrix/storage_pool.cpp).
      const std::size_t page = bytes < kLargePage ? 4096 : kLargePage;
      void *memory = nullptr;
      if (posix_memalign(&memory, page, bytes) != 0)
        _exit(3);
      if (page == kLargePage)
        madvise(memory, bytes, MADV_HUGEPAGE); // only advice, so failure is harmless
      cells_.push_back(static_cast<char *>(memory) + 64 * cells_.size());
    }
    for (const auto &[name, value] : arrays.sizes)
      sizes_.push_back(value);
    sizes_.push_back(0);
  }

  void fill() {
    for (std::size_t a = 0; a < cells_.size(); ++a)
      for (long c = 0; c < arrays_.all[a].cells(); ++c) {
        const auto mixed = (std::uint64_t(c) * 2654435761U + a * 40503U) >> 7;
        store(a, c, double(mixed % 1024) / 1024.0 + 0.25);
      }
  }

  void run(Leaf leaf) { leaf(sizes_.data(), cells_.data()); }

  void keepResults() {
    results_.clear();
    each([&](double value) { results_.push_back(value); });
  }

  /// The largest difference from the results that were kept, relative to the largest of them.
  double difference() {
    double most = 0, largest = 1e-300;
    std::size_t at = 0;
    each([&](double value) {
      const double wanted = results_[at++];
      const double difference = std::abs(value - wanted);
      // What is no number in both is the same.
      if (!(difference <= most) && !(std::isnan(value) && std::isnan(wanted)) && value != wanted)
        most = std::isnan(difference) ? HUGE_VAL : difference;
      if (std::isfinite(wanted))
        largest = std::max(largest, std::abs(wanted));
    });
    return most / largest;
  }

private:
  void store(std::size_t a, long c, double value) {
    switch (arrays_.all[a].element) {
    case kernel::Scalar::F64:
      static_cast<double *>(cells_[a])[c] = value;
      return;
    case kernel::Scalar::F32:
      static_cast<float *>(cells_[a])[c] = float(value);
      return;
    case kernel::Scalar::I32:
      static_cast<std::int32_t *>(cells_[a])[c] = std::int32_t(value * 16);
      return;
    case kernel::Scalar::I64:
      static_cast<std::int64_t *>(cells_[a])[c] = std::int64_t(value * 16);
      return;
    case kernel::Scalar::U8:
    case kernel::Scalar::Bool:
      static_cast<std::uint8_t *>(cells_[a])[c] = std::uint8_t(value * 16) & 1;
      return;
    }
  }
  double load(std::size_t a, long c) const {
    switch (arrays_.all[a].element) {
    case kernel::Scalar::F64:
      return static_cast<const double *>(cells_[a])[c];
    case kernel::Scalar::F32:
      return double(static_cast<const float *>(cells_[a])[c]);
    case kernel::Scalar::I32:
      return static_cast<const std::int32_t *>(cells_[a])[c];
    case kernel::Scalar::I64:
      return double(static_cast<const std::int64_t *>(cells_[a])[c]);
    case kernel::Scalar::U8:
    case kernel::Scalar::Bool:
      return static_cast<const std::uint8_t *>(cells_[a])[c];
    }
    return 0;
  }
  template <class Visit>
  void each(const Visit &visit) const {
    for (std::size_t a = 0; a < cells_.size(); ++a)
      if (arrays_.all[a].isResult)
        for (long c = 0; c < arrays_.all[a].cells(); ++c)
          visit(load(a, c));
  }

  const Arrays &arrays_;
  std::vector<void *> cells_;
  std::vector<long> sizes_;
  std::vector<double> results_;
};

/// Sums in another order differ by so much in the last digits.
double allowedDifference(const Arrays &arrays) {
  for (const Array &array : arrays.all)
    if (array.isResult && array.element == kernel::Scalar::F32)
      return 1e-4;
  return 1e-10;
}

/// The fastest of the runs, each of at least some 50 microseconds: shorter kernels run several times in one. Up to twice as many if all that
/// were asked for were disturbed.
Answer time(Memory &memory, Leaf leaf, const Question &question) {
  constexpr double kShortest = 5e-5;
  Answer answer{std::int32_t(Fate::Measured), 0, HUGE_VAL, 0};
  constexpr double kLongest = 2;
  long repeat = 1;
  const double start = now();
  FastestRun fastest;
  for (int run = 0; run < (fastest.hasUndisturbed() ? 1 : 2) * question.runs; ++run) {
    const double beginOnWall = now(), begin = ownSeconds();
    for (long r = 0; r < repeat; ++r)
      memory.run(leaf);
    const double seconds = (ownSeconds() - begin) / double(repeat);
    fastest.add(seconds, (now() - beginOnWall) / double(repeat));
    answer.seconds = fastest.seconds();
    ++answer.runs;
    if ((question.most > 0 && answer.seconds > question.most && run >= 1) || now() - start > kLongest)
      break;
    if (run == 0 && seconds < kShortest)
      repeat = std::min(10000L, long(kShortest / std::max(seconds, 1e-9)) + 1);
  }
  return answer;
}

} // namespace

Worker::~Worker() { stop(); }

void Worker::stop() {
  if (to_ >= 0)
    close(to_);
  if (from_ >= 0)
    close(from_);
  to_ = from_ = -1;
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
}

bool Worker::start() {
  int question[2], answer[2];
  if (pipe2(question, O_CLOEXEC) != 0)
    return false;
  if (pipe2(answer, O_CLOEXEC) != 0) {
    close(question[0]), close(question[1]);
    return false;
  }
  process_ = fork();
  if (process_ == 0) {
    close(question[1]), close(answer[0]);
    serve(question[0], answer[1]);
  }
  close(question[0]), close(answer[1]);
  to_ = question[1], from_ = answer[0];
  if (process_ < 0) {
    stop();
    return false;
  }
  return true;
}

void Worker::serve(int in, int out) {
  // A signal from the terminal is for the search, which ends its workers.
  signal(SIGINT, SIG_IGN);
  Memory memory(arrays_);
  Library library;
  for (Question question; readAll(in, &question, sizeof question);) {
    std::string path(question.pathBytes, ' ');
    if (!readAll(in, path.data(), path.size()))
      break;
    Answer answer{std::int32_t(Fate::Crashed), 0, 0, 0};
    if (const Leaf leaf = library.leaf(path, question.leaf)) {
      memory.fill();
      memory.run(leaf);
      if (question.runs == 0) {
        memory.keepResults();
        answer.fate = std::int32_t(Fate::Measured);
      } else if (const double difference = memory.difference(); difference > allowedDifference(arrays_)) {
        answer = {std::int32_t(Fate::Wrong), 1, 0, difference};
      } else {
        answer = time(memory, leaf, question);
        answer.difference = difference;
      }
    }
    if (!writeAll(out, &answer, sizeof answer))
      break;
  }
  _exit(0);
}

Measurement Worker::reference(const std::string &library) {
  referenceLibrary_ = library;
  stop();
  if (!start())
    return {Fate::Crashed, 0, 0, 0, "no process could be started"};
  return ask({library}, true, {});
}

Measurement Worker::measure(const LibraryLeaf &leaf, const MeasureLimits &limits) {
  if (process_ < 0) {
    const Measurement again = reference(referenceLibrary_);
    if (again.fate != Fate::Measured)
      return again;
  }
  return ask(leaf, false, limits);
}

Measurement Worker::ask(const LibraryLeaf &leaf, bool isReference, const MeasureLimits &limits) {
  const std::string &library = leaf.library;
  Question question{std::uint32_t(library.size()), leaf.number, isReference ? 0 : std::max(1, limits.runs),
                    limits.most};
  // A worker that has ended must not end this process.
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const bool isSent =
      writeAll(to_, &question, sizeof question) && writeAll(to_, library.data(), library.size());
  sigaction(SIGPIPE, &before, nullptr);
  pollfd waiting{from_, POLLIN, 0};
  const double end = now() + limits.secondsOfWaiting;
  int ready = 0;
  while (isSent) {
    ready = poll(&waiting, 1, int(std::max(0.0, end - now()) * 1000));
    if (ready >= 0 || errno != EINTR)
      break;
  }
  Answer answer;
  if (isSent && ready == 0) {
    stop();
    return {Fate::TimedOut, 0, 0, 0,
            fmt::format("it ran for more than {:g} seconds", limits.secondsOfWaiting)};
  }
  if (!isSent || !readAll(from_, &answer, sizeof answer)) {
    stop();
    return {Fate::Crashed, 0, 0, 0, "its process ended"};
  }
  Measurement made{Fate(answer.fate), answer.seconds, answer.runs, answer.difference, ""};
  if (made.fate == Fate::Wrong)
    made.why = fmt::format("its results differ by {:.2g} from those of the kernel", answer.difference);
  if (made.fate == Fate::Crashed)
    made.why = "its library could not be loaded";
  return made;
}

} // namespace pbc::search

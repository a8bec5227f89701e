// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop nests of loops.pbcc as one writes them by hand, timed the way a generated program does with
// --time.
//
//   by_hand NAME WIDTH HEIGHT THREADS    (MatrixProduct: HEIGHT is ignored)
//   => "time: SECONDS s", the median
//
// Two threads: each takes half of the rows; the second one stays awake between calls, which is as fast as
// sharing can be. `...Often` repeats its kernel 100 times, as in loops.pbcc.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

// Rows [low, high) of w cells; a row of the input is `stride` cells long.
struct Rows {
  long low, high, w, stride;
};

[[gnu::noinline]] void vectorAdd(const Rows &r, const double *__restrict a, const double *__restrict b,
                                 double *__restrict c) {
  for (long i = r.low; i < r.high; ++i)
    c[i] = a[i] + b[i];
}

[[gnu::noinline]] void convolution3x3(const Rows &r, const double *__restrict a, const double *,
                                      double *__restrict b) {
  const double weights[9] = {0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625};
  for (long y = r.low; y < r.high; ++y)
    for (long x = 0; x < r.w; ++x) {
      double sum = 0;
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          sum += weights[3 * j + i] * a[(y + j) * r.stride + x + i];
      b[y * r.w + x] = sum;
    }
}

[[gnu::noinline]] void sevenTap(const Rows &r, const double *__restrict a, const double *__restrict k,
                                double *__restrict b) {
  for (long y = r.low; y < r.high; ++y)
    for (long x = 0; x < r.w; ++x) {
      double sum = 0;
      for (int i = 0; i < 7; ++i)
        sum += k[i] * a[y * r.stride + x + i];
      b[y * r.w + x] = sum;
    }
}

[[gnu::noinline]] void anyTap(const Rows &r, const double *__restrict a, const double *__restrict k,
                              double *__restrict b) {
  const long taps = r.stride - r.w + 1;
  for (long y = r.low; y < r.high; ++y)
    for (long x = 0; x < r.w; ++x) {
      double sum = 0;
      for (long i = 0; i < taps; ++i)
        sum += k[i] * a[y * r.stride + x + i];
      b[y * r.w + x] = sum;
    }
}

[[gnu::noinline]] void fivePoint(const Rows &r, const double *__restrict a, const double *,
                                 double *__restrict b) {
  const long s = r.stride;
  for (long y = r.low; y < r.high; ++y)
    for (long x = 0; x < r.w; ++x) {
      const double *m = a + (y + 1) * s + x + 1;
      b[y * r.w + x] = m[0] + 0.1 * (m[-1] + m[1] + m[-s] + m[s] - 4 * m[0]);
    }
}

[[gnu::noinline]] void matrixProduct(const Rows &r, const double *__restrict a, const double *__restrict b,
                                     double *__restrict ab) {
  for (long y = r.low; y < r.high; ++y)
    for (long x = 0; x < r.w; ++x) {
      double sum = 0;
      for (long k = 0; k < r.w; ++k)
        sum += a[y * r.w + k] * b[k * r.w + x];
      ab[y * r.w + x] = sum;
    }
}

struct Nest {
  void (*run)(const Rows &, const double *, const double *, double *);
  long moreColumns, moreRows; // of the input than of the output
};

const std::map<std::string, Nest> nests{
    {"VectorAdd", {vectorAdd, 0, 0}}, {"Convolution3x3", {convolution3x3, 2, 2}},
    {"SevenTap", {sevenTap, 6, 0}},   {"AnyTap", {anyTap, 6, 0}},
    {"FivePoint", {fivePoint, 2, 2}}, {"MatrixProduct", {matrixProduct, 0, 0}},
};

// A second thread that does a part of the work. Both sides spin for a while and then yield: on a quiet
// machine nothing is faster, and on a busy one they do not prevent each other from running.
class Helper {
public:
  Helper() = default;
  Helper(const Helper &) = delete;
  ~Helper() { begin(nullptr); }

  void begin(const std::function<void()> *piece) {
    piece_ = piece;
    given_.store(++turn_, std::memory_order_release);
  }
  void wait() const { await(done_, turn_); }

private:
  static void await(const std::atomic<long> &counter, long value) {
    for (int spins = 0; counter.load(std::memory_order_acquire) < value; ++spins)
      if (spins < 1000)
        __builtin_ia32_pause();
      else
        std::this_thread::yield();
  }
  void work() {
    for (long turn = 1;; ++turn) {
      await(given_, turn);
      if (!piece_)
        return;
      (*piece_)();
      done_.store(turn, std::memory_order_release);
    }
  }

  long turn_ = 0;
  const std::function<void()> *piece_ = nullptr;
  alignas(64) std::atomic<long> given_ = 0;
  alignas(64) std::atomic<long> done_ = 0;
  std::jthread thread_{[this] { work(); }};
};

std::vector<double> random(long n) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> v(static_cast<std::size_t>(n));
  std::generate(v.begin(), v.end(), [&] { return uniform(engine); });
  return v;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  std::string name = argv[1];
  const bool often = name.ends_with("Often");
  if (often)
    name.resize(name.size() - std::strlen("Often"));
  const Nest nest = nests.at(name);
  const long w = std::atol(argv[2]), h = name == "MatrixProduct" ? w : std::atol(argv[3]);
  const long width = w + nest.moreColumns, cells = width * (h + nest.moreRows);
  const std::vector<double> a = random(cells), b = random(cells);
  std::vector<double> out(static_cast<std::size_t>(w * h));
  // A vector is one row, and may be cut anywhere.
  const long end = name == "VectorAdd" ? w * h : h;

  const auto piece = [&](long low, long high) {
    nest.run({low, high, w, width}, a.data(), b.data(), out.data());
  };
  const std::function<void()> second = [&] { piece(end / 2, end); };
  std::unique_ptr<Helper> helper = std::atoi(argv[4]) == 2 ? std::make_unique<Helper>() : nullptr;
  std::vector<double> times;
  for (double total = 0; times.size() < 3 || (total < 0.5 && times.size() < 1000); total += times.back()) {
    const double begin = seconds();
    for (int k = 0; k < (often ? 100 : 1); ++k) {
      if (helper)
        helper->begin(&second);
      piece(0, helper ? end / 2 : end);
      if (helper)
        helper->wait();
    }
    times.push_back(seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\n", times[times.size() / 2]);
}

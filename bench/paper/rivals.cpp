// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a user would call or write instead of the benchmarks of this folder, on random inputs:
//
//   rivals black_scholes|convolution N THREADS          loops of this file, cut into equal parts for threads
//   rivals sort N THREADS                               std::sort, or the library's: built with -DTBB or -DVQSORT
//   rivals strassen|svd|tridiagonal N LIBRARY PREFIX    dgemm, dgesdd, dgtsv of a library that is opened now; PREFIX stands in
//                                                       front of its names ("-": none)
//
// They print "time: SECONDS s", the median of at least three calls and half a second. What a call destroys is copied before it,
// which is not timed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>
#ifdef TBB
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#elif defined(VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace {

using Cells = std::vector<double>;

Cells randomCells(std::size_t n, double least, double most) {
  static std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> between(least, most);
  Cells cells(n);
  std::generate(cells.begin(), cells.end(), [&] { return between(bits); });
  return cells;
}

void time(const std::function<void()> &prepare, const std::function<void()> &call) {
  std::vector<double> times;
  for (double all = 0; times.size() < 3 || all < 0.5; all += times.back()) {
    prepare();
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  std::printf("time: %.9g s\n", times[times.size() / 2]);
}

/// work(begin, end) for equal parts of [0, n), each on a thread.
template <class Work>
void inParts(long n, int threads, const Work &work) {
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([&work, n, t, threads] { work(n * t / threads, n * (t + 1) / threads); });
  work(0, n / threads);
}

void blackScholes(long n, int threads) {
  const auto size = static_cast<std::size_t>(n);
  const Cells price = randomCells(size, 5, 30), strike = randomCells(size, 1, 100),
              years = randomCells(size, 0.25, 10);
  const double rate = 0.02, volatility = 0.3;
  Cells calls(size), puts(size);
  time([] {},
       [&] {
         inParts(n, threads, [&](long begin, long end) {
           const double *__restrict s = price.data(), *__restrict k = strike.data(),
                                    *__restrict y = years.data();
           double *__restrict c = calls.data(), *__restrict p = puts.data();
           for (long i = begin; i < end; ++i) {
             const double deviation = volatility * std::sqrt(y[i]);
             const double d1 = (std::log(s[i] / k[i]) + (rate + volatility * volatility / 2) * y[i]) /
                               deviation,
                          d2 = d1 - deviation;
             const double discounted = k[i] * std::exp(-rate * y[i]);
             c[i] = s[i] * std::erfc(-d1 * M_SQRT1_2) / 2 - discounted * std::erfc(-d2 * M_SQRT1_2) / 2;
             p[i] = discounted * std::erfc(d2 * M_SQRT1_2) / 2 - s[i] * std::erfc(d1 * M_SQRT1_2) / 2;
           }
         });
       });
}

/// Seven weights across, then the same down, of n x n cells: rows of the first pass are kept until no row needs them any more.
void convolution(long n, int threads) {
  constexpr long kWidth = 7;
  const long m = n - kWidth + 1;
  const Cells in = randomCells(static_cast<std::size_t>(n * n), 0, 1), weights = randomCells(kWidth, 0, 1);
  Cells out(static_cast<std::size_t>(m * m));
  time([] {},
       [&] {
         inParts(m, threads, [&](long begin, long end) {
           Cells rows(static_cast<std::size_t>(kWidth * m));
           double w[kWidth];
           std::copy(weights.begin(), weights.end(), w);
           const auto across = [&](long y) {
             double *__restrict row = &rows[static_cast<std::size_t>(y % kWidth * m)];
             const double *__restrict from = &in[static_cast<std::size_t>(y * n)];
             for (long x = 0; x < m; ++x) {
               double sum = 0;
               for (long i = 0; i < kWidth; ++i)
                 sum += from[x + i] * w[i];
               row[x] = sum;
             }
           };
           for (long y = begin; y < begin + kWidth - 1; ++y)
             across(y);
           for (long y = begin; y < end; ++y) {
             across(y + kWidth - 1);
             const double *row[kWidth];
             for (long j = 0; j < kWidth; ++j)
               row[j] = &rows[static_cast<std::size_t>((y + j) % kWidth * m)];
             double *__restrict to = &out[static_cast<std::size_t>(y * m)];
             for (long x = 0; x < m; ++x) {
               double sum = 0;
               for (long j = 0; j < kWidth; ++j)
                 sum += row[j][x] * w[j];
               to[x] = sum;
             }
           }
         });
       });
}

void sort(long n, [[maybe_unused]] int threads) {
  const Cells in = randomCells(static_cast<std::size_t>(n), 0, 1);
  Cells out(in.size());
#ifdef TBB
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  time([&] { out = in; }, [&] { tbb::parallel_sort(out.begin(), out.end()); });
#elif defined(VQSORT)
  const hwy::Sorter sorter;
  time([&] { out = in; }, [&] { sorter(out.data(), out.size(), hwy::SortAscending()); });
#else
  time([&] { out = in; }, [&] { std::sort(out.begin(), out.end()); });
#endif
}

/// A function of a library, by its name without the prefix.
class Library {
public:
  Library(const char *path, const std::string &prefix)
      : handle(dlopen(path, RTLD_NOW | RTLD_GLOBAL)), prefix(prefix == "-" ? "" : prefix) {
    check(handle);
  }
  template <class Function>
  Function *function(const std::string &name) const {
    void *found = dlsym(handle, (prefix + name).c_str());
    check(found);
    return reinterpret_cast<Function *>(found);
  }

private:
  static void check(const void *pointer) {
    if (pointer)
      return;
    std::fprintf(stderr, "rivals: %s\n", dlerror());
    std::exit(1);
  }
  void *handle;
  std::string prefix;
};

void strassen(int n, const Library &library) {
  using Gemm = void(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                    double *, int);
  Gemm *dgemm = library.function<Gemm>("cblas_dgemm");
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const Cells a = randomCells(size, -1, 1), b = randomCells(size, -1, 1);
  Cells c(size);
  constexpr int kRowMajor = 101, kNoTranspose = 111;
  time([] {},
       [&] {
         dgemm(kRowMajor, kNoTranspose, kNoTranspose, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
       });
}

void check(const char *name, int info) {
  if (info == 0)
    return;
  std::fprintf(stderr, "rivals: %s returned %d\n", name, info);
  std::exit(1);
}

void svd(int n, const Library &library) {
  using Svd = void(const char *, const int *, const int *, double *, const int *, double *, double *,
                   const int *, double *, const int *, double *, const int *, int *, int *, std::size_t);
  Svd *dgesdd = library.function<Svd>("dgesdd_");
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const Cells in = randomCells(size, -1, 1);
  Cells a = in, s(static_cast<std::size_t>(n)), u(size), v(size), work(1);
  std::vector<int> integers(8 * static_cast<std::size_t>(n));
  int info = 0, length = -1;
  const auto call = [&] {
    dgesdd("S", &n, &n, a.data(), &n, s.data(), u.data(), &n, v.data(), &n, work.data(), &length,
           integers.data(), &info, 1);
  };
  call(); // says how much space it wants
  length = static_cast<int>(work[0]);
  work.resize(static_cast<std::size_t>(length));
  time([&] { a = in; }, call);
  check("dgesdd", info);
}

void tridiagonal(int n, const Library &library) {
  using Solve = void(const int *, const int *, double *, double *, double *, double *, const int *, int *);
  Solve *dgtsv = library.function<Solve>("dgtsv_");
  const auto size = static_cast<std::size_t>(n);
  const Cells lower = randomCells(size, -1, 1), diagonal = randomCells(size, 3, 4),
              upper = randomCells(size, -1, 1), right = randomCells(size, -1, 1);
  Cells l, d, u, b;
  int info = 0;
  const int one = 1;
  time([&] { l = lower, d = diagonal, u = upper, b = right; },
       [&] { dgtsv(&n, &one, l.data(), d.data(), u.data(), b.data(), &n, &info); });
  check("dgtsv", info);
}

} // namespace

int main(int argc, char **argv) {
  const std::map<std::string, void (*)(long, int)> loops{
      {"black_scholes", blackScholes}, {"convolution", convolution}, {"sort", sort}};
  const std::map<std::string, void (*)(int, const Library &)> calls{
      {"strassen", strassen}, {"svd", svd}, {"tridiagonal", tridiagonal}};
  const std::string name = argc > 1 ? argv[1] : "";
  if (const auto found = loops.find(name); found != loops.end() && argc == 4)
    found->second(std::atol(argv[2]), std::atoi(argv[3]));
  else if (const auto call = calls.find(name); call != calls.end() && argc == 5)
    call->second(std::atoi(argv[2]), Library(argv[3], argv[4]));
  else {
    std::fprintf(stderr, "usage: rivals NAME N THREADS, or rivals NAME N LIBRARY PREFIX\n");
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The formulas of black_scholes.pbcc with GCC's vector extensions and glibc's libmvec, timed the way a
// generated program does with --time.
//
//   black_scholes Double|Float OPTIONS THREADS
//   => "time: SECONDS s", the median, and "sum: ...", of all prices
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

#ifdef __AVX512DQ__
constexpr int kBytes = 64;
#else
constexpr int kBytes = 32;
#endif
using Doubles = double __attribute__((vector_size(kBytes)));
using Floats = float __attribute__((vector_size(kBytes)));
using Longs = long __attribute__((vector_size(kBytes)));
using Ints = int __attribute__((vector_size(kBytes)));

extern "C" {
#ifdef __AVX512DQ__
__attribute__((const)) Doubles _ZGVeN8v_exp(Doubles);
__attribute__((const)) Doubles _ZGVeN8v_log(Doubles);
__attribute__((const)) Floats _ZGVeN16v_expf(Floats);
__attribute__((const)) Floats _ZGVeN16v_logf(Floats);
#else
__attribute__((const)) Doubles _ZGVdN4v_exp(Doubles);
__attribute__((const)) Doubles _ZGVdN4v_log(Doubles);
__attribute__((const)) Floats _ZGVdN8v_expf(Floats);
__attribute__((const)) Floats _ZGVdN8v_logf(Floats);
#endif
}

#ifdef __AVX512DQ__
Doubles exp(Doubles x) { return _ZGVeN8v_exp(x); }
Doubles log(Doubles x) { return _ZGVeN8v_log(x); }
Floats exp(Floats x) { return _ZGVeN16v_expf(x); }
Floats log(Floats x) { return _ZGVeN16v_logf(x); }
#else
Doubles exp(Doubles x) { return _ZGVdN4v_exp(x); }
Doubles log(Doubles x) { return _ZGVdN4v_log(x); }
Floats exp(Floats x) { return _ZGVdN8v_expf(x); }
Floats log(Floats x) { return _ZGVdN8v_logf(x); }
#endif

template <class Vector>
Vector sqrt(Vector x) {
  return __builtin_elementwise_sqrt(x);
}
template <class Vector>
Vector fabs(Vector x) {
  return __builtin_elementwise_abs(x);
}

template <class Number>
struct Options {
  std::vector<Number> price, strike, years, call, put;
};

template <class Number, class Vector>
Vector tail(Vector d) {
  const Vector k = 1 / (1 + Number(0.2316419) * fabs(d));
  const Vector upper =
      k * (Number(0.319381530) +
           k * (Number(-0.356563782) +
                k * (Number(1.781477937) + k * (Number(-1.821255978) + k * Number(1.330274429)))));
  return Number(0.39894228040143267794) * exp(Number(-0.5) * d * d) * upper;
}

template <class Number, class Vector>
void price(Options<Number> &o, long low, long high) {
  constexpr Number rate = Number(0.02), volatility = Number(0.30);
  constexpr long lanes = sizeof(Vector) / sizeof(Number);
  for (long i = low; i < high; i += lanes) {
    Vector s{}, x{}, t{};
    const long bytes = std::min(lanes, high - i) * static_cast<long>(sizeof(Number));
    if (high - i >= lanes) {
      std::memcpy(&s, &o.price[i], sizeof s);
      std::memcpy(&x, &o.strike[i], sizeof x);
      std::memcpy(&t, &o.years[i], sizeof t);
    } else {
      std::memcpy(&s, &o.price[i], bytes);
      std::memcpy(&x, &o.strike[i], bytes);
      std::memcpy(&t, &o.years[i], bytes);
    }
    const Vector root = volatility * sqrt(t);
    const Vector d1 = (log(s / x) + (rate + Number(0.5) * volatility * volatility) * t) / root;
    const Vector d2 = d1 - root;
    const Vector tail1 = tail<Number>(d1), tail2 = tail<Number>(d2);
    const Vector below1 = d1 > 0 ? 1 - tail1 : tail1;
    const Vector below2 = d2 > 0 ? 1 - tail2 : tail2;
    const Vector discounted = x * exp(-rate * t);
    const Vector call = s * below1 - discounted * below2;
    const Vector put = discounted * (1 - below2) - s * (1 - below1);
    if (high - i >= lanes) {
      std::memcpy(&o.call[i], &call, sizeof call);
      std::memcpy(&o.put[i], &put, sizeof put);
    } else {
      std::memcpy(&o.call[i], &call, bytes);
      std::memcpy(&o.put[i], &put, bytes);
    }
  }
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Number, class Vector>
void measure(long n, bool two) {
  std::mt19937_64 engine(1);
  Options<Number> o;
  for (auto *v : {&o.price, &o.strike, &o.years, &o.call, &o.put})
    v->resize(static_cast<std::size_t>(n));
  std::uniform_real_distribution<double> money(50, 150), years(0.25, 2);
  for (long i = 0; i < n; ++i) {
    o.price[i] = static_cast<Number>(money(engine));
    o.strike[i] = static_cast<Number>(money(engine));
    o.years[i] = static_cast<Number>(years(engine));
  }
  std::vector<double> times;
  for (double total = 0; times.size() < 3 || (total < 0.5 && times.size() < 1000); total += times.back()) {
    const double begin = seconds();
    if (two) {
      std::jthread other([&] { price<Number, Vector>(o, n / 2, n); });
      price<Number, Vector>(o, 0, n / 2);
    } else {
      price<Number, Vector>(o, 0, n);
    }
    times.push_back(seconds() - begin);
  }
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += static_cast<double>(o.call[i]) + static_cast<double>(o.put[i]);
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\nsum: %.6g\n", times[times.size() / 2], sum);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const long n = std::atol(argv[2]);
  const bool two = std::atoi(argv[3]) == 2;
  if (std::string(argv[1]) == "Float")
    measure<float, Floats>(n, two);
  else
    measure<double, Doubles>(n, two);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/sampling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>

namespace pbc::model {
namespace {

/// A quantile of sorted values, interpolated between two of them.
double quantile(const std::vector<double> &sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

} // namespace

Figure figureOf(std::vector<double> values, Better better) {
  if (values.empty())
    throw std::logic_error("a figure of no measurements");
  std::ranges::sort(values);
  const double median = quantile(values, 0.5);
  return {median, (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median,
          better == Better::Lower ? values.front() : values.back()};
}

Figure sampled(const Sampling &sampling, Better better, const std::function<double()> &measureOnce) {
  std::vector<double> values;
  double spent = 0;
  while (static_cast<int>(values.size()) < sampling.most &&
         (static_cast<int>(values.size()) < sampling.least || spent < sampling.seconds))
    spent += secondsOf([&] {
      // A clock that did not advance gives no information, and no rate can be computed over no time.
      if (const double value = measureOnce(); value > 0 && std::isfinite(value))
        values.push_back(value);
    });
  return figureOf(values, better);
}

void keepFaster(std::optional<Figure> &known, const Figure &f, Better better) {
  if (!known || isFaster(fastest(f, better), fastest(*known, better), better))
    known = f;
}

double secondsOf(const std::function<void()> &f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double ownSecondsOf(const std::function<void()> &f) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  f();
  return now() - begin;
}

} // namespace pbc::model

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/values.h"
#include "runtime/base/closest.h"
#include "runtime/base/errors.h"
#include "runtime/base/random.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace pb::program {
namespace {

using base::Random;

/// Changes the elements from first to last.
template <class T>
using Filling = std::function<void(T *, T *, Random &)>;

template <class T>
Filling<T> each(T (*change)(T, Random &)) {
  return [change](T *first, T *last, Random &random) {
    for (; first != last; ++first)
      *first = change(*first, random);
  };
}

/// Integers are between 0 and 100, floating-point numbers between 0 and 1.
template <class T>
constexpr T kLargest = std::is_floating_point_v<T> ? T(1) : T(100);

template <class T>
const std::map<std::string, Filling<T>> &fillings() {
  static const std::map<std::string, Filling<T>> all = {
      {"sorted", [](T *first, T *last, Random &) { std::sort(first, last); }},
      {"reversed", [](T *first, T *last, Random &) { std::sort(first, last, std::greater<T>()); }},
      {"constant", [](T *first, T *last, Random &) { std::fill(first, last, first == last ? T() : *first); }},
      {"few", each<T>([](T, Random &random) { return static_cast<T>(random.below(2)); })},
      {"zeros", each<T>([](T, Random &random) {
         if constexpr (std::is_floating_point_v<T>)
           return random.below(2) ? -T(0) : T(0);
         else
           return T(0);
       })},
      {"tiny", each<T>([](T value, Random &) {
         if constexpr (std::is_floating_point_v<T>)
           return value * std::numeric_limits<T>::min();
         else
           return static_cast<T>(value % 2);
       })},
      {"mixed", each<T>([](T value, Random &) {
         return std::is_signed_v<T> ? static_cast<T>(2 * value - kLargest<T>) : value;
       })},
      {"negative", each<T>([](T value, Random &) {
         return std::is_signed_v<T> ? static_cast<T>(value - kLargest<T>) : value;
       })}};
  return all;
}

template <class F>
void eachInput(const Instance &instance, F &&change) {
  for (int m = 0; m < inputCount(*instance.transform); ++m)
    if (const Matrix &input = instance.matrices[static_cast<size_t>(m)]; input.rank() > 0)
      change(input);
}

} // namespace

const std::vector<std::string> &kindsOfValues() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const auto &[name, unused] : fillings<double>())
      names.push_back(name);
    return names;
  }();
  return all;
}

void setValues(const Instance &instance, const std::string &kind, unsigned long seed) {
  const auto &known = kindsOfValues();
  if (std::find(known.begin(), known.end(), kind) == known.end())
    throw base::UserError("unknown \"values\" '" + kind + "'" + base::didYouMean(kind, known) +
                          "; known: " + base::listed(known));
  Random random(seed);
  eachInput(instance, [&](const Matrix &input) {
    matrix::withType(input.element(), [&](auto zero) {
      using T = decltype(zero);
      fillings<T>().at(kind)(input.elements<T>(), input.elements<T>() + input.count(), random);
    });
  });
}

void nudge(const Instance &instance, unsigned long seed) {
  constexpr long kUnits = 16; // at most, in the last place
  Random random(seed);
  eachInput(instance, [&](const Matrix &input) {
    matrix::withType(input.element(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>)
        for (T *e = input.elements<T>(), *end = e + input.count(); e != end; ++e)
          *e *= 1 + static_cast<T>(random.below(2 * kUnits + 1) - kUnits) * std::numeric_limits<T>::epsilon();
    });
  });
}

bool areFinite(const std::vector<Matrix> &outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const Matrix &m) {
    bool finite = true;
    matrix::withType(m.element(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>)
        finite =
            std::all_of(m.elements<T>(), m.elements<T>() + m.count(), [](T v) { return std::isfinite(v); });
    });
    return finite;
  });
}

} // namespace pb::program

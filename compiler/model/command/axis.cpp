// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/command/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr int kTicks = 6; // about as many

} // namespace

Axis::Axis(double least, double most, bool logarithmic) : logarithmic_(logarithmic) {
  if (logarithmic)
    decades(least, most);
  else
    linear(least, most);
}

double Axis::share(double value) const {
  const double first = ticks_.front(), last = ticks_.back();
  if (logarithmic_)
    return std::log(value / first) / std::log(last / first);
  return (value - first) / (last - first);
}

void Axis::linear(double least, double most) {
  if (least > 0 && least < most / 5)
    least = 0; // a curve that comes near to zero is shown with zero
  const double size = std::max(std::abs(least), std::abs(most));
  if (most - least <= size * 1e-4) { // a single value, at the resolution of ticks, gets some room around it
    const double room = size > 0 ? size / 10 : 1;
    least -= room;
    most += room;
  }
  const double rough = (most - least) / kTicks, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
  const double from = std::floor(least / step + 1e-9), to = std::ceil(most / step - 1e-9);
  for (double i = from; i <= to; ++i)
    ticks_.push_back(i == 0 ? 0 : i * step);
}

void Axis::decades(double least, double most) {
  // Within two decades, 2 and 5 get ticks of their own; over many decades only each second, third, ... gets
  // one.
  const int from = static_cast<int>(std::floor(std::log10(least) + 1e-9));
  const int to = std::max(from + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)));
  if (to - from <= 2) {
    for (int e = from; e < to; ++e)
      for (const double m : {1.0, 2.0, 5.0})
        ticks_.push_back(m * std::pow(10, e));
    ticks_.push_back(std::pow(10, to));
    // Removes empty ends.
    while (ticks_.size() > 2 && ticks_[1] <= least * (1 + 1e-9))
      ticks_.erase(ticks_.begin());
    while (ticks_.size() > 2 && ticks_[ticks_.size() - 2] >= most * (1 - 1e-9))
      ticks_.pop_back();
    return;
  }
  const int stride = (to - from + kTicks - 1) / kTicks;
  for (int e = from; e < to + stride; e += stride)
    ticks_.push_back(std::pow(10, e));
}

std::string tickText(double value) {
  static constexpr std::array kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const double size = std::abs(value);
  if (value == 0 || (size >= 0.999e-3 && size < 0.9999e6))
    return fmt::format("{:.7g}", value);
  const std::string text = fmt::format("{:.6e}", value); // "1.500000e-06"
  const size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.back() == '.')
    mantissa.pop_back();
  std::string power;
  for (const char c : std::to_string(std::stoi(text.substr(e + 1))))
    power += c == '-' ? "⁻" : kDigits[static_cast<size_t>(c - '0')];
  return mantissa == "1" ? "10" + power : mantissa + "×10" + power;
}

} // namespace pbc::model

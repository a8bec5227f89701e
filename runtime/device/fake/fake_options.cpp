// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/fake/fake_options.h"

#include "runtime/base/closest.h"
#include "runtime/base/errors.h"

#include <charconv>
#include <optional>

namespace pb::device {
namespace {

[[noreturn]] void wrong(const std::string &word, const std::string &why) {
  throw base::UserError("PB_FAKE_DEVICE: " + word + ": " + why);
}

std::vector<std::string> split(const std::string &text, const char *separators) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

struct Unit {
  const char *name;
  double factor;
};
constexpr Unit kBytes[] = {{"", 1}, {"K", 1024}, {"M", 1 << 20}, {"G", 1 << 30}};
constexpr Unit kSeconds[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit kPlain[] = {{"", 1}};

/// A number followed by one of the units.
template <std::size_t N>
double numberIn(const std::string &word, const std::string &value, const Unit (&units)[N]) {
  double number = 0;
  const char *end = value.data() + value.size();
  const auto [rest, problem] = std::from_chars(value.data(), end, number);
  std::string known;
  if (problem == std::errc() && number >= 0)
    for (const Unit &unit : units) {
      if (std::string(rest, end) == unit.name)
        return number * unit.factor;
      if (*unit.name)
        known += std::string(known.empty() ? "" : ", ") + unit.name;
    }
  wrong(word, "expected a number" + (known.empty() ? "" : " with a unit (" + known + ")") + ", found '" +
                  value + "'");
}

FakeFault faultFrom(const std::string &text) {
  static const std::map<std::string, FakeFault::Kind> kinds = {
      {"build", FakeFault::Build}, {"memory", FakeFault::Memory}, {"launch", FakeFault::Launch},
      {"chain", FakeFault::Chain}, {"wrong", FakeFault::Wrong},   {"lock", FakeFault::Lock},
      {"copy", FakeFault::Copy},   {"across", FakeFault::Across}, {"lost", FakeFault::Lost},
      {"hang", FakeFault::Hang},   {"stuck", FakeFault::Stuck}};
  const std::size_t colon = text.find(':');
  const auto kind = kinds.find(text.substr(0, colon));
  if (kind == kinds.end() || colon == std::string::npos)
    wrong("fail=" + text, "faults are build:NAME, memory:K, launch:K, wrong:K, chain:K, lock:K, copy:K, "
                          "across:K, lost:K, hang:K and stuck:K");
  FakeFault fault{kind->second};
  std::string value = text.substr(colon + 1);
  if (fault.kind == FakeFault::Build) {
    fault.entry = value;
    return fault;
  }
  if (value.ends_with('+')) {
    fault.andLater = true;
    value.pop_back();
  }
  const char *end = value.data() + value.size();
  const auto [rest, problem] = std::from_chars(value.data(), end, fault.number);
  if (problem != std::errc() || rest != end || fault.number < 1)
    wrong("fail=" + text,
          "expected which one, from 1 (" + kind->first + ":3, or " + kind->first + ":3+ for all from it on)");
  return fault;
}

} // namespace

FakeOptions parseFakeOptions(const std::string &text) {
  FakeOptions options;
  using Set = std::function<void(const std::string &, const std::string &)>;
  const auto bytes = [](unsigned long &to) -> Set {
    return [&to](auto &word, auto &value) { to = static_cast<unsigned long>(numberIn(word, value, kBytes)); };
  };
  const auto plain = [](auto &to, double least) -> Set {
    return [&to, least](auto &word, auto &value) {
      const double number = numberIn(word, value, kPlain);
      if (number < least)
        wrong(word, "must be at least " + std::to_string(static_cast<long>(least)));
      to = static_cast<std::remove_reference_t<decltype(to)>>(number);
    };
  };
  const std::map<std::string, Set> words = {
      {"memory", bytes(options.memory)},
      {"largest", bytes(options.largest)},
      {"local", bytes(options.local)},
      {"group", plain(options.group, 1)},
      {"units", plain(options.units, 1)},
      {"devices", plain(options.devices, 1)},
      {"double", plain(options.hasDouble, 0)},
      {"shares", plain(options.shares, 0)},
      {"peers", plain(options.peers, 0)},
      {"groups_wait", plain(options.groupsWait, 0)},
      {"latency", [&](auto &word, auto &value) { options.latency = numberIn(word, value, kSeconds); }},
      {"bandwidth", [&](auto &word, auto &value) { options.bandwidth = numberIn(word, value, kBytes); }},
      {"speed",
       [&](auto &word, auto &value) {
         options.speed = numberIn(word, value, kPlain);
         if (options.speed <= 0 || options.speed > 1)
           wrong(word, "must be above 0 and at most 1: kernels run on this processor");
       }},
      {"libraries", [&](auto &, auto &value) { options.libraries = value; }},
      {"fail",
       [&](auto &, auto &value) {
         for (const std::string &fault : split(value, ","))
           options.faults.push_back(faultFrom(fault));
       }},
  };
  for (const std::string &word : split(text, " ;")) {
    const std::size_t equals = word.find('=');
    const auto known = words.find(word.substr(0, equals));
    if (equals == std::string::npos && word == "1") // PB_FAKE_DEVICE=1: as it is
      continue;
    if (known == words.end() || equals == std::string::npos) {
      std::string names;
      for (const auto &entry : words)
        names += (names.empty() ? "" : ", ") + entry.first;
      wrong(word, "expected NAME=VALUE, NAME one of " + names);
    }
    known->second(word, word.substr(equals + 1));
  }
  return options;
}

} // namespace pb::device

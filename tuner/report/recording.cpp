// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/recording.h"

#include "tuner/space/toml.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <sstream>
#include <utility>

namespace pbc::tuner {
namespace {

constexpr double kPause = 120; // seconds without a row: the longest measurement takes 60

/// Converts "2026-11-21T12:34:56.789Z" to seconds since 1970; 0 for another text.
double instant(const std::string &text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%lf", &year, &month, &day, &hour, &minute, &second) != 6)
    return 0;
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  return static_cast<double>(date.time_since_epoch().count()) * 86400 + hour * 3600 + minute * 60 + second;
}

struct SizeKey {
  std::string name, conditions;
  long n = 0;
};

/// Reads "h=768 w=1024 seed=1 Solve<0>": the sizes stand first.
SizeKey readSize(const ProgramSpace &space, const std::string &text) {
  SizeKey key;
  std::istringstream words(text);
  bool isSize = true;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    isSize = isSize && equals != std::string::npos &&
             std::find(space.sizes.begin(), space.sizes.end(), name) != space.sizes.end();
    std::string &part = isSize ? key.name : key.conditions;
    part += (part.empty() ? "" : " ") + word;
    if (isSize && !space.isParam(name))
      key.n = std::max(key.n, std::strtol(word.c_str() + equals + 1, nullptr, 10));
  }
  return key;
}

bool isOfBin(const std::string &conditions, const std::string &bin) {
  return bin.empty() || conditions == bin || conditions.ends_with(" " + bin);
}

class Reader {
public:
  Reader(const ProgramSpace &space, const Objective &objective, Recording &recording)
      : space_(space), objective_(objective), recording_(recording) {}

  void read(const JournalEntry &entry, const SizeKey &key) {
    if (entry.outcome == kLeftOut) {
      ++recording_.leftOut;
      return;
    }
    const int configuration = configurationOf(entry);
    const auto failure = failureNamed(entry.outcome);
    if (configuration < 0 || (entry.outcome == "ok" ? entry.seconds.empty() : !failure)) {
      ++recording_.unreadable;
      return;
    }
    Trial trial{.at = tick(entry), .size = sizeOf(key), .configuration = configuration};
    if (objective_.isTime())
      trial.limit = entry.limit;
    if (failure)
      trial.rejected = Rejected{*failure, entry.reason};
    else
      for (const Metrics &run : Measurement{entry.seconds, {}, entry.joules, entry.bytes}.metrics())
        if (const auto value = objective_.value(run))
          trial.seconds.push_back(*value);
    if (!failure && trial.seconds.empty())
      return;
    recording_.trials.push_back(std::move(trial));
  }

  /// Sorts the sizes by n, and finds the largest one of the last session.
  void finish() {
    std::vector<RecordedSize> &sizes = recording_.sizes;
    std::vector<int> order(sizes.size()), place(sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int>(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sizes[a].n < sizes[b].n; });
    std::vector<RecordedSize> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.push_back(sizes[order[i]]);
      place[order[i]] = static_cast<int>(i);
    }
    sizes = std::move(sorted);
    for (std::size_t i = 0; i < recording_.trials.size(); ++i) {
      Trial &trial = recording_.trials[i];
      trial.size = place[trial.size];
      if (!trial.rejected && i >= sessionBegin_)
        recording_.largest = std::max(recording_.largest, trial.size);
    }
    if (recording_.largest < 0) // the last session measured nothing that worked
      for (const Trial &trial : recording_.trials)
        if (!trial.rejected)
          recording_.largest = std::max(recording_.largest, trial.size);
  }

private:
  double tick(const JournalEntry &entry) {
    const std::string &time = entry.time;
    const double now = instant(time);
    const bool isOther = entry.session != std::exchange(session_, entry.session);
    if (recording_.sessions == 0 || isOther || now - before_ > kPause || now < before_) {
      ++recording_.sessions;
      sessionBegin_ = recording_.trials.size();
    } else {
      recording_.elapsed += now - before_;
    }
    if (recording_.first.empty())
      recording_.first = time;
    recording_.last = time;
    before_ = now;
    return recording_.elapsed;
  }

  int sizeOf(const SizeKey &key) {
    const auto [place, isNew] = sizes_.try_emplace(key.name, static_cast<int>(recording_.sizes.size()));
    if (isNew)
      recording_.sizes.push_back({key.name, key.n});
    return place->second;
  }

  int configurationOf(const JournalEntry &entry) {
    const auto [place, isNew] = configurations_.try_emplace(entry.configurationKey, -1);
    if (!isNew)
      return place->second;
    try {
      Configuration configuration = fromToml(space_, entry.toml, "journal");
      place->second = static_cast<int>(recording_.configurations.size());
      recording_.configurations.push_back(std::move(configuration));
    } catch (const TunerError &) {
      // Rows of a program with the same hash but other decisions are counted and left out.
    }
    return place->second;
  }

  const ProgramSpace &space_;
  const Objective &objective_;
  Recording &recording_;
  std::map<std::string, int> sizes_, configurations_;
  double before_ = 0;
  std::string session_;
  std::size_t sessionBegin_ = 0;
};

} // namespace

Recording recordingOf(const ProgramSpace &space, const std::vector<JournalEntry> &entries,
                      const std::string &bin, const Objective &objective) {
  Recording recording;
  std::vector<SizeKey> keys;
  keys.reserve(entries.size());
  for (const JournalEntry &entry : entries) {
    keys.push_back(readSize(space, entry.size));
    if (isOfBin(keys.back().conditions, bin)) {
      recording.conditions = keys.back().conditions;
      recording.machine = entry.machine;
    }
  }
  Reader reader(space, objective, recording);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (isOfBin(keys[i].conditions, bin) && keys[i].conditions == recording.conditions &&
        entries[i].machine == recording.machine)
      reader.read(entries[i], keys[i]);
  reader.finish();
  return recording;
}

} // namespace pbc::tuner

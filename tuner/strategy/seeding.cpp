// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/seeding.h"

#include "tuner/space/toml.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <map>
#include <set>

namespace pbc::tuner {
namespace {

struct Known {
  std::vector<double> seconds;
  std::string toml;
  bool isRejected = false;
};

struct BestOfPlace {
  bool isHere = false; // the same machine
  bool isSameSize = false;
  std::size_t age = 0; // entries since its last one
  std::string toml;
};

} // namespace

std::vector<Configuration> storedSeeds(const ProgramSpace &space, const std::vector<JournalEntry> &entries,
                                       const Place &here, std::size_t most) {
  // Programs with another text may be slower for other reasons, so each is a place of its own.
  std::map<std::tuple<std::string, std::string, std::string>, std::map<std::string, Known>> places;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JournalEntry &entry = entries[i];
    if (entry.machine == here.machine && entry.size == here.size && entry.programHash == space.journalKey())
      continue;
    const auto place = std::tuple{entry.machine, entry.size, entry.programHash};
    Known &known = places[place][entry.configurationKey];
    known.toml = entry.toml;
    known.seconds.insert(known.seconds.end(), entry.seconds.begin(), entry.seconds.end());
    if (entry.outcome == kLeftOut)
      continue; // nothing was measured
    known.isRejected |= entry.outcome != "ok" || entry.seconds.empty();
    last[place] = i;
  }
  std::vector<BestOfPlace> found;
  for (const auto &[place, configurations] : places) {
    const Known *best = nullptr;
    for (const auto &[key, known] : configurations)
      if (!known.isRejected && (!best || median(known.seconds) < median(best->seconds)))
        best = &known;
    if (best)
      found.push_back({std::get<0>(place) == here.machine, std::get<1>(place) == here.size,
                       entries.size() - last[place], best->toml});
  }
  std::stable_sort(found.begin(), found.end(), [](const BestOfPlace &a, const BestOfPlace &b) {
    return std::tuple{!a.isHere, !a.isSameSize, a.age} < std::tuple{!b.isHere, !b.isSameSize, b.age};
  });
  std::vector<Configuration> seeds;
  const Configuration defaults = Configuration::defaults(space);
  for (const BestOfPlace &place : found) {
    if (seeds.size() >= most)
      break;
    try {
      const Configuration seed = fromToml(space, place.toml, "journal");
      if (seed != defaults && std::find(seeds.begin(), seeds.end(), seed) == seeds.end())
        seeds.push_back(seed);
    } catch (const TunerError &) { // an entry of a version with other choices
    }
  }
  return seeds;
}

} // namespace pbc::tuner

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/words.h"

#include <fmt/format.h>
#include <fstream>
#include <thread>

namespace pbc::tuner {

std::string inWords(const Site &site, const Selector &selector) {
  if (selector.levels().size() == 1)
    return fmt::format("{}: {} always", site.title(), site.alternatives[selector.levels()[0].use].name);
  std::string result = site.title() + ":";
  const char *separator = " ";
  for (const Level &level : selector.levels()) {
    const std::string &name = site.alternatives[level.use].name;
    result += separator;
    result += level.below == kNoLimit ? "otherwise " + name : fmt::format("{} below {}", name, level.below);
    separator = ", ";
  }
  return result;
}

std::vector<std::string> inWords(const ProgramSpace &space, const Configuration &configuration) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].isOpen())
      lines.push_back(inWords(space.sites[i], configuration.selectors()[i]));
  for (std::size_t i = 0; i < space.tunables.size(); ++i) {
    const Tunable &tunable = space.tunables[i];
    const bool isRepeated = i > 0 && tunable.isSameAs(space.tunables[i - 1]) && // one line for sizes alike
                            configuration.tunables()[i] == configuration.tunables()[i - 1];
    if (tunable.isFixed || configuration.tunables()[i] == tunable.ownValue() || isRepeated)
      continue;
    bool isForAll = true; // sizes
    for (std::size_t k = 0; k < space.tunables.size(); ++k)
      isForAll &=
          !tunable.isSameAs(space.tunables[k]) || configuration.tunables()[k] == configuration.tunables()[i];
    lines.push_back(fmt::format("{}: {} (default {})", isForAll ? tunable.titleOfAll() : tunable.title(),
                                configuration.tunables()[i], tunable.ownValue()));
  }
  return lines;
}

std::string reasonInWords(const Fault &fault) {
  return fault.reason + (fault.worksElsewhere ? "; with other choices it is not" : "");
}

std::string inWords(const Fault &fault) {
  return fmt::format("{} at n >= {} {}{}", fault.suspect, fault.n, reasonInWords(fault),
                     fault.times > 1 ? fmt::format(" ({} times)", fault.times) : "");
}

std::string shortened(const std::string &text, std::size_t letters) {
  std::size_t count = 0, cut = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) == 0x80)
      continue;
    if (++count == letters)
      cut = i;
    if (count > letters)
      return text.substr(0, cut) + "…";
  }
  return text;
}

std::string machineName() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "unknown processor";
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) != 0 || colon == std::string::npos)
      continue;
    name = line.substr(colon + 2);
    break;
  }
  return fmt::format("{}, {} CPUs", name, std::thread::hardware_concurrency());
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

} // namespace pbc::tuner

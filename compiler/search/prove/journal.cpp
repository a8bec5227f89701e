// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/journal.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace pbc::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::array<const char *, 5> kFates = {"measured", "not compiled", "wrong", "crashed", "timed out"};

Json lineOf(const JournalKey &key) {
  return {
      {"pbc_search", kVersion}, {"kernel", key.kernel}, {"sizes", key.sizes}, {"processor", key.processor}};
}

} // namespace

const char *nameOf(Fate fate) { return kFates[std::size_t(fate)]; }

Journal::Journal(const std::string &path, const JournalKey &key) {
  std::ifstream in(path);
  std::string line;
  bool isFirst = true;
  while (std::getline(in, line)) {
    const Json read = Json::parse(line, nullptr, false);
    if (isFirst) {
      isFirst = false;
      if (read != lineOf(key))
        throw std::runtime_error(
            fmt::format("{} is the journal of another search: it has {} where this one has {}", path,
                        line.substr(0, 300), lineOf(key).dump()));
      continue;
    }
    if (!read.is_object() || !read.contains("script") || !read.contains("fate"))
      continue; // the line of a search that was killed
    for (std::size_t fate = 0; fate < kFates.size(); ++fate)
      if (read["fate"] == kFates[fate])
        known_[read["script"].get<std::string>()] = {Fate(fate), read.value("seconds", 0.0),
                                                     read.value("runs", 0), read.value("difference", 0.0),
                                                     read.value("why", "")};
  }
  in.close();
  file_ = std::fopen(path.c_str(), "a");
  if (file_ == nullptr)
    throw std::runtime_error(fmt::format("the journal {} cannot be written: {}", path, std::strerror(errno)));
  if (isFirst) {
    fmt::print(file_, "{}\n", lineOf(key).dump());
    std::fflush(file_);
  }
}

Journal::~Journal() {
  if (file_ != nullptr)
    std::fclose(file_);
}

const Measurement *Journal::find(const std::string &script) const {
  const auto at = known_.find(script);
  return at == known_.end() ? nullptr : &at->second;
}

void Journal::add(const std::string &script, const Measurement &measured) {
  known_[script] = measured;
  if (file_ == nullptr)
    return;
  Json line = {{"script", script}, {"fate", nameOf(measured.fate)}};
  if (measured.fate == Fate::Measured) {
    line["seconds"] = measured.seconds;
    line["runs"] = measured.runs;
  }
  if (measured.difference > 0)
    line["difference"] = measured.difference;
  if (!measured.why.empty())
    line["why"] = measured.why;
  fmt::print(file_, "{}\n", line.dump());
  std::fflush(file_);
}

} // namespace pbc::search

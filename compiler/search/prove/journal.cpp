// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/journal.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <xxhash.h>

namespace pbc::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;
constexpr std::array<const char *, 5> kFates = {"measured", "not compiled", "wrong", "crashed", "timed out"};

/// What a line says, if it is about the key.
std::optional<std::pair<std::string, Measurement>> read(const Json &line, const std::string &key) {
  if (!line.is_object() || line.value("of", "") != key || !line.contains("script") ||
      !line["script"].is_string())
    return std::nullopt;
  const std::string named = line.value("fate", "");
  for (std::size_t fate = 0; fate < kFates.size(); ++fate)
    if (named == kFates[fate]) {
      const Measurement made{Fate(fate), line.value("seconds", 0.0), line.value("runs", 0),
                             line.value("difference", 0.0), line.value("why", "")};
      if (made.fate == Fate::Measured && !(made.seconds > 0))
        return std::nullopt;
      return std::pair(line["script"].get<std::string>(), made);
    }
  return std::nullopt;
}

} // namespace

std::string journalKey(const std::string &name, const std::string &sizes, const std::string &processor,
                       const std::string &kernel) {
  return fmt::format("{} at {} on {} ({:016x})", name, sizes, processor,
                     XXH3_64bits(kernel.data(), kernel.size()));
}

Journal::Journal(const std::string &path, std::string key) : key_(std::move(key)) {
  std::ifstream in(path);
  std::string text;
  bool isFirst = true, isCut = false;
  while (std::getline(in, text)) {
    isCut = in.eof();
    const Json line = Json::parse(text, nullptr, false);
    if (isFirst && !(line.is_object() && line.contains("pbc_search") && line["pbc_search"] == kVersion))
      throw std::runtime_error(fmt::format("{} is no journal of this version", path));
    isFirst = false;
    try {
      if (auto known = read(line, key_)) {
        known_[known->first] = known->second;
        if (const auto program = line.value("program", std::uint64_t(0)); program != 0)
          programs_[program] = known->second;
      }
    } catch (const Json::exception &) { // a line of another form: left out
    }
  }
  in.close();
  file_ = std::fopen(path.c_str(), "a");
  if (file_ == nullptr)
    throw std::runtime_error(fmt::format("the journal {} cannot be written: {}", path, std::strerror(errno)));
  if (isFirst)
    fmt::print(file_, "{}\n", Json{{"pbc_search", kVersion}}.dump());
  else if (isCut) // the line of a search that was killed ends here
    fmt::print(file_, "\n");
  std::fflush(file_);
}

Journal::~Journal() {
  if (file_ != nullptr)
    std::fclose(file_);
}

const Measurement *Journal::find(const std::string &script) const {
  const auto at = known_.find(script);
  return at == known_.end() ? nullptr : &at->second;
}

const Measurement *Journal::findProgram(std::uint64_t program) const {
  const auto at = programs_.find(program);
  return at == programs_.end() ? nullptr : &at->second;
}

void Journal::add(const std::string &script, const Measurement &measured, std::uint64_t program) {
  known_[script] = measured;
  if (program != 0)
    programs_[program] = measured;
  if (file_ == nullptr)
    return;
  Json line = {{"of", key_}, {"script", script}, {"fate", kFates[std::size_t(measured.fate)]}};
  if (measured.fate == Fate::Measured) {
    line["seconds"] = measured.seconds;
    line["runs"] = measured.runs;
  }
  if (measured.difference > 0)
    line["difference"] = measured.difference;
  if (!measured.why.empty())
    line["why"] = measured.why;
  if (program != 0)
    line["program"] = program;
  fmt::print(file_, "{}\n", line.dump());
  std::fflush(file_);
}

} // namespace pbc::search

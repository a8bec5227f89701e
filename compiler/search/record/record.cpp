// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/record/record.h"
#include "compiler/kernel/parse.h"
#include "compiler/model/machine/machine_file.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <zlib.h>

namespace pbc::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
/// In the place of a time, by Fate.
constexpr std::array<const char *, 5> kFateWords = {"", "refused", "wrong", "crashed", "late"};

struct CloseFile {
  void operator()(gzFile file) const { gzclose(file); }
};
using File = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseFile>;

std::string contents(const std::string &path) {
  const File file(gzopen(path.c_str(), "rb"));
  if (!file)
    throw std::runtime_error(fmt::format("{} cannot be read", path));
  std::string text;
  std::array<char, 1 << 16> part;
  for (;;) {
    const int bytes = gzread(file.get(), part.data(), unsigned(part.size()));
    if (bytes < 0)
      throw std::runtime_error(fmt::format("{} is damaged", path));
    if (bytes == 0)
      return text;
    text.append(part.data(), std::size_t(bytes));
  }
}

Json headOf(const Record &record) {
  return {{"pbc_record", kVersion},
          {"name", record.name},
          {"kernel", record.kernel},
          {"sizes", record.options.values},
          {"tiles", record.options.tileSizes},
          {"levels", record.options.mostLevels},
          {"copies", record.options.copiesInputs},
          {"unrolled", record.options.unrolled},
          {"streams_beyond", record.options.streamsBeyond.value_or(-1)},
          {"machine", model::machineText(record.machine)},
          {"processor", record.processor.processor},
          {"vector_bytes", record.processor.vectorBytes},
          {"vector_registers", record.processor.vectorRegisters},
          {"date", record.date},
          {"default_script", record.defaultScript},
          {"default_seconds", record.defaultSeconds}};
}

Record recordOf(const Json &head, const std::string &path) {
  Record record;
  record.name = head.at("name");
  record.kernel = head.at("kernel");
  head.at("sizes").get_to(record.options.values);
  head.at("tiles").get_to(record.options.tileSizes);
  record.options.mostLevels = head.at("levels");
  record.options.copiesInputs = head.at("copies");
  record.options.unrolled = head.at("unrolled");
  if (const long beyond = head.value("streams_beyond", -1L); beyond >= 0)
    record.options.streamsBeyond = beyond;
  record.machine = model::readMachine(head.at("machine"), path);
  record.processor.processor = head.at("processor");
  record.processor.vectorBytes = head.at("vector_bytes");
  record.processor.vectorRegisters = head.at("vector_registers");
  record.date = head.at("date");
  record.defaultScript = head.at("default_script");
  record.defaultSeconds = head.at("default_seconds");
  return record;
}

Measurement measurementOf(const std::string &word) {
  for (std::size_t fate = 1; fate < kFateWords.size(); ++fate)
    if (word == kFateWords[fate])
      return {Fate(fate), 0, 0, 0, fmt::format("it was not measured when the record was made: {}", word)};
  char *end = nullptr;
  const double seconds = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size() || !(seconds > 0))
    throw std::runtime_error(fmt::format("`{}` is no time", word));
  return {Fate::Measured, seconds, 1, 0, ""};
}

} // namespace

void writeRecord(const Record &record, const std::string &path) {
  std::string text = headOf(record).dump() + "\n", before;
  for (const auto &[script, made] : record.times) {
    const auto same = std::size_t(
        std::mismatch(script.begin(), script.end(), before.begin(), before.end()).first - script.begin());
    const std::string time = made.fate == Fate::Measured ? fmt::format("{:.5g}", made.seconds)
                                                         : kFateWords[std::size_t(made.fate)];
    text += fmt::format("{} {} {}\n", time, same, std::string_view(script).substr(same));
    before = script;
  }
  const File file(gzopen(path.c_str(), "wb9"));
  if (!file || gzwrite(file.get(), text.data(), unsigned(text.size())) != int(text.size()))
    throw std::runtime_error(fmt::format("{} cannot be written", path));
}

Record readRecord(const std::string &path) {
  const std::string text = contents(path);
  std::size_t at = std::min(text.find('\n'), text.size());
  const Json head = Json::parse(std::string_view(text).substr(0, at), nullptr, false);
  if (!head.is_object() || head.value("pbc_record", Json()) != kVersion)
    throw std::runtime_error(fmt::format("{} is no record of this version", path));
  try {
    Record record = recordOf(head, path);
    std::string script;
    while (++at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::size_t first = text.find(' ', at), second = text.find(' ', first + 1);
      const std::size_t same = first < end && second < end
                                   ? std::size_t(std::strtoul(text.c_str() + first + 1, nullptr, 10))
                                   : std::string::npos;
      if (same > script.size())
        throw std::runtime_error(
            fmt::format("`{}` is no line of a script", std::string_view(text).substr(at, end - at)));
      script = script.substr(0, same) + text.substr(second + 1, end - second - 1);
      record.times[script] = measurementOf(text.substr(at, first - at));
      at = end;
    }
    return record;
  } catch (const std::exception &problem) {
    throw std::runtime_error(fmt::format("{} is damaged: {}", path, problem.what()));
  }
}

kernel::Scheduled kernelOf(const Record &record, const poly::Context &context) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  std::vector<kernel::Scheduled> kernels =
      kernel::parse(sources.add(record.name + ".kernel", record.kernel), context, diagnostics);
  if (kernels.size() != 1)
    throw std::runtime_error(diagnostics.render(false));
  return std::move(kernels.front());
}

std::pair<std::string, double> fastest(const Record &record) {
  std::pair<std::string, double> best{"", 0};
  for (const auto &[script, made] : record.times)
    if (made.fate == Fate::Measured && (best.second == 0 || made.seconds < best.second))
      best = {script, made.seconds};
  return best;
}

Measurement RecordedTimes::of(const script::Script &script, double) {
  const auto known = record_.times.find(script::line(script));
  return known == record_.times.end() ? Measurement{Fate::NotCompiled, 0, 0, 0, "the record does not have it"}
                                      : known->second;
}

} // namespace pbc::search

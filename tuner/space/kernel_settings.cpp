// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/kernel_settings.h"

#include "tuner/space/program_space.h"
#include "tuner/space/toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <toml++/toml.h>

namespace pbc::tuner {
namespace {

std::string trimmed(const std::string &line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

/// "[kernels]", "[kernels.Heat]", "[ kernels . Heat ]"
bool isKernelHeader(const std::string &header) {
  const std::string name = trimmed(header.substr(1));
  return name.starts_with("kernels") && name.find_first_of(" \t.]", 7) == 7;
}

/// The text without its lines about kernels; comments of other tables stay.
std::string withoutKernels(const std::string &text) {
  std::string rest, line;
  std::istringstream in(text);
  for (bool isInside = false, hasTable = false; std::getline(in, line);) {
    const std::string words = trimmed(line);
    if (words.starts_with("[")) {
      isInside = isKernelHeader(words);
      hasTable = true;
    }
    if (!isInside && !(words.starts_with("kernels.") && !hasTable))
      rest += line + "\n";
  }
  return rest;
}

toml::table otherThanKernels(const std::string &text) {
  toml::table table = toml::parse(text);
  table.erase("kernels");
  return table;
}

} // namespace

std::vector<KernelOption> parseKernelOptions(const std::string &text) {
  std::vector<KernelOption> all;
  try {
    const auto root = nlohmann::json::parse(text);
    for (const auto &t : root.at("transforms"))
      for (const auto &kernel : t.value("kernels", nlohmann::json::array())) {
        if (!kernel.contains("script"))
          continue; // it can have no other schedule
        const auto &script = kernel.at("script");
        const auto &slow = script.at("without_vectors");
        for (const auto &edits : script.at("edits"))
          all.push_back({t.at("name"), kernel.at("name"), edits.at("of"), script.at("in_use"),
                         edits.at("others").get<std::vector<std::string>>(),
                         slow.is_null() ? "" : slow.get<std::string>(),
                         kernel.value("sizes", std::vector<std::string>()), kernel.value("pieces", 1)});
      }
  } catch (const nlohmann::json::exception &problem) {
    throw TunerError(fmt::format("the compiler's list of kernels cannot be read: {}", problem.what()));
  }
  return all;
}

KernelSettings with(KernelSettings settings, const KernelOption &option, const std::string &script) {
  std::erase_if(settings, [&](const auto &setting) {
    const auto &[transform, kernel, name] = setting.first;
    return transform == option.transform && kernel == option.kernel;
  });
  settings[{option.transform, option.kernel, "script"}] = script;
  return settings;
}

std::vector<std::string> inWords(const KernelSettings &settings) {
  std::vector<std::string> lines;
  for (const auto &[names, value] : settings) {
    const auto &[transform, kernel, option] = names;
    const bool isNumber = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    lines.push_back(fmt::format("{}.{}.{} = {}", tomlKey(transform), tomlKey(kernel), tomlKey(option),
                                isNumber ? value : tomlText(value)));
  }
  return lines;
}

std::string toToml(const KernelSettings &settings, const std::vector<std::string> &comments) {
  if (settings.empty())
    return "";
  std::string text = "[kernels]\n";
  for (const std::string &comment : comments)
    text += "# " + comment + "\n";
  for (const std::string &line : inWords(settings))
    text += line + "\n";
  return text;
}

KernelSettings kernelSettings(const std::string &text) {
  KernelSettings settings;
  try {
    const toml::table table = toml::parse(text);
    if (const toml::table *kernels = table["kernels"].as_table())
      for (const auto &[transform, ofTransform] : *kernels)
        if (const toml::table *all = ofTransform.as_table())
          for (const auto &[kernel, ofKernel] : *all)
            if (const toml::table *options = ofKernel.as_table())
              for (const auto &[option, value] : *options) {
                const auto number = value.value_exact<int64_t>();
                settings[{std::string(transform.str()), std::string(kernel.str()),
                          std::string(option.str())}] =
                    number ? std::to_string(*number) : value.value_or(std::string());
              }
  } catch (const toml::parse_error &) {
    return {};
  }
  return settings;
}

std::string withKernels(const std::string &text, const std::string &section) {
  std::string rest = withoutKernels(text);
  const toml::table wanted = otherThanKernels(text);
  bool isWhole = false;
  try {
    isWhole = otherThanKernels(rest) == wanted;
  } catch (const toml::parse_error &) {
    isWhole = false; // a line of an array looked like a table
  }
  if (!isWhole) {
    std::ostringstream printed;
    printed << wanted << "\n";
    rest = printed.str();
  }
  while (rest.ends_with("\n\n"))
    rest.pop_back();
  return rest + (rest.empty() || section.empty() ? "" : "\n") + section;
}

std::string withThreads(const std::string &text, int threads) {
  if (threads <= 0)
    return text;
  std::string before, after, line;
  std::istringstream in(text);
  while (std::getline(in, line)) {
    const std::string words = trimmed(line);
    if (!after.empty() || words.starts_with("["))
      after += line + "\n";
    else if (!words.starts_with("threads") || trimmed(words.substr(7)).substr(0, 1) != "=")
      before += line + "\n";
  }
  while (before.ends_with("\n\n"))
    before.pop_back();
  return before + fmt::format("threads = {}\n", threads) + (after.empty() ? "" : "\n") + after;
}

} // namespace pbc::tuner

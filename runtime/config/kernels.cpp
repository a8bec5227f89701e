// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/config/kernels.h"
#include "runtime/config/toml_text.h"
#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

namespace pb::config {
namespace {

std::set<std::string> settingsOf(const std::string &text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.insert(line);
  return lines;
}

std::string valueText(const toml::node &node) {
  if (const auto *number = node.as_integer())
    return std::to_string(number->get());
  const auto *text = node.as_string();
  if (!text)
    return "?";
  const bool isNumber =
      !text->get().empty() && text->get().find_first_not_of("0123456789") == std::string::npos;
  return isNumber ? text->get() : quoted(text->get()); // as the compiler has it
}

} // namespace

std::string kernelLines(const toml::table &kernels) {
  std::set<std::string> lines;
  for (const auto &[transform, ofTransform] : kernels)
    if (const toml::table *table = ofTransform.as_table())
      for (const auto &[kernel, ofKernel] : *table)
        if (const toml::table *options = ofKernel.as_table())
          for (const auto &[option, value] : *options)
            lines.insert(key(std::string(transform.str())) + "." + key(std::string(kernel.str())) + "." +
                         key(std::string(option.str())) + " = " + valueText(value));
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

std::string firstDifference(const std::string &a, const std::string &b) {
  const std::set<std::string> left = settingsOf(a), right = settingsOf(b);
  std::set<std::string> different;
  std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(),
                                std::inserter(different, different.end()));
  return different.empty() ? "" : *different.begin();
}

} // namespace pb::config

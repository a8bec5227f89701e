// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits what the original's tuner read in addition to a program: its choices and tunables as XML (language
// reference 3.4).
#include "compiler/emit/parts.h"

namespace pbc::emit {

namespace {

std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string tunable(const std::string &name, const char *type, double initial, double minimum,
                    double maximum) {
  return fmt::format("    <tunable name=\"{}\" type=\"{}\" initial=\"{}\" min=\"{}\" max=\"{}\"/>\n",
                     escaped(name), type, initial, minimum, maximum);
}

} // namespace

std::string infoXml(const Input &in) {
  std::string out = "<traininginfo>\n";
  for (const auto &t : in.module.transforms) {
    out += fmt::format("  <transform name=\"{}\" templateName=\"{}\" isTemplateInstance=\"{}\">\n",
                       escaped(t.name), escaped(t.family), t.constants.empty() ? 0 : 1);
    if (const auto count = in.choices[t.index].alternatives.size(); count > 1)
      out += fmt::format("    <algchoice name=\"{}_0\" rules=\"{}\"/>\n", escaped(t.name), count);
    for (const auto &k : t.tunables)
      out += tunable(t.name + "_" + k.name, k.isFloat ? "user.tunable.double" : "user.tunable", k.initial,
                     k.minimum, k.maximum);
    for (const auto &facts : in.facts[t.index])
      for (const auto &callee : facts.callees)
        out += fmt::format("    <calls caller=\"{}\" callee=\"{}\"/>\n", escaped(t.name), escaped(callee));
    out += "  </transform>\n";
  }
  return out + "  <global/>\n</traininginfo>\n";
}

} // namespace pbc::emit

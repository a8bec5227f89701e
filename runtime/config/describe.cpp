// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes slots as TOML. No library is used, because a configuration is read by people: it has one table for
// each transform, choices on one line, in the program's own order.
#include "runtime/config/configuration.h"
#include "runtime/config/slots.h"
#include "runtime/config/toml_text.h"
#include <cctype>
#include <charconv>
#include <cstdio>

namespace pb::config {
namespace {

/// The shortest text that reads back as the same number; it always has a mark that makes it a TOML float.
std::string tomlFloat(double v) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, v).ptr;
  std::string s(text, end);
  return s.find_first_of(".ein") == s.npos ? s + ".0" : s;
}

std::string choice(const Site &site) {
  std::string text = "[ ";
  for (int i = 0; i < site.slot->levels; ++i) {
    if (i)
      text += ", ";
    text += "{ ";
    if (i + 1 < site.slot->levels)
      text += "below = " + std::to_string(site.slot->below[i]) + ", ";
    text += "use = " + quoted(site.alternatives[site.slot->use[i]].name) + " }";
  }
  return text + " ]";
}

/// The elements for one size: a number, or a list of them.
std::string elements(const Tunable &t, int size) {
  std::string text;
  for (int e = 0; e < t.elements(); ++e) {
    const double v = value(t, size * t.elements() + e);
    text +=
        (e ? ", " : "") + (t.kind == TunableKind::Integer ? std::to_string(std::lround(v)) : tomlFloat(v));
  }
  return t.length ? "[" + text + "]" : text;
}

/// Sizes with the same value form one level, as in a choice.
std::string tunable(const Tunable &t) {
  std::string levels;
  for (int size = 0; t.bySize && size + 1 < kSizeBins; ++size)
    if (elements(t, size) != elements(t, size + 1))
      levels += "{ below = " + std::to_string(2L << size) + ", value = " + elements(t, size) + " }, ";
  const std::string last = elements(t, t.bySize ? kSizeBins - 1 : 0);
  return levels.empty() ? last : "[ " + levels + "{ value = " + last + " } ]";
}

} // namespace

std::string quoted(const std::string &text) {
  std::string out = "\"";
  char escape[8];
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += static_cast<char>(c);
    else if (c < 32 || c == 127)
      std::snprintf(escape, sizeof escape, "\\u%04x", c), out += escape;
    else
      out += static_cast<char>(c);
  }
  return out + "\"";
}

std::string key(const std::string &name) {
  for (unsigned char c : name)
    if (!std::isalnum(c) && c != '_' && c != '-')
      return quoted(name);
  return name.empty() ? "\"\"" : name;
}

std::string describe(const Program &program) {
  std::string out = "program = " + quoted(program.name) + "\nhash = " + quoted(program.hash) + "\n";
  for (int i = 0; i < program.transformCount; ++i) {
    const Transform &t = *program.transforms[i];
    if (!t.siteCount && !t.tunableCount)
      continue;
    out += "\n[" + key(t.name) + "]\n";
    for (int s = 0; s < t.siteCount; ++s)
      out += key(choiceKey(t, t.sites[s])) + " = " + choice(t.sites[s]) + "\n";
    for (int k = 0; k < t.tunableCount; ++k) {
      const Tunable &u = t.tunables[k];
      out += key(u.name) + " = " + tunable(u) + "\n";
    }
  }
  return program.kernels ? out + "\n[kernels]\n" + program.kernels : out;
}

} // namespace pb::config

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/manual.h"
#include "pbc/version.h"
#include <algorithm>
#include <fmt/ranges.h>

namespace pbc::driver {
namespace {

using pb::base::CommandDescription;
using pb::base::OptionDescription;

/// A text as troff takes it: no character of it is an escape, and no line of it a request.
std::string roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\''))
      out += "\\&";
    begins = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string headOf(const OptionDescription &o) {
  std::string names;
  for (const std::string &n : o.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(n) + "\\fR";
  return o.value.empty() || o.isPositional ? names : names + " \\fI" + roff(o.value) + "\\fR";
}

std::string optionListOf(const CommandDescription &d) {
  std::string out;
  for (const OptionDescription &o : d.options)
    out += ".TP\n" + headOf(o) + "\n" + roff(o.text) + "\n";
  return out;
}

std::string usageOf(const CommandDescription &d) {
  std::string out = "[\\fIOPTION\\fR]...";
  if (!d.subcommands.empty())
    out = "\\fICOMMAND\\fR " + out;
  for (const OptionDescription &o : d.options)
    if (o.isPositional)
      out += " \\fI" + roff(o.names.back()) + "\\fR";
  return out;
}

} // namespace

std::string manualPage(const CommandDescription &d, std::string_view summary,
                       const std::vector<std::pair<std::string, std::string>> &commands) {
  std::string title = dashed(d.name);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(title),
                                PBC_NAME_AND_VERSION, roff(dashed(d.name)), roff(summary));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n{}\n", roff(d.name), usageOf(d));
  for (const auto &[name, what] : commands)
    out += fmt::format(".br\n.B pbc {}\n\\fR...\n", roff(name));
  if (!d.text.empty())
    out += ".SH DESCRIPTION\n" + roff(d.text) + "\n";
  if (!d.options.empty())
    out += ".SH OPTIONS\n" + optionListOf(d);
  for (const CommandDescription &s : d.subcommands)
    out += fmt::format(".SH COMMAND {}\n{}\n{}", roff(s.name), roff(s.text), optionListOf(s));
  if (!commands.empty()) {
    out += ".SH COMMANDS\n";
    for (const auto &[name, what] : commands)
      out +=
          fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fBpbc\\-{}\\fR(1)\n", roff(name), roff(what), roff(name));
  }
  if (!d.footer.empty())
    out += ".SH NOTES\n.nf\n" + roff(d.footer) + "\n.fi\n";
  if (commands.empty())
    out += ".SH SEE ALSO\n\\fBpbc\\fR(1)\n";
  return out;
}

} // namespace pbc::driver

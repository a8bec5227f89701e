// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/completion.h"
#include <fmt/format.h>

namespace pbc::driver {
namespace {

using pb::base::CommandDescription;
using pb::base::OptionDescription;

/// The beginning of a description, which fits beside an option: up to its first clause, of 70 characters at most.
std::string firstClause(const std::string &text) {
  constexpr std::size_t kMost = 70;
  std::string out = text.substr(0, text.find_first_of(";:(\n"));
  if (out.size() > kMost)
    out = out.substr(0, out.rfind(' ', kMost)) + " ...";
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

/// Each character of `special` behind a backslash.
std::string backslashed(const std::string &text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out;
}

/// In single quotes of sh.
std::string inQuotes(const std::string &text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The options of a command, without those that stand for words without dashes.
std::vector<const OptionDescription *> dashedOptions(const CommandDescription &d) {
  std::vector<const OptionDescription *> all;
  for (const OptionDescription &o : d.options)
    if (o.names.front().front() == '-')
      all.push_back(&o);
  return all;
}

std::string namesOf(const CommandDescription &d) {
  std::string out;
  for (const OptionDescription *o : dashedOptions(d))
    for (const std::string &n : o->names)
      out += (out.empty() ? "" : " ") + n;
  return out;
}

std::string bash(const DescribedCommands &all) {
  std::string names, cases;
  for (const DescribedCommand &c : all.commands) {
    names += (names.empty() ? "" : " ") + c.name;
    std::string options = namesOf(c.description), subcommands;
    for (const CommandDescription &s : c.description.subcommands) {
      subcommands += (subcommands.empty() ? "" : " ") + s.name;
      options += " " + namesOf(s);
    }
    cases += fmt::format("    {}) options={}", c.name, inQuotes(options));
    if (!subcommands.empty())
      cases += fmt::format("; ((COMP_CWORD == 2)) && words={}", inQuotes(subcommands));
    cases += " ;;\n";
  }
  return fmt::format(R"(# bash completion for pbc
_pbc() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} options words=
  case ${{COMP_WORDS[1]}} in
{}    *) options={} ;;
  esac
  ((COMP_CWORD == 1)) && words={}
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
  fi
}}
complete -o filenames -F _pbc pbc
)",
                     cases, inQuotes(namesOf(all.compiling)), inQuotes(names));
}

/// An argument of _arguments: '--output=[the file]:TEXT:_files', '-j+[units at once]:INT:_files', '--json[as data]'.
std::string zshOptions(const CommandDescription &d) {
  std::string out;
  for (const OptionDescription *o : dashedOptions(d))
    for (const std::string &n : o->names) {
      const bool isLong = n.starts_with("--");
      out += " \\\n        " +
             inQuotes((o->value.empty() ? n : n + (isLong ? "=" : "+")) + "[" +
                      backslashed(firstClause(o->text), "[]:\\") + "]" +
                      (o->value.empty() ? "" : ":" + backslashed(o->value, ":\\") + ":_files"));
    }
  return out;
}

std::string zsh(const DescribedCommands &all) {
  std::string names, cases;
  for (const DescribedCommand &c : all.commands) {
    names += "    " + inQuotes(c.name + ":" + backslashed(c.summary, ":\\")) + "\n";
    std::string subcommands;
    CommandDescription d = c.description;
    for (const CommandDescription &s : d.subcommands) {
      subcommands += " " + s.name;
      d.options.insert(d.options.end(), s.options.begin(), s.options.end());
    }
    cases += fmt::format("    {})\n", c.name);
    if (!subcommands.empty())
      cases += fmt::format("      ((CURRENT == 3)) && compadd{}\n", subcommands);
    cases += "      _arguments" + zshOptions(d) + " \\\n        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(R"(#compdef pbc
compdef _pbc pbc
_pbc() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe command commands
    _files
    return
  fi
  case $words[2] in
{}    *)
      _arguments{} \
        '*:program:_files'
      ;;
  esac
}}
# As a file of the search path it is the body of the function.
[[ $funcstack[1] == _pbc ]] && _pbc "$@"
)",
                     names, cases, zshOptions(all.compiling));
}

std::string fishOptions(const CommandDescription &d, const std::string &condition) {
  std::string out;
  for (const OptionDescription *o : dashedOptions(d)) {
    out += "complete -c pbc -n " + inQuotes(condition);
    for (const std::string &n : o->names)
      out += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
    out += (o->value.empty() ? " -d " : " -r -d ") + inQuotes(backslashed(firstClause(o->text), "\\")) + "\n";
  }
  return out;
}

std::string fish(const DescribedCommands &all) {
  std::string names, out = "# fish completion for pbc\n";
  for (const DescribedCommand &c : all.commands)
    names += (names.empty() ? "" : " ") + c.name;
  for (const DescribedCommand &c : all.commands)
    out += fmt::format("complete -c pbc -n __fish_use_subcommand -a {} -d {}\n", c.name, inQuotes(c.summary));
  out += fishOptions(all.compiling, "not __fish_seen_subcommand_from " + names);
  for (const DescribedCommand &c : all.commands) {
    const std::string isSeen = "__fish_seen_subcommand_from " + c.name;
    out += fishOptions(c.description, isSeen);
    for (const CommandDescription &s : c.description.subcommands) {
      out += fmt::format("complete -c pbc -n {} -a {} -d {}\n", inQuotes(isSeen), s.name,
                         inQuotes(backslashed(firstClause(s.text), "\\")));
      out += fishOptions(s, isSeen + "; and __fish_seen_subcommand_from " + s.name);
    }
  }
  return out;
}

struct Shell {
  const char *name;
  std::string (*script)(const DescribedCommands &);
};
constexpr Shell kShells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

} // namespace

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Shell &s : kShells)
    names.emplace_back(s.name);
  return names;
}

std::optional<std::string> completionScript(std::string_view shell, const DescribedCommands &all) {
  for (const Shell &s : kShells)
    if (shell == s.name)
      return s.script(all);
  return std::nullopt;
}

} // namespace pbc::driver

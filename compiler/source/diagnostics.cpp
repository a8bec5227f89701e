// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/diagnostics.h"
#include "compiler/source/excerpt.h"
#include "runtime/base/visible.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pbc::source {

Diagnostic &Diagnostic::note(Span where, std::string text) {
  notes.push_back({where, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::help(const std::string &text) {
  if (!helpText.empty())
    helpText += '\n';
  helpText += text;
  return *this;
}

Diagnostic &Diagnostics::error(Span span, std::string message) {
  ++errors_;
  all_.push_back(std::make_unique<Diagnostic>(Diagnostic{Severity::Error, span, std::move(message), {}, {}}));
  return *all_.back();
}

Diagnostic &Diagnostics::warning(Span span, std::string message) {
  all_.push_back(
      std::make_unique<Diagnostic>(Diagnostic{Severity::Warning, span, std::move(message), {}, {}}));
  return *all_.back();
}

namespace {

using pb::base::visible;

constexpr std::size_t kMostOfFile = 50; // more are not useful, and each costs a scan of its line

struct Palette {
  const char *strong = "", *error = "", *warning = "", *note = "", *help = "", *end = "";
};

constexpr Palette plain{};
constexpr Palette coloured{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

void place(std::string &out, const SourceManager &sources, Span span, const Palette &palette) {
  if (span == commandLine)
    out += std::string(palette.strong) + "pbc: " + palette.end;
  if (span.file >= sources.fileCount())
    return;
  Position at = sources.position(span.file, span.begin);
  out += palette.strong + visible(sources.path(span.file)) + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column) + ": " + palette.end;
}

void renderOne(std::string &out, const SourceManager &sources, const Diagnostic &d, const Palette &palette) {
  bool isError = d.severity == Severity::Error;
  place(out, sources, d.span, palette);
  out += isError ? palette.error : palette.warning;
  out += isError ? "error: " : "warning: ";
  out += palette.end;
  out += palette.strong + visible(d.message) + palette.end + "\n";
  out += excerpt(sources, d.span, isError ? palette.error : palette.warning, palette.end);
  for (const Diagnostic::Note &note : d.notes) {
    place(out, sources, note.span, palette);
    out += std::string(palette.note) + "note: " + palette.end + visible(note.message) + "\n";
    out += excerpt(sources, note.span, palette.note, palette.end);
  }
  std::string_view help = d.helpText;
  while (!help.empty()) { // one line each
    std::size_t cut = help.find('\n');
    out += std::string(palette.help) + "help: " + palette.end + visible(help.substr(0, cut)) + "\n";
    help = cut == std::string_view::npos ? std::string_view() : help.substr(cut + 1);
  }
}

} // namespace

std::string Diagnostics::render(bool color) const {
  const auto begin = [](const Diagnostic *d) { return std::tie(d->span.file, d->span.begin); };
  std::vector<const Diagnostic *> sorted;
  for (const auto &d : all_)
    sorted.push_back(d.get());
  // Errors come first: if not all messages of a file are shown, warnings are left out before errors.
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Diagnostic *a, const Diagnostic *b) {
    return std::tie(a->span.file, a->severity, a->span.begin) <
           std::tie(b->span.file, b->severity, b->span.begin);
  });
  std::map<FileId, std::size_t> counts, more;
  std::set<std::string> seen;
  std::vector<std::pair<const Diagnostic *, std::string>> shown;
  for (const Diagnostic *d : sorted) {
    if (counts[d->span.file] == kMostOfFile) {
      ++more[d->span.file];
      continue;
    }
    std::string one;
    renderOne(one, *sources_, *d, color ? coloured : plain);
    if (!seen.insert(one).second)
      continue;
    ++counts[d->span.file];
    shown.emplace_back(d, std::move(one));
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const auto &a, const auto &b) { return begin(a.first) < begin(b.first); });
  std::string out;
  for (const auto &[d, text] : shown)
    out += text;
  for (const auto &[file, count] : more)
    out += (file < sources_->fileCount() ? visible(sources_->path(file)) + ": " : "") + "... and " +
           std::to_string(count) + " more\n";
  return out;
}

} // namespace pbc::source

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/source.h"
#include "compiler/source/load.h"
#include "runtime/base/read_file.h"
#include <algorithm>

namespace pbc::source {

namespace {
bool continuesCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
} // namespace

FileId SourceManager::add(std::string path, std::string text) {
  auto file = std::make_unique<File>();
  file->path = std::move(path);
  file->text = std::move(text);
  file->lineStarts.push_back(0);
  for (std::uint32_t i = 0; i < file->text.size(); ++i)
    if (file->text[i] == '\n')
      file->lineStarts.push_back(i + 1);
  files_.push_back(std::move(file));
  return static_cast<FileId>(files_.size() - 1);
}

std::optional<FileId> load(SourceManager &sources, const std::string &path, std::string *why) {
  pb::base::FileText file = pb::base::readFile(path, SourceManager::kLargestFile);
  if (!file.text) {
    *why = file.why;
    return std::nullopt;
  }
  if (file.text->starts_with("\xEF\xBB\xBF")) // a byte order mark says nothing in UTF-8
    file.text->erase(0, 3);
  return sources.add(path, std::move(*file.text));
}

std::optional<FileId> SourceManager::load(const std::string &path) {
  std::string why;
  return source::load(*this, path, &why);
}

const std::string &SourceManager::path(FileId id) const { return files_.at(id)->path; }

std::string_view SourceManager::text(FileId id) const { return files_.at(id)->text; }

std::string_view SourceManager::text(Span span) const {
  std::string_view all = text(span.file);
  auto begin = std::min<std::size_t>(span.begin, all.size());
  auto end = std::clamp<std::size_t>(span.end, begin, all.size());
  return all.substr(begin, end - begin);
}

Position SourceManager::position(FileId id, std::uint32_t offset) const {
  const File &file = *files_.at(id);
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(file.text.size()));
  auto next = std::upper_bound(file.lineStarts.begin(), file.lineStarts.end(), offset);
  Position at;
  at.line = static_cast<unsigned>(next - file.lineStarts.begin());
  for (std::uint32_t i = *(next - 1); i < offset; ++i)
    at.column += !continuesCodePoint(file.text[i]);
  return at;
}

Line SourceManager::lineOf(Span span) const {
  return span.file < files_.size() ? Line{path(span.file), position(span.file, span.begin).line} : Line{};
}

std::string_view SourceManager::line(FileId id, unsigned line) const {
  const File &file = *files_.at(id);
  if (line == 0 || line > file.lineStarts.size())
    return {};
  std::uint32_t begin = file.lineStarts[line - 1];
  std::size_t end = line < file.lineStarts.size() ? file.lineStarts[line] - 1 : file.text.size();
  if (end > begin && file.text[end - 1] == '\r')
    --end;
  return std::string_view(file.text).substr(begin, end - begin);
}

} // namespace pbc::source

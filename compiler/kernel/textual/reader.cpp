// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/reader.h"
#include <algorithm>
#include <cctype>
#include <charconv>

namespace pbc::kernel::textual {
namespace {

bool isPartOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool isSpace(char c) { return c == ' ' || c == '\r'; }

} // namespace

Reader::Reader(source::FileId file, source::Diagnostics &diagnostics)
    : file_(file), diagnostics_(diagnostics), text_(diagnostics.sources().text(file)) {
  findLine(0);
}

void Reader::findLine(std::uint32_t from) {
  nextIndentation_ = -1;
  while (from < text_.size()) {
    const auto lineEnd = static_cast<std::uint32_t>(std::min(text_.find('\n', from), text_.size()));
    const auto comment = static_cast<std::uint32_t>(std::min<std::size_t>(text_.find("//", from), lineEnd));
    std::uint32_t begin = from, end = comment;
    while (begin < end && isSpace(text_[begin]))
      ++begin;
    while (end > begin && (isSpace(text_[end - 1]) || text_[end - 1] == '\t'))
      --end;
    if (begin < end) {
      if (text_[begin] == '\t')
        fail({file_, begin, begin + 1}, "a line begins with spaces here, not with a tab",
             "the columns at which lines begin say what belongs to what");
      nextBegin_ = begin, nextEnd_ = end, nextLineAfter_ = lineEnd + 1;
      nextIndentation_ = static_cast<int>(begin - from);
      return;
    }
    from = lineEnd + 1;
  }
}

bool Reader::nextLine() {
  if (nextIndentation_ < 0)
    return false;
  position_ = nextBegin_, end_ = nextEnd_, indentation_ = nextIndentation_;
  findLine(nextLineAfter_);
  return true;
}

int Reader::nextIndentation() { return nextIndentation_; }

bool Reader::nextBeginsWith(std::string_view word) {
  return nextIndentation_ >= 0 && text_.substr(nextBegin_, nextEnd_ - nextBegin_).starts_with(word) &&
         (nextBegin_ + word.size() == nextEnd_ || !isPartOfWord(text_[nextBegin_ + word.size()]) ||
          !isPartOfWord(word.back()));
}

void Reader::skipSpaces() {
  while (position_ < end_ && (isSpace(text_[position_]) || text_[position_] == '\t'))
    ++position_;
}

bool Reader::atEnd() { return skipSpaces(), position_ == end_; }

bool Reader::startsWith(std::string_view wanted) {
  skipSpaces();
  if (!text_.substr(position_, end_ - position_).starts_with(wanted))
    return false;
  const std::uint32_t after = position_ + static_cast<std::uint32_t>(wanted.size());
  return !isPartOfWord(wanted.back()) || after == end_ || !isPartOfWord(text_[after]);
}

bool Reader::accept(std::string_view wanted) {
  if (!startsWith(wanted))
    return false;
  position_ += static_cast<std::uint32_t>(wanted.size());
  return true;
}

void Reader::expect(std::string_view wanted, const std::string &what) {
  if (!accept(wanted))
    failExpected(what.empty() ? "`" + std::string(wanted) + "`" : what);
}

void Reader::expectEnd() {
  if (!atEnd())
    failExpected("the end of the line");
}

std::string Reader::word(const std::string &what) {
  skipSpaces();
  const std::uint32_t begin = position_;
  while (position_ < end_ && isPartOfWord(text_[position_]))
    ++position_;
  if (begin == position_ || std::isdigit(static_cast<unsigned char>(text_[begin]))) {
    position_ = begin;
    failExpected(what);
  }
  return std::string(text_.substr(begin, position_ - begin));
}

long Reader::integer(const std::string &what, long least, long most) {
  skipSpaces();
  long value = 0;
  const char *first = text_.data() + position_, *last = text_.data() + end_;
  const auto [after, error] = std::from_chars(first, last, value);
  if (error == std::errc::invalid_argument)
    failExpected(what);
  const std::uint32_t begin = position_;
  position_ = static_cast<std::uint32_t>(after - text_.data());
  if (error != std::errc() || value < least || value > most)
    fail(since(begin), what + " is a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

std::uint32_t Reader::skipBrackets(std::string_view stops, bool once) {
  constexpr std::size_t kDeepest = 100; // isl reads brackets recursively
  skipSpaces();
  const std::uint32_t begin = position_;
  std::string open;
  for (; position_ < end_; ++position_) {
    const char c = text_[position_];
    if (open.empty() && (stops.find(c) != std::string_view::npos || (once && position_ > begin)))
      break;
    if (c == '(' || c == '[' || c == '{')
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (open.size() > kDeepest)
      fail(here(), "more than " + std::to_string(kDeepest) + " brackets are open");
    if (c != ')' && c != ']' && c != '}')
      continue;
    if (open.empty() || open.back() != c)
      fail(here(), std::string("this `") + c + "` closes no bracket");
    open.pop_back();
  }
  if (!open.empty())
    fail(since(begin), std::string("a bracket is not closed: `") + open.back() + "` is missing");
  return begin;
}

Fragment Reader::raw(std::string_view stops, const std::string &what) {
  const std::uint32_t begin = skipBrackets(stops, false);
  std::uint32_t end = position_;
  while (end > begin && isSpace(text_[end - 1]))
    --end;
  if (begin == end)
    failExpected(what);
  return {std::string(text_.substr(begin, end - begin)), {file_, begin, end}};
}

Fragment Reader::bracketed(const std::string &what) {
  if (!startsWith("{") && !startsWith("[") && !startsWith("("))
    failExpected(what);
  const std::uint32_t begin = skipBrackets("", true);
  return {std::string(text_.substr(begin, position_ - begin)), since(begin)};
}

std::string Reader::number() {
  skipSpaces();
  const std::uint32_t begin = position_;
  const auto isHere = [&](std::string_view any) {
    return position_ < end_ && any.find(text_[position_]) != std::string_view::npos;
  };
  const bool isHex = text_.substr(begin, 2) == "0x" || text_.substr(begin, 2) == "0X";
  while (position_ < end_ && (isPartOfWord(text_[position_]) || isHere(".'"))) {
    const bool isExponent = isHere(isHex ? "pP" : "eE");
    ++position_;
    if (isExponent && isHere("+-"))
      ++position_;
  }
  return std::string(text_.substr(begin, position_ - begin));
}

bool Reader::startsWithElement() {
  skipSpaces();
  std::uint32_t at = position_;
  while (at < end_ && isPartOfWord(text_[at]))
    ++at;
  return at > position_ && at < end_ && text_[at] == '[';
}

bool Reader::startsWithWordAnd(std::string_view wanted) {
  skipSpaces();
  std::uint32_t at = position_;
  while (at < end_ && isPartOfWord(text_[at]))
    ++at;
  const bool isWord = at > position_;
  while (at < end_ && isSpace(text_[at]))
    ++at;
  return isWord && text_.substr(at, end_ - at).starts_with(wanted);
}

Fragment Reader::before(std::string_view wanted, const std::string &what) {
  skipSpaces();
  const std::size_t at = text_.substr(0, end_).find(wanted, position_);
  if (at == std::string_view::npos || at == position_)
    failExpected(what);
  const Fragment found{std::string(text_.substr(position_, at - position_)),
                       {file_, position_, static_cast<std::uint32_t>(at)}};
  position_ = static_cast<std::uint32_t>(at + wanted.size());
  return found;
}

std::string Reader::nonSpace(const std::string &what) {
  skipSpaces();
  const std::uint32_t begin = position_;
  while (position_ < end_ && !isSpace(text_[position_]) && text_[position_] != '\t')
    ++position_;
  if (begin == position_)
    failExpected(what);
  return std::string(text_.substr(begin, position_ - begin));
}

std::string Reader::toEnd(const std::string &what) {
  skipSpaces();
  const std::uint32_t begin = position_;
  position_ = end_;
  std::uint32_t end = end_;
  while (end > begin && isSpace(text_[end - 1]))
    --end;
  if (begin == end)
    failExpected(what);
  return std::string(text_.substr(begin, end - begin));
}

source::Span Reader::here() const {
  std::uint32_t end = position_;
  while (end < end_ && isPartOfWord(text_[end]))
    ++end;
  if (end == position_ && end < end_)
    ++end;
  return {file_, position_, end};
}

void Reader::fail(source::Span span, const std::string &message, const std::string &help) const {
  source::Diagnostic &d = diagnostics_.error(span, message);
  if (!help.empty())
    d.help(help);
  throw Stop();
}

void Reader::failExpected(const std::string &what) {
  skipSpaces();
  const source::Span at = here();
  const std::string found = at.begin == at.end
                                ? "the end of the line"
                                : "`" + std::string(text_.substr(at.begin, at.end - at.begin)) + "`";
  fail(at, "expected " + what + ", found " + found);
}

} // namespace pbc::kernel::textual

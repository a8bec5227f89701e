// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/token_reader.h"
#include "compiler/syntax/body_end.h"
#include "compiler/syntax/byte_stream.h"
#include "compiler/syntax/contextual_words.h"
#include "compiler/syntax/cxx_scan.h"
#include "compiler/syntax/let_value.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <utility>

namespace pbc::syntax {

namespace {

using pbc_grammar::PbccLexer;
using pbc_grammar::PbccParser;
using source::Span;

constexpr const char *kConditionHelp =
    "conditions are `cond(blank(X).zero = true)` and `cond(EXPRESSION)`, of C++ and about the matrix; "
    "several are separated by commas";

class Reader {
public:
  Reader(const source::MappedText &mapped, source::Diagnostics &diagnostics, TextKind kind)
      : mapped_(mapped), text_(mapped.text), diagnostics_(diagnostics), stream_(text_), lexer_(&stream_),
        kind_(kind) {
    lexer_.removeErrorListeners(); // the grammar's last rule accepts any byte, so the lexer finds no errors
    part_ = isOfSteps() ? Part::Steps : outside();
  }

  Tokens run() {
    for (;;) {
      std::unique_ptr<antlr4::Token> token = lexer_.nextToken();
      type_ = token->getType();
      if (type_ == antlr4::Token::EOF)
        break;
      begin_ = static_cast<std::uint32_t>(token->getStartIndex());
      end_ = static_cast<std::uint32_t>(token->getStopIndex() + 1);
      take();
    }
    if (part_ == Part::Steps && !isOfSteps())
      closeSchedule(size(), "the end of the file");
    if (insideTransform_)
      closeTransform(size(), "the end of the file");
    push(antlr4::Token::EOF, size(), size());
    return std::move(tokens_);
  }

private:
  enum class Part { Rules, Head, Steps }; // Rules: all that is outside of schedules

  /// Whether there is nothing but steps and what stands around them in adaptors.
  bool isOfSteps() const { return kind_ == TextKind::Steps || kind_ == TextKind::Adaptors; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  std::string word() const { return std::string(text_.substr(begin_, end_ - begin_)); }
  Span here() const { return mapped_.locate(begin_, end_); }

  void take() {
    if (part_ == Part::Steps)
      wholeName();
    if (isWord())
      readWord();
    if (part_ != Part::Rules)
      return takeOfSchedule();
    switch (type_) {
    case PbccParser::UNEXPECTED:
      return unexpected();
    case PbccParser::RAW_OPEN:
      return rawBlock();
    case PbccParser::LBRACE:
      return leftBrace();
    case PbccParser::RBRACE:
      return rightBrace();
    case PbccParser::TRANSFORM:
    case PbccParser::FUNCTION:
      unitKeyword();
      break;
    case PbccParser::ID:
      if (insideTransform_ && isAtBegin() && word() == "structure" && followedBy(text_, end_, "is"))
        type_ = PbccParser::STRUCTURE;
      else if (insideTransform_ && isAtBegin() && word() == "let" && declares(text_, end_))
        type_ = PbccParser::LET;
      else if (insideTransform_ &&
               (isAtBegin() || last_ == PbccParser::LPAREN || last_ == PbccParser::COMMA) &&
               word() == "old" && namesOld(text_, end_))
        type_ = PbccParser::OLD;
      if (!insideTransform_ && (unit_ == 0 || last_ == PbccParser::BODY))
        guessUnit();
      break;
    }
    if (bounded())
      push(type_, begin_, end_);
    if (type_ == PbccParser::LET)
      isInLet_ = true;
    else if (type_ == PbccParser::SEMI || type_ == PbccParser::ASSIGN)
      if (std::exchange(isInLet_, false) && type_ == PbccParser::ASSIGN)
        valueOfLet();
  }

  void push(std::size_t type, std::uint32_t begin, std::uint32_t end) {
    auto token = std::make_unique<antlr4::CommonToken>(type);
    token->setStartIndex(begin);
    token->setStopIndex(std::size_t(end) - 1); // wraps for an empty token at 0, but it is only added to
    token->setTokenIndex(tokens_.size());
    tokens_.push_back(std::move(token));
    if (type != PbccParser::BROKEN)
      last_ = type;
  }

  void broken() {
    if (tokens_.empty() || tokens_.back()->getType() != PbccParser::BROKEN)
      push(PbccParser::BROKEN, begin_, end_);
  }

  void resume(std::uint32_t at) { stream_.seek(at); }

  // Schedules
  // -------------------------------------------------------------------------------------------------

  /// Steps name loops and variables of rules' bodies, whose letters are those of C++.
  void wholeName() {
    const Lexeme lexeme = scan(text_, begin_);
    if (lexeme.kind != Lexeme::Kind::Identifier || lexeme.end == end_)
      return;
    type_ = PbccParser::ID;
    end_ = lexeme.end;
    resume(end_);
  }

  bool isWord() const {
    return type_ == PbccParser::ID || (type_ >= PbccParser::TRANSFORM && type_ <= PbccParser::NOT &&
                                       scan(text_, begin_).kind == Lexeme::Kind::Identifier);
  }

  /// Whether a rule, a schedule or a step can begin here.
  bool isAtBegin() const {
    return tokens_.empty() || last_ == PbccParser::BODY || last_ == PbccParser::SEMI ||
           last_ == PbccParser::LBRACE || last_ == PbccParser::STEPS || last_ == PbccParser::END_STEPS;
  }

  /// Makes names of the words that are keywords only elsewhere, and notices where a schedule begins.
  void readWord() {
    const bool isInRules = part_ == Part::Rules;
    if (type_ == PbccParser::SCHEDULE && opensSchedule()) {
      if (part_ == Part::Steps)
        closeSchedule(begin_, "this `schedule`");
      part_ = Part::Head;
    } else if (!isInRules && kind_ == TextKind::Program && opensUnit()) {
      if (part_ == Part::Steps)
        closeSchedule(begin_, "this `" + word() + "`");
      part_ = Part::Rules;
    } else {
      const bool isOfHead = type_ == PbccParser::FOR || type_ == PbccParser::ON;
      const bool isName = part_ == Part::Steps || type_ == PbccParser::SCHEDULE || isOfHead == isInRules;
      type_ = isName ? static_cast<std::size_t>(PbccParser::ID) : type_;
    }
  }

  bool opensUnit() const {
    return (type_ == PbccParser::TRANSFORM || type_ == PbccParser::FUNCTION) && startsLine() && nameFollows();
  }

  /// The words after `schedule` tell whether it is the keyword or the name of a matrix that a rule computes:
  /// `schedule from(A a) { ... }`, `schedule gpu cublas.gemm(c, a, b) { ... }`.
  bool opensSchedule() const {
    if (isOfSteps() || (kind_ == TextKind::Program && !insideTransform_) || !isAtBegin() ||
        (part_ == Part::Steps && !startsLine()))
      return false;
    if (kind_ == TextKind::Schedules && part_ == Part::Head)
      return true;
    return declares(text_, end_) || followedBy(text_, end_, "for");
  }

  /// The C++ between the `=` of a constant and its semicolon becomes one token.
  void valueOfLet() {
    const LetValue value = findLetValue(text_, end_);
    if (!value.closed)
      diagnostics_.error(mapped_.locate(begin_, value.end), "this constant has no `;` at its end")
          .help("a constant is `let NAME = VALUE;`, with a value that is an expression of C++");
    if (value.begin < value.end)
      push(PbccParser::LET_VALUE, value.begin, value.end);
    if (!value.closed)
      push(PbccParser::SEMI, value.end, value.end);
    resume(value.end);
  }

  Lexeme wordAfter(std::uint32_t at) const { return scanPastBlanks(text_, at); }

  /// What comes after the steps of a schedule.
  Part outside() const { return kind_ == TextKind::Program ? Part::Rules : Part::Head; }

  /// A token of a schedule's head, or one of its steps.
  void takeOfSchedule() {
    if (kind_ == TextKind::Adaptors && takeOfAdaptor())
      return;
    if (type_ == PbccParser::ID && part_ == Part::Steps && last_ == PbccParser::RPAREN && word() == "with")
      type_ = PbccParser::WITH;
    switch (type_) {
    case PbccParser::UNEXPECTED:
    case PbccParser::RAW_OPEN:
      return unexpected();
    case PbccParser::LBRACE:
    case PbccParser::RBRACE:
      return braceOfSchedule();
    case PbccParser::SEMI:
      part_ = part_ == Part::Head ? outside() : part_;
      break;
    }
    if (bounded())
      push(type_, begin_, end_);
  }

  /// A token that has a meaning among adaptors only.
  bool takeOfAdaptor() {
    const std::string text = word();
    if (text == "adaptor" && wordAfter(end_).kind == Lexeme::Kind::Identifier)
      type_ = PbccParser::ADAPTOR;
    else if (text == "|")
      type_ = PbccParser::BAR;
    else if (type_ != PbccParser::LBRACE && type_ != PbccParser::RBRACE)
      return false;
    limit_.restart();
    push(type_, begin_, end_);
    if (type_ == PbccParser::LBRACE)
      conditionsOfAdaptor();
    return true;
  }

  /// The conditions of a rule, separated by commas.
  void conditionsOfAdaptor() {
    while (conditionOfAdaptor()) {
      const Lexeme comma = wordAfter(end_);
      if (!comma.is(text_, ','))
        return resume(end_);
      end_ = comma.end;
      push(PbccParser::COMMA, comma.begin, end_);
    }
  }

  /// `cond(`, an expression of C++, and `)`, which are one token. Whether there is such a condition behind `end_`, which then is its
  /// end.
  bool conditionOfAdaptor() {
    const Lexeme first = wordAfter(end_), open = wordAfter(first.end);
    begin_ = first.begin;
    end_ = std::max(first.end, begin_);
    if (first.text(text_) != "cond" || !open.is(text_, '(')) {
      diagnostics_.error(here(), "this is no condition of an adaptor").help(kConditionHelp);
      broken();
      return false;
    }
    int depth = 0;
    for (Lexeme next = open; next.kind != Lexeme::Kind::End; next = scan(text_, next.end)) {
      depth += next.is(text_, '(') - next.is(text_, ')');
      if (depth > 0)
        continue;
      end_ = next.end;
      push(PbccParser::CONDITION, begin_, end_);
      return true;
    }
    begin_ = open.begin;
    end_ = open.end;
    diagnostics_.error(here(), "the `(` of this condition is not closed").help(kConditionHelp);
    broken();
    resume(size());
    return false;
  }

  void braceOfSchedule() {
    limit_.restart();
    const bool opens = type_ == PbccParser::LBRACE;
    if (opens && part_ == Part::Head) {
      part_ = Part::Steps;
      openSteps_ = begin_;
      push(PbccParser::STEPS, begin_, end_);
    } else if (!opens && part_ == Part::Steps && !isOfSteps()) {
      part_ = outside();
      push(PbccParser::END_STEPS, begin_, end_);
    } else if (!opens && kind_ == TextKind::Program) { // a head without steps
      part_ = Part::Rules;
      rightBrace();
    } else if (kind_ == TextKind::Program) { // the body of a rule behind a schedule that was never closed
      dropLastStep();
    } else {
      auto &error = diagnostics_.error(
          here(), "`" + word() + "` has no meaning " +
                      (part_ == Part::Steps ? "among the steps of a schedule" : "between schedules"));
      if (kind_ == TextKind::Steps && opens)
        error.help("a script is the steps alone, without `schedule NAME for RULE { }` around them");
      broken();
    }
  }

  /// Closes the schedule behind the last semicolon, and reads what comes after it again, as rules.
  void dropLastStep() {
    while (tokens_.back()->getType() != PbccParser::SEMI && tokens_.back()->getType() != PbccParser::STEPS)
      tokens_.pop_back();
    const auto at = static_cast<std::uint32_t>(tokens_.back()->getStopIndex() + 1);
    const Lexeme next = wordAfter(at);
    end_ = next.end;
    closeSchedule(next.begin, "this `" + std::string(next.text(text_)) + "`");
    resume(at);
  }

  void closeSchedule(std::uint32_t at, const std::string &before) {
    diagnostics_
        .error(mapped_.locate(openSteps_, openSteps_ + 1),
               "the `{` of this schedule is not closed before " + before)
        .note(mapped_.locate(at, at == size() ? at : end_), "a `}` is missing before this place")
        .help("add `}` after the schedule's last step");
    part_ = outside();
    push(PbccParser::END_STEPS, at, at);
  }

  // Braces
  // ----------------------------------------------------------------------------------------------------

  void unitKeyword() {
    if (limit_.isNested() && !(startsLine() && nameFollows()))
      return;
    if (insideTransform_) {
      // A second transform among the rules of the first: the first one was never closed.
      bool afterRule = last_ == PbccParser::BODY || last_ == PbccParser::SEMI || last_ == PbccParser::LBRACE;
      if (!nameFollows() || !(afterRule || startsLine()))
        return;
      closeTransform(begin_, "this `" + word() + "`");
    }
    limit_.restart();
    unit_ = type_;
  }

  /// A misspelt `function` has a body, not rules.
  void guessUnit() {
    if (nearest(word(), {"function"}) == "function")
      unit_ = PbccParser::FUNCTION;
    else if (nearest(word(), {"transform"}) == "transform")
      unit_ = PbccParser::TRANSFORM;
  }

  void leftBrace() {
    limit_.restart();
    if (insideTransform_ || unit_ == PbccParser::FUNCTION)
      return body();
    insideTransform_ = true;
    open_ = begin_;
    push(type_, begin_, end_);
  }

  void rightBrace() {
    limit_.restart();
    if (!insideTransform_) {
      diagnostics_.error(here(), "this `}` closes nothing")
          .help("remove it, or look for a `{` that is missing, or one `}` too many, in the transform before "
                "it");
      return broken();
    }
    insideTransform_ = false;
    unit_ = 0;
    push(type_, begin_, end_);
  }

  void closeTransform(std::uint32_t at, const std::string &before) {
    diagnostics_
        .error(mapped_.locate(open_, open_ + 1), "the `{` of this transform is not closed before " + before)
        .note(mapped_.locate(at, at == size() ? at : end_), "a `}` is missing before this place")
        .help("add `}` after the transform's last rule, or look for a brace that is missing in one of its "
              "bodies");
    insideTransform_ = false;
    unit_ = 0;
    push(PbccParser::RBRACE, at, at);
  }

  void body() {
    BodyEnd found = findBodyEnd(text_, begin_, unclosedSeen_);
    unclosedSeen_ |= !found.closed;
    if (found.openQuote)
      openQuote(*found.openQuote);
    else if (!found.closed)
      diagnostics_.error(here(), "the `{` of this body is not closed")
          .note(mapped_.locate(found.end, found.end), "the body would go on to here")
          .help("every `{` in a body needs its `}`; those in strings, characters and comments do not count");
    if (found.rawBlock)
      diagnostics_
          .error(mapped_.locate(*found.rawBlock, *found.rawBlock + 2),
                 "a `%{` block cannot stand inside a rule body")
          .help("move it to the top level of the file; it is copied to the head of the generated C++");
    push(PbccParser::BODY, begin_, found.end);
    resume(found.end);
    // An unclosed body has included the transform's own brace.
    if (!found.closed && insideTransform_) {
      insideTransform_ = false;
      unit_ = 0;
      push(PbccParser::RBRACE, found.end, found.end);
    }
  }

  void openQuote(const Lexeme &quote) {
    const bool isString = quote.kind == Lexeme::Kind::String;
    diagnostics_
        .error(mapped_.locate(quote.begin, quote.end), std::string("this ") +
                                                           (isString ? "string" : "character") +
                                                           " has no closing quote on its line")
        .help(isString ? "end it with `\"`; a quote inside is written `\\\"`"
                       : "end it with `'`; text of several characters stands in double quotes");
  }

  void rawBlock() {
    std::uint32_t end = findRawEnd(text_, begin_);
    if (end == 0) {
      diagnostics_.error(here(), "this raw block is not closed")
          .help("end it with `%}` on a line of its own");
      end = size();
    }
    if (insideTransform_) {
      diagnostics_.error(here(), "a `%{` block cannot stand among the rules of a transform")
          .help("move it to the top level of the file");
      end_ = end;
      broken();
    } else {
      push(PbccParser::RAW, begin_, end);
    }
    resume(end);
  }

  bool startsLine() const { return syntax::startsLine(text_, begin_); }

  bool nameFollows() const {
    return scan(text_, end_).isBlank() && wordAfter(end_).kind == Lexeme::Kind::Identifier;
  }

  // Text outside of the language
  // -----------------------------------------------------------------------------------

  void unexpected() {
    // In a sequence of such characters only the first is reported.
    if (!tokens_.empty() && tokens_.back()->getType() == PbccParser::BROKEN && brokenEnd_ == begin_) {
      brokenEnd_ = end_;
      return;
    }
    Lexeme lexeme = scan(text_, begin_);
    if (lexeme.kind == Lexeme::Kind::String || lexeme.kind == Lexeme::Kind::Character) {
      end_ = lexeme.end;
      diagnostics_.error(here(), "text in quotes has no meaning outside of rule bodies");
    } else {
      while (end_ < size() && (static_cast<unsigned char>(text_[end_]) & 0xC0) == 0x80 &&
             static_cast<unsigned char>(text_[begin_]) >= 0xC0 && end_ - begin_ < 4)
        ++end_; // the rest of a UTF-8 character
      auto &error = diagnostics_.error(here(), "`" + shown() + "` has no meaning here");
      if (text_[begin_] == '#')
        error.help("a directive must be the first thing on its line");
      else if (text_[begin_] == '%')
        error.help("there is no remainder in sizes and coordinates; `%{` opens a block of C++");
    }
    broken();
    brokenEnd_ = end_;
    resume(end_);
  }

  std::string shown() const {
    auto c = static_cast<unsigned char>(text_[begin_]);
    if (c >= 0x20 && c != 0x7F && (c < 0x80 || end_ - begin_ > 1))
      return word();
    const char *digits = "0123456789ABCDEF";
    return std::string("\\x") + digits[c >> 4] + digits[c & 15];
  }

  /// Counts the token; false if it is dropped because its expression exceeds a limit.
  bool bounded() {
    if (limit_.take(type_, last_))
      return true;
    limit_.report(here(), diagnostics_);
    broken();
    return false;
  }

  const source::MappedText &mapped_;
  std::string_view text_;
  source::Diagnostics &diagnostics_;
  ByteStream stream_;
  PbccLexer lexer_;
  Tokens tokens_;
  std::size_t type_ = 0, last_ = 0, unit_ = 0;
  std::uint32_t begin_ = 0, end_ = 0, open_ = 0, brokenEnd_ = 0;
  bool insideTransform_ = false, unclosedSeen_ = false, isInLet_ = false;
  ExpressionLimit limit_;
  TextKind kind_;
  Part part_;
  std::uint32_t openSteps_ = 0;
};

} // namespace

Tokens readTokens(const source::MappedText &mapped, source::Diagnostics &diagnostics, TextKind kind) {
  return Reader(mapped, diagnostics, kind).run();
}

} // namespace pbc::syntax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses at two speeds: first the whole program with the fast prediction mode (SLL); if that fails, each unit
// separately with the full one (LL); and a unit that fails there, too, piece by piece, with one message for
// each piece.
#include "compiler/syntax/parse.h"
#include "compiler/syntax/build.h"
#include "compiler/syntax/complaint.h"
#include "compiler/syntax/token_reader.h"

namespace pbc::syntax {

namespace {

using P = pbc_grammar::PbccParser;
using antlr4::Token;

class ProgramReader {
public:
  ProgramReader(const MappedText &text, source::Diagnostics &diagnostics)
      : text_(text), diagnostics_(diagnostics), source_(readTokens(text, diagnostics)), tokens_(&source_),
        parser_(&tokens_), strategy_(std::make_shared<StopAtFirstError>()), builder_(text, diagnostics) {
    parser_.removeErrorListeners();
    parser_.setErrorHandler(strategy_);
    tokens_.fill();
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      types_.push_back(tokens_.get(i)->getType());
  }

  void read(Program &program) {
    predict(antlr4::atn::PredictionMode::SLL);
    if (auto *whole = attempt([&] { return parser_.program(); })) {
      for (auto *child : whole->children)
        if (auto *unit = dynamic_cast<P::UnitContext *>(child))
          program.transforms.push_back(builder_.unit(*unit));
        else if (auto *leaf = dynamic_cast<antlr4::tree::TerminalNode *>(child);
                 leaf->getSymbol()->getType() == P::RAW)
          program.rawBlocks.push_back(builder_.raw(*leaf->getSymbol()));
      return;
    }
    predict(antlr4::atn::PredictionMode::LL);
    for (std::size_t at = 0; type(at) != Token::EOF;) {
      if (type(at) == P::RAW) {
        program.rawBlocks.push_back(builder_.raw(*tokens_.get(at++)));
        continue;
      }
      std::size_t end = unitEnd(at);
      readUnit(program, at, end);
      at = end;
    }
  }

private:
  std::size_t type(std::size_t at) const { return at < types_.size() ? types_[at] : Token::EOF; }

  void predict(antlr4::atn::PredictionMode mode) {
    parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
  }

  template <typename Parse>
  auto attempt(Parse parse) -> decltype(parse()) {
    try {
      return parse();
    } catch (antlr4::ParseCancellationException &) {
      return nullptr;
    }
  }

  /// Parses one piece at a token; null if it fails (strategy_->stop then says why).
  template <typename Parse>
  auto piece(std::size_t at, Parse parse) -> decltype(parse()) {
    parser_.reset(); // removes the contexts of the failed attempt, and rewinds
    tokens_.seek(at);
    return attempt(parse);
  }

  void complainNow() { complain(strategy_->stop, parser_, text_, diagnostics_); }

  std::string name(std::size_t at) { return nameOf(*tokens_.get(at), text_); }
  Span span(std::size_t at) { return spanOf(*tokens_.get(at), text_); }

  static bool opensUnit(std::size_t type) { return type == P::TRANSFORM || type == P::FUNCTION; }

  /// Whether the keyword starts a header clause; this includes all keywords such as `main`.
  static bool opensClause(std::size_t type) { return (type >= P::MAIN && type <= P::CONFIG); }

  /// The token after the unit that begins here, whatever state it is in.
  std::size_t unitEnd(std::size_t at) const {
    bool keyword = false;
    for (;; ++at) {
      switch (type(at)) {
      case Token::EOF:
      case P::RAW:
        return at;
      case P::TRANSFORM:
      case P::FUNCTION:
        if (keyword) // the previous unit had neither rules nor `;`
          return at;
        keyword = type(at + 1) != P::COMMA && type(at + 1) != P::RBRACKET;
        break;
      case P::LBRACE:
        while (type(at) != P::RBRACE && type(at) != Token::EOF)
          ++at;
        at += type(at) == P::RBRACE;
        return skipSemicolons(at);
      case P::BODY:
        if (type(at + 1) == P::OR || type(at + 1) == P::BODY)
          break;
        return skipSemicolons(at + 1);
      case P::SEMI:
        return skipSemicolons(at);
      }
    }
  }

  std::size_t skipSemicolons(std::size_t at) const {
    while (type(at) == P::SEMI)
      ++at;
    return at;
  }

  void readUnit(Program &program, std::size_t begin, std::size_t end) {
    P::UnitContext *unit = piece(begin, [&] { return parser_.unit(); });
    if (unit != nullptr && tokens_.index() == end) {
      program.transforms.push_back(builder_.unit(*unit));
      return;
    }
    const Stop whole = strategy_->stop;
    const unsigned errorsBefore = diagnostics_.errorCount();
    Transform made;
    bool named = false;
    std::size_t at = readHeader(made, named, begin, end);
    if (made.isFunction)
      readBodies(made, at, end);
    else if (type(at) == P::LBRACE)
      readRules(made, at + 1, end);
    // The unit does not fit although each of its pieces does, so at least its place is reported.
    if (diagnostics_.errorCount() == errorsBefore && unit == nullptr)
      complain(whole, parser_, text_, diagnostics_);
    if (!named)
      return;
    made.span = text_.locate(static_cast<std::uint32_t>(tokens_.get(begin)->getStartIndex()),
                             static_cast<std::uint32_t>(tokens_.get(end - 1)->getStopIndex() + 1));
    program.transforms.push_back(std::move(made));
  }

  /// Reads clauses and the keyword, up to `{`, a body, `;` or the unit's end.
  std::size_t readHeader(Transform &made, bool &named, std::size_t at, std::size_t end) {
    bool keyword = false;
    std::size_t lastClause = Token::EOF;
    const unsigned errorsBefore = diagnostics_.errorCount();
    while (at < end && type(at) != P::LBRACE && type(at) != P::BODY && type(at) != P::SEMI) {
      if (opensUnit(type(at)) && !keyword) {
        keyword = true;
        auto *head = piece(at, [&] { return parser_.unitHead(); });
        if (head != nullptr) {
          builder_.head(made, *head->start, *head->name());
          named = true;
          at = tokens_.index();
        } else {
          made.isFunction = type(at) == P::FUNCTION;
          complainNow();
          at = nextClause(std::max(strategy_->stop.token, at + 1), end);
        }
      } else if (opensClause(type(at))) {
        lastClause = type(at);
        if (auto *clause = piece(at, [&] { return parser_.clause(); })) {
          builder_.clause(made, *clause);
          at = tokens_.index();
        } else {
          complainNow();
          at = nextClause(std::max(strategy_->stop.token, at + 1), end);
        }
      } else {
        std::string meant = strayInHeader(at, lastClause, keyword);
        if (!keyword && (meant == "transform" || meant == "function")) {
          keyword = true;
          made.isFunction = meant == "function";
        }
        at = nextClause(at + 1, end);
      }
    }
    if (!keyword)
      return noKeyword(at, end, errorsBefore);
    if (at >= end)
      diagnostics_
          .error(span(end - 1),
                 "this header is followed by " + name(end) + " instead of the transform's rules")
          .help("a header ends in `{` with the rules, or in `;` if it only announces the transform");
    else if (made.isFunction && type(at) == P::SEMI)
      diagnostics_.error(span(at), "a function needs a body, found `;`");
    else
      made.isForward = type(at) == P::SEMI;
    return at;
  }

  /// Handles a token in a header that starts no clause. Returns the keyword that was probably meant.
  std::string strayInHeader(std::size_t at, std::size_t lastClause, bool keyword) {
    const Token &found = *tokens_.get(at);
    if (found.getType() == P::BROKEN)
      return {};
    std::string word =
        text_.text.substr(found.getStartIndex(), found.getStopIndex() + 1 - found.getStartIndex());
    std::string meant = meantClause(word);
    auto &error = diagnostics_.error(
        span(at), std::string("expected ") +
                      (keyword ? "a header clause (`from`, `to`, `tunable`, ...) or the body"
                               : "`transform`, `function` or a header clause") +
                      ", found " + name(at));
    bool list =
        lastClause == P::FROM || lastClause == P::TO || lastClause == P::THROUGH || lastClause == P::USING;
    if (!meant.empty())
      error.help("did you mean `" + meant + "`?");
    else if (list && found.getType() == P::ID)
      error.help("matrices in a list are separated by commas: is one missing before `" + word + "`?");
    else if (opensUnit(found.getType()))
      error.help("a body or `;` is missing before it");
    return meant;
  }

  std::size_t noKeyword(std::size_t at, std::size_t end, unsigned errorsBefore) {
    if (diagnostics_.errorCount() == errorsBefore && type(end - 1) != P::BROKEN)
      diagnostics_.error(span(std::min(at, end - 1)),
                         "this header has no `transform NAME` or `function NAME`");
    return end;
  }

  std::size_t nextClause(std::size_t at, std::size_t end) const {
    unsigned nesting = 0;
    for (; at < end; ++at) {
      std::size_t t = type(at);
      nesting += t == P::LPAREN || t == P::LBRACKET;
      nesting -= nesting > 0 && (t == P::RPAREN || t == P::RBRACKET);
      if (t == P::LBRACE || t == P::BODY || t == P::SEMI || opensUnit(t) || (nesting == 0 && opensClause(t)))
        return at;
    }
    return end;
  }

  void readBodies(Transform &made, std::size_t at, std::size_t end) {
    for (bool joined = true; at < end; ++at) {
      if (type(at) == P::BODY) {
        if (!joined)
          diagnostics_.error(span(at), "expected `or` between two bodies of a function");
        made.rules.push_back(builder_.functionRule(made, *tokens_.get(at)));
        joined = false;
      } else if (type(at) == P::OR) {
        joined = true;
      }
    }
  }

  void readRules(Transform &made, std::size_t at, std::size_t end) {
    while (at < end && type(at) != P::RBRACE) {
      if (type(at) == P::SEMI) {
        ++at;
        continue;
      }
      if (type(at) == P::SCHEDULE) {
        at = readSchedule(made, at, end);
        continue;
      }
      if (type(at) == P::STRUCTURE) {
        at = readStructure(made, at, end);
        continue;
      }
      if (type(at) == P::LET) {
        at = readLet(made, at, end);
        continue;
      }
      if (auto *rule = piece(at, [&] { return parser_.ruleDecl(); })) {
        made.rules.push_back(builder_.rule(*rule));
        at = tokens_.index();
        continue;
      }
      complainNow();
      // The next rule begins after this one's body.
      while (at < end && type(at) != P::BODY && type(at) != P::RBRACE && type(at) != P::SCHEDULE)
        ++at;
      at += type(at) == P::BODY;
    }
  }

  /// Returns the token behind the structure.
  std::size_t readStructure(Transform &made, std::size_t at, std::size_t end) {
    if (auto *structure = piece(at, [&] { return parser_.structureDecl(); })) {
      made.structures.push_back(builder_.structure(*structure));
      return tokens_.index();
    }
    complainNow();
    while (at < end && type(at) != P::SEMI && type(at) != P::BODY && type(at) != P::RBRACE)
      ++at;
    return at;
  }

  /// Returns the token behind the constant.
  std::size_t readLet(Transform &made, std::size_t at, std::size_t end) {
    if (auto *let = piece(at, [&] { return parser_.letDecl(); })) {
      made.lets.push_back(builder_.let(*let));
      return tokens_.index();
    }
    complainNow();
    while (at < end && type(at) != P::SEMI && type(at) != P::BODY && type(at) != P::RBRACE)
      ++at;
    return at;
  }

  /// Returns the token behind the schedule.
  std::size_t readSchedule(Transform &made, std::size_t at, std::size_t end) {
    if (auto *schedule = piece(at, [&] { return parser_.scheduleDecl(); })) {
      made.schedules.push_back(builder_.schedule(*schedule));
      return tokens_.index();
    }
    complainNow();
    while (at < end && type(at) != P::END_STEPS && type(at) != P::SEMI && type(at) != P::BODY &&
           type(at) != P::RBRACE)
      at = type(at) == P::STEPS ? endOfSteps(at, end) : at + 1;
    return at + (at < end && (type(at) == P::END_STEPS || type(at) == P::BODY));
  }

  std::size_t endOfSteps(std::size_t at, std::size_t end) const {
    while (at < end && type(at) != P::END_STEPS)
      ++at;
    return at;
  }

  const MappedText &text_;
  source::Diagnostics &diagnostics_;
  antlr4::ListTokenSource source_;
  antlr4::CommonTokenStream tokens_;
  std::vector<std::size_t> types_;
  P parser_;
  std::shared_ptr<StopAtFirstError> strategy_;
  Builder builder_;
};

} // namespace

Program parse(const MappedText &text, source::FileId mainFile, source::Diagnostics &diagnostics) {
  Program program;
  program.mainFile = mainFile;
  ProgramReader(text, diagnostics).read(program);
  return program;
}

} // namespace pbc::syntax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses files of schedules, of steps and of adaptors. After an error in a declaration, reading goes on with the next one.
#include "compiler/syntax/build.h"
#include "compiler/syntax/complaint.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/token_reader.h"

namespace pbc::syntax {

namespace {

using P = pbc_grammar::PbccParser;

source::MappedText wholeFile(source::FileId file, const source::SourceManager &sources) {
  source::MappedText all;
  const std::string_view text = sources.text(file);
  all.append(text, {file, 0, static_cast<std::uint32_t>(text.size())}, true);
  return all;
}

class ScheduleReader {
public:
  ScheduleReader(source::MappedText text, source::Diagnostics &diagnostics, TextKind kind)
      : diagnostics_(diagnostics), text_(std::move(text)), source_(readTokens(text_, diagnostics, kind)),
        tokens_(&source_), parser_(&tokens_), strategy_(std::make_shared<StopAtFirstError>()),
        builder_(text_, diagnostics) {
    parser_.removeErrorListeners();
    parser_.setErrorHandler(strategy_);
    tokens_.fill();
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      types_.push_back(tokens_.get(i)->getType());
  }

  std::vector<Schedule> schedules() {
    return eachOf<Schedule>(
        P::SCHEDULE, [&] { return parser_.scheduleDecl(); },
        [&](auto &read) { return builder_.schedule(read); });
  }

  std::vector<script::Adaptor> adaptors() {
    return eachOf<script::Adaptor>(
        P::ADAPTOR, [&] { return parser_.adaptorDecl(); },
        [&](auto &read) { return builder_.adaptor(read); });
  }

  std::optional<script::Adaptation> adaptation() {
    P::AdaptationFileContext *read = piece(0, [&] { return parser_.adaptationFile(); });
    return read ? std::optional(builder_.adaptation(*read->adaptation())) : std::nullopt;
  }

  script::Script script() {
    P::ScriptFileContext *read = piece(0, [&] { return parser_.scriptFile(); });
    return read ? builder_.steps(*read->steps()) : script::Script{};
  }

private:
  /// The declarations of a file, each of which begins with this token; without those that have errors.
  template <class Made, class Parse, class Build>
  std::vector<Made> eachOf(std::size_t first, Parse parse, Build build) {
    std::vector<Made> all;
    for (std::size_t at = 0; type(at) != antlr4::Token::EOF;) {
      const unsigned errorsBefore = diagnostics_.errorCount();
      auto *read = piece(at, parse);
      if (!read) {
        at = next(at, first);
        continue;
      }
      Made made = build(*read);
      at = tokens_.index();
      if (diagnostics_.errorCount() == errorsBefore)
        all.push_back(std::move(made));
    }
    return all;
  }

  std::size_t type(std::size_t at) const { return at < types_.size() ? types_[at] : antlr4::Token::EOF; }

  /// The token behind a declaration that has errors.
  std::size_t next(std::size_t at, std::size_t first) const {
    while (type(at) != P::END_STEPS && type(at) != antlr4::Token::EOF && type(at + 1) != first)
      ++at;
    return type(at) == antlr4::Token::EOF ? at : at + 1;
  }

  /// Parses one piece at a token. If that fails, it says why and returns null.
  template <typename Parse>
  auto piece(std::size_t at, Parse parse) -> decltype(parse()) {
    parser_.reset(); // removes the contexts of a failed attempt, and rewinds
    tokens_.seek(at);
    try {
      return parse();
    } catch (antlr4::ParseCancellationException &) {
      complain(strategy_->stop, parser_, text_, diagnostics_);
      return nullptr;
    }
  }

  source::Diagnostics &diagnostics_;
  source::MappedText text_;
  antlr4::ListTokenSource source_;
  antlr4::CommonTokenStream tokens_;
  std::vector<std::size_t> types_;
  P parser_;
  std::shared_ptr<StopAtFirstError> strategy_;
  Builder builder_;
};

} // namespace

std::vector<Schedule> parseSchedules(source::FileId file, source::Diagnostics &diagnostics) {
  return ScheduleReader(wholeFile(file, diagnostics.sources()), diagnostics, TextKind::Schedules).schedules();
}

std::vector<script::Adaptor> parseAdaptors(source::FileId file, source::Diagnostics &diagnostics) {
  return ScheduleReader(wholeFile(file, diagnostics.sources()), diagnostics, TextKind::Adaptors).adaptors();
}

std::optional<script::Adaptation> parseAdaptation(source::FileId file, source::Diagnostics &diagnostics) {
  const unsigned errorsBefore = diagnostics.errorCount();
  auto read =
      ScheduleReader(wholeFile(file, diagnostics.sources()), diagnostics, TextKind::Adaptors).adaptation();
  return diagnostics.errorCount() == errorsBefore ? read : std::nullopt;
}

std::optional<script::Script> parseScript(source::FileId file, source::Diagnostics &diagnostics) {
  return parseScript(wholeFile(file, diagnostics.sources()), diagnostics);
}

std::optional<script::Script> parseScript(const source::MappedText &text, source::Diagnostics &diagnostics) {
  const unsigned errorsBefore = diagnostics.errorCount();
  script::Script read = ScheduleReader(text, diagnostics, TextKind::Steps).script();
  if (diagnostics.errorCount() != errorsBefore)
    return std::nullopt;
  return read;
}

} // namespace pbc::syntax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/complaint.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>

namespace pbc::syntax {

namespace {

using P = pbc_grammar::PbccParser;
using source::Span;

bool within(const Stop &stop, std::size_t rule) {
  return std::find(stop.rules.begin(), stop.rules.end(), rule) != stop.rules.end();
}

/// "in the sizes of `A`": what the parser was reading when it stopped.
std::string reading(const Stop &stop, const std::string &subject) {
  std::string of = subject.empty() ? "" : " of `" + subject + "`";
  for (std::size_t rule : stop.rules)
    switch (rule) {
    case P::RuleVersion:
      return "in a version `<...>`";
    case P::RuleMatrix:
      return subject.empty() ? "in a list of matrices" : "in the declaration" + of;
    case P::RuleElement:
      return "as an element type";
    case P::RuleRegion:
      return subject.empty() ? "where a region should stand" : "in a region" + of;
    case P::RuleAccessor:
      return "after `.`";
    case P::RuleBinding:
      return "in the rule's list of regions";
    case P::RuleRelation:
    case P::RuleLiteral:
    case P::RuleConjunction:
    case P::RuleCondition:
      return "in a condition of `where`";
    case P::RuleRulePart:
      return stop.expected.contains(std::size_t(P::BODY)) ? "after this part of the rule"
                                                          : "in this list of the rule";
    case P::RuleFlag:
      return "in a rule's flag";
    case P::RuleOutputs:
      return "in the rule's outputs";
    case P::RuleRuleDecl:
      return stop.expected.contains(std::size_t(P::BODY)) ? "after the rule's outputs"
                                                          : "at the start of a rule";
    case P::RuleTemplateArgument:
      return "in a template argument";
    case P::RuleItem:
    case P::RuleModifier:
      return subject.empty() ? "in the declaration of a tunable" : "in the declaration" + of;
    case P::RuleNumber:
    case P::RuleInteger:
      continue;
    case P::RuleClause:
      return "in this clause of the header";
    case P::RuleUnitHead:
      return "after `transform` or `function`";
    case P::RuleResults:
      return "in the labels of the loops that a step makes";
    case P::RuleArgument:
    case P::RuleCall:
      return subject.empty() ? "in a step of a schedule" : "in the step `" + subject + "`";
    case P::RuleStepParameter:
      return "behind `with`";
    case P::RuleStep:
      return "in a step of a schedule";
    case P::RuleStructureDecl:
    case P::RuleStructureKind:
      return "in the structure of a matrix";
    case P::RuleLetDecl:
      return "in the constant of a transform";
    case P::RuleScheduleDecl:
      return stop.expected.contains(std::size_t(P::SCHEDULE)) ? "at the start of a schedule"
                                                              : "in the head of a schedule";
    }
  return "";
}

const char *spelling(std::size_t type) {
  switch (type) {
  case P::BODY:
    return "the body";
  case P::INT:
    return "an integer";
  case P::FLOAT:
    return "a number";
  case P::AND:
    return "`and`";
  case P::LET_VALUE:
    return "a value";
  case P::STEPS:
    return "`{`";
  case P::END_STEPS:
    return "`}`";
  case antlr4::Token::EOF:
    return nullptr;
  default:
    return nullptr;
  }
}

bool isComparison(std::size_t type) {
  return type == P::ASSIGN || type == P::EQUAL || type == P::NOT_EQUAL || type == P::LESS ||
         type == P::GREATER || type == P::LESS_EQUAL || type == P::GREATER_EQUAL;
}

/// "`,` or `]`": what would have been accepted, in few words.
std::string expectation(const Stop &stop, const antlr4::dfa::Vocabulary &words) {
  auto has = [&](std::size_t type) { return stop.expected.contains(type); };
  std::vector<std::string> parts;
  bool name = has(P::ID);
  bool operand = has(P::INT) && has(P::LPAREN) && name;
  // Inside an expression any operator would be accepted; a list of all operators would not help.
  bool inExpression = has(P::POWER) || has(P::STAR);
  if (operand)
    parts.push_back("a size or coordinate (a name, a number or an expression)");
  else if (within(stop, P::RuleUnit) && !within(stop, P::RuleClause) && !name)
    parts.push_back("a clause");
  else if (name && within(stop, P::RuleAccessor))
    parts.push_back("an accessor (cell, row, column, region or all)");
  else if (name && stop.rules.size() == 1 && within(stop, P::RuleRuleDecl))
    parts.push_back("`to(...)` or a region");
  else if (name)
    parts.push_back("a name");
  if (has(P::FLOAT) && !operand)
    parts.push_back("a number");
  for (std::size_t type = 1; type <= words.getMaxTokenType(); ++type) {
    if (!has(type) || type == P::BROKEN || type == P::RAW)
      continue;
    bool keyword = type >= P::TRANSFORM && type <= P::WHERE;
    bool clauseWord = keyword && type != P::FROM && type != P::THROUGH && type != P::WHERE && type != P::TO &&
                      type != P::GPU && type != P::FOR && type != P::ON &&
                      (type != P::SCHEDULE || !within(stop, P::RuleScheduleDecl));
    if ((name && keyword) || clauseWord || type == P::ID || type == P::FLOAT ||
        (type == P::INT && (operand || has(P::FLOAT))) ||
        (operand && (type == P::LPAREN || type == P::PLUS || type == P::MINUS)) ||
        (has(P::INT) && (type == P::PLUS || type == P::MINUS)) ||
        (inExpression &&
         (type == P::PLUS || type == P::MINUS || type == P::STAR || type == P::SLASH || type == P::POWER)) ||
        type == P::ELLIPSIS || (within(stop, P::RuleArgument) && isComparison(type)))
      continue;
    if (const char *known = spelling(type))
      parts.push_back(known);
    else if (std::string literal = words.getLiteralName(type); !literal.empty())
      parts.push_back("`" + literal.substr(1, literal.size() - 2) + "`");
  }
  // In a list, a comma is named before the end of the list.
  if (auto comma = std::find(parts.begin(), parts.end(), "`,`"); comma != parts.end())
    std::rotate(parts.begin(), comma, comma + 1);
  // Every rule needs a body, so "the body" is named last.
  if (auto body = std::find(parts.begin(), parts.end(), "the body"); body != parts.end())
    std::rotate(body, body + 1, parts.end());
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return out;
}

/// Whether the token comes after the conditions of a `where`.
bool followsWhere(antlr4::TokenStream &tokens, std::size_t at) {
  while (at-- > 0)
    switch (tokens.get(at)->getType()) {
    case P::WHERE:
      return true;
    case P::BODY:
    case P::LBRACE:
    case P::FROM:
    case P::THROUGH:
    case P::USING:
      return false;
    }
  return false;
}

} // namespace

void StopAtFirstError::give(antlr4::Parser &parser, std::size_t token, bool expectationKnown) {
  stop = {};
  stop.token = token;
  for (antlr4::RuleContext *at = parser.getContext(); at != nullptr;
       at = static_cast<antlr4::RuleContext *>(at->parent))
    stop.rules.push_back(at->getRuleIndex());
  // The first word of a declaration or region is its name.
  for (auto *at = parser.getContext(); at != nullptr;
       at = dynamic_cast<antlr4::ParserRuleContext *>(at->parent)) {
    std::size_t rule = at->getRuleIndex();
    if (rule != P::RuleMatrix && rule != P::RuleRegion && rule != P::RuleCall)
      continue;
    if (at->start != nullptr && at->start->getTokenIndex() < token)
      stop.subject = at->start->getTokenIndex();
    break;
  }
  if (expectationKnown)
    stop.expected = parser.getExpectedTokens();
  throw antlr4::ParseCancellationException();
}

void StopAtFirstError::recover(antlr4::Parser *parser, std::exception_ptr error) {
  std::size_t token = parser->getCurrentToken()->getTokenIndex();
  bool known = true;
  try {
    std::rethrow_exception(error);
  } catch (antlr4::NoViableAltException &e) {
    // The error was found only while looking ahead, so it is not known what would have been accepted there.
    if (e.getOffendingToken() != nullptr) {
      known = e.getOffendingToken()->getTokenIndex() == token;
      token = e.getOffendingToken()->getTokenIndex();
    }
  } catch (antlr4::RecognitionException &) {
  }
  give(*parser, token, known);
}

antlr4::Token *StopAtFirstError::recoverInline(antlr4::Parser *parser) {
  give(*parser, parser->getCurrentToken()->getTokenIndex(), true);
}

void StopAtFirstError::sync(antlr4::Parser *parser) {
  const auto &atn = parser->getATN();
  auto next = atn.nextTokens(atn.states[parser->getState()]);
  if (!next.contains(antlr4::Token::EPSILON) && !next.contains(parser->getTokenStream()->LA(1)))
    give(*parser, parser->getCurrentToken()->getTokenIndex(), true);
}

source::Span spanOf(const antlr4::Token &token, const source::MappedText &text) {
  auto begin = static_cast<std::uint32_t>(token.getStartIndex());
  auto end = static_cast<std::uint32_t>(token.getStopIndex() + 1);
  if (token.getType() == P::BODY)
    end = begin + 1; // its opening brace is enough
  return text.locate(begin, end);
}

std::string nameOf(const antlr4::Token &token, const source::MappedText &text) {
  std::size_t begin = token.getStartIndex(), end = token.getStopIndex() + 1;
  switch (token.getType()) {
  case antlr4::Token::EOF:
    return "the end of the file";
  case P::BODY:
    return "a body";
  case P::RAW:
    return "a raw block";
  case P::RBRACE:
  case P::END_STEPS:
    return "`}`";
  default:
    return "`" + text.text.substr(begin, end - begin) + "`";
  }
}

std::string meantClause(std::string_view word) {
  return nearest(word, {"transform", "function", "main", "memoized", "from", "to", "through", "using",
                        "template", "param", "parameter", "accuracy_metric", "accuracy_bins",
                        "accuracy_variable", "generator", "input_feature", "scaled_by", "tunable", "config"});
}

void complain(const Stop &stop, P &parser, const source::MappedText &text, source::Diagnostics &diagnostics) {
  antlr4::TokenStream &tokens = *parser.getTokenStream();
  const antlr4::Token &found = *tokens.get(stop.token);
  if (found.getType() == P::BROKEN)
    return;
  const antlr4::Token *before = stop.token > 0 ? tokens.get(stop.token - 1) : nullptr;
  if (before != nullptr && before->getType() == P::BROKEN)
    return;
  const std::size_t type = found.getType();
  const Span where = spanOf(found, text);
  auto has = [&](std::size_t wanted) { return stop.expected.contains(wanted); };

  if (type == P::COMMA && has(P::BODY) && followsWhere(tokens, stop.token)) {
    diagnostics.error(where, "the conditions of a `where` are joined by `and`, not by `,`");
    return;
  }

  const std::size_t rule = stop.rules.empty() ? static_cast<std::size_t>(P::RuleProgram) : stop.rules.front();
  if (has(P::END_STEPS) || rule == P::RuleScriptFile || rule == P::RuleSteps) {
    const bool isAfterStep = before != nullptr && before->getType() == P::RPAREN;
    auto &error =
        diagnostics.error(where, std::string("expected ") +
                                     (isAfterStep ? "`;` between two steps" : "a step, such as `vector(x)`") +
                                     ", found " + nameOf(found, text));
    if (isAfterStep && type == P::ID)
      error.help("is a semicolon missing before " + nameOf(found, text) + "?");
    return;
  }

  auto written = [&](const antlr4::Token &token) {
    return text.text.substr(token.getStartIndex(), token.getStopIndex() + 1 - token.getStartIndex());
  };
  std::string subject = stop.subject ? written(*tokens.get(*stop.subject)) : "";
  std::string wanted = expectation(stop, parser.getVocabulary());
  std::string place = reading(stop, subject);
  std::string message = wanted.empty() ? "unexpected " + nameOf(found, text) : "expected " + wanted;
  if (!place.empty())
    message += " " + place;
  if (!wanted.empty())
    message += ", found " + nameOf(found, text);
  auto &error = diagnostics.error(where, message);

  std::string word = type == P::ID ? written(found) : "";
  std::vector<std::string_view> keywords;
  for (auto [wantedType, keyword] : {std::pair<std::size_t, std::string_view>{P::FROM, "from"},
                                     {P::TO, "to"},
                                     {P::THROUGH, "through"},
                                     {P::USING, "using"},
                                     {P::WHERE, "where"},
                                     {P::GPU, "gpu"},
                                     {P::FOR, "for"},
                                     {P::ON, "on"},
                                     {P::AND, "and"},
                                     {P::OR, "or"}})
    if (has(wantedType))
      keywords.push_back(keyword);
  std::string meant = word.empty() ? "" : nearest(word, keywords);
  // `primry B.cell(i)`: the word that was read as the outputs was meant to be a flag.
  bool afterFirstName =
      before != nullptr && before->getType() == P::ID && stop.rules.size() == 1 && has(P::BODY);
  std::string flag =
      afterFirstName ? nearest(written(*before), {"primary", "secondary", "priority", "rotatable",
                                                  "recursive", "duplicate", "rule", "fast", "schedule", "to"})
                     : "";
  if (!meant.empty())
    error.help("did you mean `" + meant + "`?");
  else if (!flag.empty())
    error.help("did you mean `" + flag + "`?");
  else if (type == P::EQUAL && has(P::COMMA) && !within(stop, P::RuleMatrix) && !within(stop, P::RuleRegion))
    error.help("a default value is given with a single `=`");
  else if (has(P::DOT) && within(stop, P::RuleRulePart) && !within(stop, P::RuleRegion))
    error.help("an entry of a library is written with both names, as in `gpu cublas.gemm(c, a, b)`");
  else if (isComparison(type) && has(P::BODY) && followsWhere(tokens, stop.token))
    error.help("one condition compares two expressions: `0 < i and i < 5`");
  else if (within(stop, P::RuleBinding) && before != nullptr && before->getType() == P::ASSIGN)
    error.help("after the `=` stands the value that the cell has outside of the matrix, as in `= 0`");
  else if (has(P::COMMA) && (!word.empty() || type == P::INT))
    error.help("is a comma missing before " + nameOf(found, text) + "?");
  else if (within(stop, P::RuleBinding) && has(P::ID) && (type == P::COMMA || type == P::RPAREN))
    error.help("say how the body calls this region: `" + (subject.empty() ? "A" : subject) + " name`");
  else if (before != nullptr && before->getType() == P::COMMA && type != P::ID)
    error.help("the comma before it promises one more");
  else if (type == P::BODY && within(stop, P::RuleOutputs))
    error.help("a `(` is not closed");
  else if (type == P::ASSIGN && within(stop, P::RuleCall))
    error.help("the labels of the loops that a step makes stand in parentheses: `(" + subject + ") = ...`");
}

} // namespace pbc::syntax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/expression_limit.h"
#include "PbccParser.h"
#include <string>

namespace pbc::syntax {

using pbc_grammar::PbccParser;

namespace {

bool isKeyword(std::size_t type) { return type >= PbccParser::TRANSFORM && type <= PbccParser::WHERE; }

bool isOperandsEnd(std::size_t type) {
  return type == PbccParser::ID || type == PbccParser::INT || type == PbccParser::FLOAT ||
         type == PbccParser::RPAREN || type == PbccParser::RBRACKET || type == PbccParser::GREATER ||
         isKeyword(type);
}

} // namespace

bool ExpressionLimit::take(std::size_t type, std::size_t last) {
  switch (type) {
  case PbccParser::LPAREN:
  case PbccParser::LBRACKET:
    ++nesting_;
    break;
  case PbccParser::RPAREN:
  case PbccParser::RBRACKET:
    nesting_ -= nesting_ > 0;
    break;
  case PbccParser::COMMA:
  case PbccParser::SEMI:
  case PbccParser::ASSIGN:
  case PbccParser::EQUAL:
  case PbccParser::NOT_EQUAL:
  case PbccParser::LESS:
  case PbccParser::GREATER:
  case PbccParser::LESS_EQUAL:
  case PbccParser::GREATER_EQUAL:
  case PbccParser::AND:
  case PbccParser::OR:
    length_ = 0;
    isReported_ = isTooDeep() && isReported_;
    break;
  default: // no expression has two names in a row: a new clause, flag or declaration begins
    if ((type == PbccParser::ID || isKeyword(type)) && isOperandsEnd(last)) {
      length_ = 0;
      isReported_ = false;
    }
  }
  ++length_;
  return !isTooDeep() && length_ <= longestExpression && !isReported_;
}

void ExpressionLimit::report(const source::Span &span, source::Diagnostics &diagnostics) {
  if (isReported_)
    return;
  isReported_ = true;
  diagnostics.error(span, isTooDeep()
                              ? "parentheses are nested more than " + std::to_string(deepestNesting) + " deep"
                              : "this expression is longer than " + std::to_string(longestExpression) +
                                    " names, numbers and signs");
}

} // namespace pbc::syntax

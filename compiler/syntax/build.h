// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds the syntax tree from ANTLR's parse tree.
//
// Each function takes one piece that was parsed without error, so that a unit with a mistake in one place can
// still be built from its other pieces. Errors that the grammar cannot express are reported here: unknown
// accessors, numbers out of range, mixed literals of a tunable, a repeated `main`.
#pragma once
#include "PbccParser.h"
#include "compiler/script/adaptor.h"
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::syntax {

class Builder {
public:
  using P = pbc_grammar::PbccParser;
  Builder(const source::MappedText &text, source::Diagnostics &diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  Transform unit(P::UnitContext &);
  RawBlock raw(const antlr4::Token &);
  void head(Transform &, const antlr4::Token &keyword, P::NameContext &);
  void clause(Transform &, P::ClauseContext &);
  Rule rule(P::RuleDeclContext &);
  /// A rule from one `{...}` of a function: it computes all `to` and `through` matrices from all `from`
  /// matrices.
  Rule functionRule(const Transform &, const antlr4::Token &body);
  Schedule schedule(P::ScheduleDeclContext &);
  Structure structure(P::StructureDeclContext &);
  Let let(P::LetDeclContext &);
  script::Script steps(P::StepsContext &);
  script::Adaptor adaptor(P::AdaptorDeclContext &);
  script::Adaptation adaptation(P::AdaptationContext &);

  Span spanOf(const antlr4::Token &) const;
  Span spanOf(const antlr4::ParserRuleContext &) const;
  std::string textOf(const antlr4::Token &) const;

private:
  Identifier identifier(antlr4::ParserRuleContext &) const;
  void params(Transform &, P::ParamClauseContext &);
  MatrixDecl matrix(P::MatrixContext &);
  Version version(P::VersionContext &);
  ExprPtr expr(P::ExprContext &);
  Region region(P::RegionContext &);
  Region binding(P::BindingContext &);
  Region::Accessor accessor(P::AccessorContext &);
  Condition condition(P::ConditionContext &);
  Condition literal(P::LiteralContext &);
  Relation relation(P::RelationContext &);
  Flag flag(P::FlagContext &);
  void part(Rule &, P::RulePartContext &);
  Body body(const antlr4::Token &) const;
  script::Step step(P::StepContext &);
  script::StepParameter stepParameter(P::StepParameterContext &);
  script::Condition condition(const antlr4::Token &, const script::Adaptor &);
  script::Value value(P::ValueContext &);
  script::Sum sum(P::SumContext &);
  Item item(P::ItemClauseContext &);
  void modifier(Item &, P::ModifierContext &);
  void decideType(Item &, std::initializer_list<std::optional<Literal> *> values);
  Literal literal(P::NumberContext &);
  long integer(const antlr4::ParserRuleContext &);
  void once(bool already, const antlr4::ParserRuleContext &, const char *word);

  const source::MappedText &text_;
  source::Diagnostics &diagnostics_;
  std::size_t fractionalParams_ = 0; // of the transform that is read
};

} // namespace pbc::syntax

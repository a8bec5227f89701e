// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds rules, regions and expressions. Headers are in build.cpp.
#include "compiler/syntax/build.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>

namespace pbc::syntax {

Rule Builder::rule(P::RuleDeclContext &context) {
  Rule made;
  for (auto *f : context.flag())
    made.flags.push_back(flag(*f));
  P::OutputsContext &outputs = *context.outputs();
  made.returnStyle = outputs.region() != nullptr;
  if (made.returnStyle)
    made.outputs.push_back(region(*outputs.region()));
  if (outputs.OLD())
    made.outputs.back().old = spanOf(*outputs.OLD()->getSymbol());
  if (auto *accumulation = outputs.accumulation())
    made.accumulation = {accumulation->ADD_ASSIGN()        ? Accumulation::Kind::Add
                         : accumulation->SUBTRACT_ASSIGN() ? Accumulation::Kind::Subtract
                                                           : Accumulation::Kind::Multiply,
                         spanOf(*accumulation)};
  for (auto *b : outputs.binding())
    made.outputs.push_back(binding(*b));
  for (auto *p : context.rulePart())
    part(made, *p);
  const antlr4::Token &braces = *context.BODY()->getSymbol();
  made.body = body(braces);
  auto begin = static_cast<std::uint32_t>(context.start->getStartIndex());
  auto bodyBegin = static_cast<std::uint32_t>(braces.getStartIndex());
  while (bodyBegin > begin && static_cast<unsigned char>(text_.text[bodyBegin - 1]) <= ' ')
    --bodyBegin;
  made.headerSpan = text_.locate(begin, bodyBegin);
  made.span = text_.locate(begin, static_cast<std::uint32_t>(braces.getStopIndex() + 1));
  return made;
}

Rule Builder::functionRule(const Transform &function, const antlr4::Token &braces) {
  Rule made;
  auto whole = [](const MatrixDecl &declared) {
    Region region;
    region.matrix = declared.name;
    region.name = declared.name;
    region.span = region.accessorSpan = declared.name.span;
    return region;
  };
  for (const auto *list : {&function.to, &function.through})
    for (const MatrixDecl &declared : *list)
      made.outputs.push_back(whole(declared));
  for (const MatrixDecl &declared : function.from)
    if (std::none_of(function.to.begin(),
                     function.to.end(), // what it updates has its values before the call in the output
                     [&](const MatrixDecl &to) { return to.name.text == declared.name.text; }))
      made.inputs.push_back(whole(declared));
  made.body = body(braces);
  made.span = made.body.span;
  made.headerSpan = function.name.span;
  return made;
}

Body Builder::body(const antlr4::Token &braces) const {
  auto begin = static_cast<std::uint32_t>(braces.getStartIndex());
  auto end = static_cast<std::uint32_t>(braces.getStopIndex() + 1);
  return {text_.slice(begin + 1, end - 1), text_.locate(begin, end)};
}

void Builder::part(Rule &made, P::RulePartContext &context) {
  if (auto *inputs = dynamic_cast<P::InputPartContext *>(&context)) {
    for (auto *b : inputs->binding())
      made.inputs.push_back(binding(*b));
  } else if (auto *locals = dynamic_cast<P::LocalPartContext *>(&context)) {
    for (auto *m : locals->matrix())
      made.locals.push_back(matrix(*m));
  } else if (auto *where = dynamic_cast<P::WherePartContext *>(&context)) {
    Condition all = condition(*where->condition());
    if (all.kind == Condition::Kind::All)
      made.where = std::move(all.parts);
    else
      made.where.push_back(std::move(all));
  } else if (auto *gpu = dynamic_cast<P::GpuPartContext *>(&context)) {
    LibraryCall call;
    call.span = spanOf(*gpu);
    const Identifier library = identifier(*gpu->name(0)), function = identifier(*gpu->name(1));
    call.entry = {library.text + "." + function.text,
                  text_.locate(static_cast<std::uint32_t>(gpu->name(0)->start->getStartIndex()),
                               static_cast<std::uint32_t>(gpu->name(1)->stop->getStopIndex() + 1))};
    for (std::size_t k = 2; k < gpu->name().size(); ++k)
      call.arguments.push_back(identifier(*gpu->name(k)));
    made.library.push_back(std::move(call));
  }
}

Flag Builder::flag(P::FlagContext &context) {
  Flag made;
  made.span = spanOf(context);
  made.kind = context.PRIMARY()     ? Flag::Kind::Primary
              : context.SECONDARY() ? Flag::Kind::Secondary
              : context.ROTATABLE() ? Flag::Kind::Rotatable
              : context.FAST()      ? Flag::Kind::Fast
              : context.PRIORITY()  ? Flag::Kind::Priority
              : context.RECURSIVE() ? Flag::Kind::Recursive
              : context.DUPLICATE() ? Flag::Kind::Duplicate
                                    : Flag::Kind::Label;
  if (context.name())
    made.name = identifier(*context.name());
  if (context.expr())
    made.value = expr(*context.expr());
  if (made.kind == Flag::Kind::Duplicate) {
    made.low = integer(*context.integer(0));
    made.high = integer(*context.integer(1));
  }
  return made;
}

Region Builder::binding(P::BindingContext &context) {
  Region made = region(*context.region());
  if (context.OLD())
    made.old = spanOf(*context.OLD()->getSymbol());
  made.name = identifier(*context.name());
  if (context.expr())
    made.defaultValue = expr(*context.expr());
  made.span = spanOf(context);
  return made;
}

Region Builder::region(P::RegionContext &context) {
  Region made;
  made.matrix = identifier(*context.name());
  if (context.version())
    made.version = version(*context.version());
  made.span = spanOf(context);
  made.accessorSpan = made.matrix.span;
  if (!context.accessor())
    return made;
  made.accessor = accessor(*context.accessor());
  made.accessorSpan = text_.locate(static_cast<std::uint32_t>(context.accessor()->start->getStartIndex()),
                                   static_cast<std::uint32_t>(context.stop->getStopIndex() + 1));
  for (auto *coordinate : context.expr())
    made.coordinates.push_back(expr(*coordinate));
  return made;
}

Region::Accessor Builder::accessor(P::AccessorContext &context) {
  std::string word = textOf(*context.start);
  if (word == "cell")
    return Region::Accessor::Cell;
  if (word == "row")
    return Region::Accessor::Row;
  if (word == "col" || word == "column")
    return Region::Accessor::Column;
  if (word == "region")
    return Region::Accessor::Region;
  if (word != "all") {
    auto &error = diagnostics_.error(spanOf(context), "unknown accessor `." + word + "`");
    std::string meant = nearest(word, {"cell", "row", "col", "column", "region", "all"});
    if (!meant.empty())
      error.help("did you mean `." + meant + "`?");
    error.help("the accessors of a rule header are: cell, row, column (col), region, all");
  }
  return Region::Accessor::Whole;
}

Condition Builder::condition(P::ConditionContext &context) {
  Condition any{Condition::Kind::Any, {}, {}, spanOf(context)};
  for (auto *c : context.conjunction()) {
    Condition all{Condition::Kind::All, {}, {}, spanOf(*c)};
    for (auto *l : c->literal())
      all.parts.push_back(literal(*l));
    any.parts.push_back(all.parts.size() == 1 ? std::move(all.parts.front()) : std::move(all));
  }
  return any.parts.size() == 1 ? Condition(any.parts.front()) : any;
}

Condition Builder::literal(P::LiteralContext &context) {
  if (context.condition()) {
    Condition made = condition(*context.condition());
    made.span = spanOf(context);
    return made;
  }
  if (context.relation())
    return {Condition::Kind::Relation, relation(*context.relation()), {}, spanOf(context)};
  return {Condition::Kind::Not, {}, {literal(*context.literal())}, spanOf(context)};
}

Relation Builder::relation(P::RelationContext &context) {
  Relation::Op op = context.LESS()            ? Relation::Op::Less
                    : context.NOT_EQUAL()     ? Relation::Op::NotEqual
                    : context.GREATER()       ? Relation::Op::Greater
                    : context.LESS_EQUAL()    ? Relation::Op::LessEqual
                    : context.GREATER_EQUAL() ? Relation::Op::GreaterEqual
                                              : Relation::Op::Equal;
  return {op, expr(*context.expr(0)), expr(*context.expr(1)), spanOf(context)};
}

ExprPtr Builder::expr(P::ExprContext &context) {
  if (context.LPAREN())
    return expr(*context.expr(0));
  if (context.PLUS() && context.expr().size() == 1) // the sign of `+1.5` changes nothing
    return expr(*context.expr(0));
  auto made = std::make_shared<Expr>();
  made->span = spanOf(context);
  for (auto *operand : context.expr())
    made->operands.push_back(expr(*operand));
  if (made->operands.empty()) {
    made->kind = context.INT() ? Expr::Kind::Integer : context.FLOAT() ? Expr::Kind::Float : Expr::Kind::Name;
    made->text = textOf(*context.start);
  } else if (made->operands.size() == 1) {
    made->kind = Expr::Kind::Negate;
  } else {
    made->kind = context.POWER()   ? Expr::Kind::Power
                 : context.STAR()  ? Expr::Kind::Multiply
                 : context.SLASH() ? Expr::Kind::Divide
                 : context.PLUS()  ? Expr::Kind::Add
                                   : Expr::Kind::Subtract;
  }
  return made;
}

} // namespace pbc::syntax

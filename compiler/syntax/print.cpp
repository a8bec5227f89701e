// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/parse.h"
#include <cstdio>

namespace pbc::syntax {

namespace {

int strength(Expr::Kind kind) {
  switch (kind) {
  case Expr::Kind::Add:
  case Expr::Kind::Subtract:
    return 1;
  case Expr::Kind::Multiply:
  case Expr::Kind::Divide:
    return 2;
  case Expr::Kind::Negate:
    return 3;
  case Expr::Kind::Power:
    return 4;
  default:
    return 5;
  }
}

const char *sign(Expr::Kind kind) {
  switch (kind) {
  case Expr::Kind::Add:
    return " + ";
  case Expr::Kind::Subtract:
    return " - ";
  case Expr::Kind::Multiply:
    return " * ";
  case Expr::Kind::Divide:
    return " / ";
  case Expr::Kind::Power:
    return "^";
  default:
    return "";
  }
}

/// Adds parentheses if `e` binds less than `needed`.
void write(std::string &out, const Expr &e, int needed) {
  int own = strength(e.kind);
  if (own < needed)
    out += '(';
  if (e.operands.empty()) {
    out += e.text;
  } else if (e.kind == Expr::Kind::Negate) {
    out += '-';
    write(out, *e.operands[0], own);
  } else {
    bool toTheRight = e.kind == Expr::Kind::Power;
    write(out, *e.operands[0], toTheRight ? own + 1 : own);
    out += sign(e.kind);
    // A sign after an operator would be hard to read, so it gets parentheses: `a - (-b)`.
    bool signedOperand = e.operands[1]->kind == Expr::Kind::Negate;
    write(out, *e.operands[1], signedOperand ? 5 : toTheRight ? own : own + 1);
  }
  if (own < needed)
    out += ')';
}

std::string list(const std::vector<ExprPtr> &all) {
  std::string out;
  for (const ExprPtr &e : all)
    out += (out.empty() ? "" : ", ") + print(*e);
  return out;
}

std::string number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  double shorter = 0;
  char brief[40];
  std::snprintf(brief, sizeof brief, "%.15g", value);
  return std::sscanf(brief, "%lf", &shorter) == 1 && shorter == value ? brief : buffer;
}

std::string versionText(const std::optional<Version> &version) {
  if (!version)
    return {};
  return "<" + print(*version->first) + (version->last ? ".." + print(*version->last) : "") + ">";
}

std::string matrixText(const MatrixDecl &m) {
  return m.name.text + versionText(m.version) + (m.extents.empty() ? "" : "[" + list(m.extents) + "]") +
         (m.element ? " : " + m.element->text : "");
}

std::string regionText(const Region &r) {
  static const char *const accessors[] = {"", "cell", "row", "column", "region"};
  std::string out = (r.old ? "old " : "") + r.matrix.text + versionText(r.version);
  if (r.accessor != Region::Accessor::Whole)
    out += std::string(".") + accessors[static_cast<int>(r.accessor)] + "(" + list(r.coordinates) + ")";
  if (r.name)
    out += " as " + r.name->text;
  if (r.defaultValue)
    out += " or " + print(*r.defaultValue);
  return out;
}

std::string relationText(const Relation &r) {
  static const char *const signs[] = {" == ", " != ", " < ", " > ", " <= ", " >= "};
  return print(*r.left) + signs[static_cast<int>(r.op)] + print(*r.right);
}

std::string conditionText(const Condition &c) {
  if (c.kind == Condition::Kind::Relation)
    return relationText(*c.relation);
  if (c.kind == Condition::Kind::Not)
    return "not " + conditionText(c.parts.front());
  std::string out;
  for (const Condition &part : c.parts)
    out += (out.empty() ? "" : c.kind == Condition::Kind::Any ? " or " : " and ") + conditionText(part);
  return "(" + out + ")";
}

std::string flagText(const Flag &f) {
  static const char *const words[] = {"primary",   "secondary", "priority", "rotatable",
                                      "recursive", "duplicate", "label",    "fast"};
  std::string out = words[static_cast<int>(f.kind)];
  if (f.name)
    out += " " + f.name->text;
  if (f.kind == Flag::Kind::Duplicate)
    out += " " + std::to_string(f.low) + " " + std::to_string(f.high);
  return out + (f.value ? " " + print(*f.value) : "");
}

std::string itemText(const Item &i) {
  static const char *const kinds[] = {"tunable", "config", "accuracy_variable"};
  std::string out = std::string(kinds[static_cast<int>(i.kind)]) + " " + i.name.text;
  out += i.isFloat ? " float" : " integer";
  out += i.sizeSpecific ? " sizespecific" : "";
  out += i.accuracyHint ? " accuracyhint" : "";
  if (i.arrayLength)
    out += " array " + std::to_string(*i.arrayLength);
  auto value = [&](const char *word, const std::optional<Literal> &literal) {
    if (literal)
      out += std::string(" ") + word + " " + number(literal->value);
  };
  value("initial", i.initial);
  value("min", i.minimum);
  value("max", i.maximum);
  return out;
}

/// The bytes, with those that would break a line written as escapes.
std::string quotedText(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c != '\r')
      out += c;
  }
  return out + "\"";
}

class Printer {
public:
  std::string out;

  void line(int depth, const std::string &text) { out += std::string(depth * 2, ' ') + text + "\n"; }

  void transform(const Transform &t) {
    static const char *const names[] = {"accuracy_metric", "generator", "input_feature", "scaled_by",
                                        "param"};
    line(0, std::string(t.isFunction ? "function " : "transform ") + t.name.text + (t.isMain ? " main" : "") +
                (t.isMemoized ? " memoized" : "") + (t.isForward ? " forward" : ""));
    for (const TemplateArgument &a : t.templateArguments)
      line(1, "template " + a.name.text + " " + std::to_string(a.low) + " " + std::to_string(a.high));
    for (const MatrixDecl &m : t.from)
      line(1, "from " + matrixText(m));
    for (const MatrixDecl &m : t.to)
      line(1, "to " + matrixText(m));
    for (const MatrixDecl &m : t.through)
      line(1, "through " + matrixText(m));
    for (const NameClause &n : t.names)
      line(1, std::string(names[static_cast<int>(n.kind)]) + " " + n.name.text);
    if (!t.accuracyBins.empty()) {
      std::string bins = "accuracy_bins";
      for (double bin : t.accuracyBins)
        bins += " " + number(bin);
      line(1, bins);
    }
    for (const Item &i : t.items)
      line(1, itemText(i));
    for (const Rule &r : t.rules)
      rule(r);
    for (const Schedule &s : t.schedules)
      schedule(s);
    for (const Structure &s : t.structures)
      structure(s);
    for (const Let &l : t.lets)
      line(1, "let " + l.name.text + (l.element ? " : " + l.element->text : "") + " = " +
                  quotedText(l.value.text));
  }

  void rule(const Rule &r) {
    static const char *const accumulations[] = {"rule adds", "rule subtracts", "rule multiplies"};
    line(1, r.accumulation  ? accumulations[static_cast<int>(r.accumulation->kind)]
            : r.returnStyle ? "rule returns"
                            : "rule");
    for (const Flag &f : r.flags)
      line(2, "flag " + flagText(f));
    for (const Region &o : r.outputs)
      line(2, "output " + regionText(o));
    for (const Region &i : r.inputs)
      line(2, "input " + regionText(i));
    for (const MatrixDecl &m : r.locals)
      line(2, "local " + matrixText(m));
    for (const Condition &c : r.where)
      line(2, "where " + conditionText(c));
    for (const LibraryCall &c : r.library) {
      std::string arguments;
      for (const Identifier &a : c.arguments)
        arguments += (arguments.empty() ? "" : ", ") + a.text;
      line(2, "gpu " + c.entry.text + "(" + arguments + ")");
    }
    line(2, "body " + quotedText(r.body.text.text));
  }

  void structure(const Structure &s) {
    std::string kinds;
    for (const Structure::Kind &kind : s.kinds) {
      kinds += kinds.empty() ? "" : ",";
      for (const Identifier &word : kind.words)
        kinds += " " + word.text;
      std::string arguments;
      for (const ExprPtr &argument : kind.arguments)
        arguments += (arguments.empty() ? "" : ", ") + print(*argument);
      kinds += arguments.empty() ? "" : "(" + arguments + ")";
    }
    line(1, "structure " + s.matrix.text + " is" + kinds);
  }

  void schedule(const Schedule &s) {
    std::string rules;
    for (const Identifier &r : s.rules)
      rules += (rules.empty() ? "" : " + ") + r.text;
    line(1, "schedule " + s.name.text + " for " + rules + (s.device ? " on " + s.device->text : ""));
    for (const script::Step &step : s.steps)
      line(2, "step " + script::text(step));
  }
};

} // namespace

std::string print(const Expr &e) {
  std::string out;
  write(out, e, 0);
  return out;
}

std::string print(const Program &program) {
  Printer printer;
  for (const RawBlock &raw : program.rawBlocks)
    printer.line(0, "raw " + quotedText(raw.text.text));
  for (const Transform &t : program.transforms)
    printer.transform(t);
  return printer.out;
}

} // namespace pbc::syntax

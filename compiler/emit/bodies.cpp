// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/devices.h"
#include "compiler/emit/in_callers.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/parts.h"
#include <algorithm>

namespace pbc::emit {

namespace {

enum class Form { Sequential, Coroutine };

/// The name of the table entry that says where the rule's body is, for --bounds-check.
std::string checkedName(const sema::Rule &rule) { return fmt::format("pb_checked_{}", rule.index); }

/// Whether --bounds-check asks for that entry.
bool isChecked(const Scope &scope, const sema::Rule &rule) {
  return scope.input.checksBounds && scope.input.sources && !rule.body->text.text.empty();
}

/// What runs other rules' bodies, after which this rule's body goes on.
std::string thenBack(const Scope &scope, const sema::Rule &rule, const std::string &code) {
  return isChecked(scope, rule) ? fmt::format("({}, pb::pb_enter_rule(&{}))", code, checkedName(rule)) : code;
}

/// The body's text with its calls, spawns, syncs and returns rewritten for one form.
std::string rewritten(const Scope &scope, const sema::Rule &rule, Form form) {
  const std::string &text = rule.body->text.text;
  const body::Facts &facts = scope.facts()[rule.index];
  using Kind = body::Edit::Kind;
  const bool spawns = std::any_of(facts.edits.begin(), facts.edits.end(),
                                  [](const body::Edit &e) { return e.kind == Kind::Spawn; });
  const std::string join = spawns ? "co_await pb_scope.sync(); " : "";
  // A call without a bin means the current bin, if it calls the transform itself; for another transform it
  // means the least accurate bin.
  const auto bin = [&](const body::Edit &e) -> std::string {
    const auto &callee = *scope.input.module.find(e.callee);
    if (!callee.hasBins() || e.argumentCount != callee.argumentCount())
      return "";
    return callee.index == scope.transform.index ? "pb_f.bin, " : "0, ";
  };
  // Passes no params, but says whether its results may stay on devices.
  const char *const stays = callsStay(scope, rule.index) ? ", nullptr, true" : "";
  const auto back = [&](const std::string &code) { return thenBack(scope, rule, code); };
  std::string out;
  std::uint32_t at = 0;
  for (const auto &e : facts.edits) {
    out += text.substr(at, e.begin - at);
    at = e.end;
    const std::string arguments = text.substr(
        e.argumentsBegin, e.argumentsEnd > e.argumentsBegin ? e.argumentsEnd - e.argumentsBegin : 0);
    switch (e.kind) {
    case Kind::Call:
    case Kind::Spawn:
      if (form == Form::Sequential)
        out +=
            back(fmt::format("pb_{}_{}(pb_f.depth + 1, {}{})",
                             standsInCallers(scope, e.callee) ? "call" : "seq", e.callee, bin(e), arguments));
      else if (e.kind == Kind::Call)
        out += back(fmt::format("co_await pb_{}_{}(pb_f.depth + 1, {}{}{})",
                                standsInCallers(scope, e.callee) ? "await" : "par", e.callee, bin(e),
                                arguments, stays));
      else
        out += back(fmt::format("pb_scope.spawn(pb_par_{}(pb_f.depth + 1, {}{}{}))", e.callee, bin(e),
                                arguments, stays));
      break;
    case Kind::Sync:
      out += form == Form::Sequential || !spawns ? "(void)0" : back("co_await pb_scope.sync()");
      break;
    case Kind::Verify:
      out += back("pb_verify(pb_f)");
      break;
    case Kind::Return: {
      const std::string whole = text.substr(e.begin, e.end - e.begin);
      const std::string value = whole.substr(std::min<std::size_t>(6, whole.size()));
      if (form == Form::Sequential)
        out += whole;
      else if (rule.returnStyle)
        out += fmt::format("do {{ pb_result = ({}); {}co_return; }} while (0)", value, join);
      else
        out += fmt::format("do {{ {}co_return; }} while (0)", join);
      break;
    }
    }
  }
  out += text.substr(at);
  if (form == Form::Coroutine)
    out += fmt::format("\n  {}co_return;", join);
  return (form == Form::Coroutine && spawns ? "pb::SpawnScope pb_scope;" : "") +
         lineOf(scope.input, rule.body->text) + out;
}

class BodyPrinter {
public:
  BodyPrinter(const Scope &scope, const body::RuleText &text)
      : scope_(scope), t_(scope.transform), rule_(t_.rules[text.rule]), text_(text) {}

  std::string print(Form form) const {
    const bool isCoroutine = form == Form::Coroutine;
    std::string out =
        fmt::format("static {} {}(const {} &pb_f{}) {{\n", isCoroutine ? "pb::Job" : "inline void",
                    isCoroutine ? coroutineName(rule_.index) : bodyName(rule_.index), scope_.frame(),
                    parameters(isCoroutine));
    if (forwards(isCoroutine))
      return out + fmt::format("  {}(pb_f{});\n  co_return;\n}}\n\n", bodyName(rule_.index), arguments());
    if (isChecked(scope_, rule_))
      out += fmt::format("  pb::pb_enter_rule(&{});\n", checkedName(rule_));
    out += definitions();
    const std::string text = (rule_.fast ? kReassociate : "") + rewritten(scope_, rule_, form);
    if (rule_.returnStyle && !isCoroutine)
      return out + fmt::format("  pb_result = [&]() -> {} {{\n{}\n{}  }}();\n}}\n\n", resultType(), text,
                               scope_.facts()[rule_.index].keepsCell ? "  return pb_result;\n" : "");
    return out + "  {\n" + text + "\n  }\n}\n\n";
  }

private:
  /// If a body cannot be a coroutine, its coroutine calls the plain form.
  bool forwards(bool isCoroutine) const { return isCoroutine && !scope_.facts()[rule_.index].isResumable; }

  std::string resultType() const { return sema::cxxType(t_.matrices[rule_.outputs[0].matrix].element); }

  bool declares(body::Parameter::Role role, int index) const {
    return std::any_of(text_.parameters.begin(), text_.parameters.end(),
                       [&](const body::Parameter &p) { return p.role == role && p.index == index; });
  }

  /// Coordinates first, then bindings: the order in which kernels and point loops pass them.
  std::string parameters(bool isCoroutine) const {
    std::string out;
    for (std::size_t i = 0; i < rule_.freeVariables.size(); ++i)
      out += fmt::format(", const pb::IndexT {}",
                         declares(body::Parameter::Role::Coordinate, static_cast<int>(i)) ||
                                 forwards(isCoroutine)
                             ? rule_.freeVariables[i]
                             : "");
    if (rule_.returnStyle)
      out += fmt::format(", {} &pb_result", resultType());
    for (const auto &p : text_.parameters) {
      if (p.role != body::Parameter::Role::Binding)
        continue;
      std::string type = p.type;
      // A coroutine outlives the expression that makes its views, so it keeps copies.
      if (isCoroutine && type.ends_with("const &"))
        type.resize(type.size() - 1);
      out += fmt::format(", {} {}", type, p.name);
    }
    return out;
  }

  /// The arguments with which this form calls the rule's other form.
  std::string arguments() const {
    std::string out;
    for (const auto &v : rule_.freeVariables)
      out += ", " + v;
    if (rule_.returnStyle)
      out += ", pb_result";
    for (const auto &p : text_.parameters)
      if (p.role == body::Parameter::Role::Binding)
        out += ", " + p.name;
    return out;
  }

  std::string definitions() const {
    using Role = body::Parameter::Role;
    std::string out;
    for (const auto &p : text_.parameters)
      switch (p.role) {
      case Role::Binding:
      case Role::Coordinate:
        break;
      case Role::Input:
        out += fmt::format("  {} {} = pb_f.m_{}.cell();\n", p.type, p.name, poly::mangle(p.name));
        break;
      case Role::Size:
        out += fmt::format("  {} {} = static_cast<int>(pb_f.v_{});\n", p.type, p.name, poly::mangle(p.name));
        break;
      case Role::Tunable:
        out += fmt::format("  {} {} = pb_f.v_{};\n", p.type, p.name, poly::mangle(p.name));
        break;
      case Role::Constant:
        out += fmt::format("  {} {} = {};\n", p.type, p.name, p.value);
        break;
      case Role::LocalMatrix:
        out += localMatrix(scope_, rule_, rule_.locals[p.index]);
        break;
      }
    return out;
  }

  const Scope &scope_;
  const sema::Transform &t_;
  const sema::Rule &rule_;
  const body::RuleText &text_;
};

/// Whether some plan runs the rule's body as text: it could not be lifted, a kernel kept it whole (an index
/// that is not affine), or it is in one strongly connected group with a body that calls transforms.
bool runsAsText(const Scope &scope, int rule) {
  const auto &plans = scope.input.plans[scope.transform.index].plans;
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (std::size_t s = 0; s < plans[p].steps.size(); ++s) {
      const auto &kernel = scope.input.kernels[scope.transform.index][p][s];
      if (!kernel) {
        for (const auto &use : plans[p].steps[s].uses)
          if (use.rule == rule)
            return true;
        continue;
      }
      for (const auto &statement : kernel->statements)
        if (statement.isOpaque && statement.rule == rule)
          return true;
    }
  return false;
}

/// The place of the rule's body, for pb_out_of_bounds().
std::string checkedRule(const Scope &scope, const sema::Rule &rule) {
  const source::MappedText &text = rule.body->text;
  if (!isChecked(scope, rule))
    return "";
  const auto size = static_cast<std::uint32_t>(text.text.size());
  const source::Span first = text.locate(0, 1), last = text.locate(size - 1, size);
  const auto line = [&](const source::Span &at) {
    return scope.input.sources->position(at.file, at.begin).line;
  };
  return fmt::format("static const pb::CheckedRule {}({}, {}, {}, {});\n\n", checkedName(rule),
                     quoted(ruleName(scope, rule)), quoted(scope.input.sources->path(first.file)),
                     line(first), std::max(line(first), first.file == last.file ? line(last) : 0));
}

} // namespace

std::string ruleName(const Scope &scope, const sema::Rule &rule) {
  return fmt::format("rule `{}` of `{}`", rule.label.substr(0, rule.label.find('<')), scope.transform.family);
}

std::string placeOf(const Scope &scope, source::Span at) {
  if (!scope.input.sources)
    return "";
  return fmt::format("{}:{}: ", scope.input.sources->path(at.file),
                     scope.input.sources->position(at.file, at.begin).line);
}

std::string bodyName(int rule) { return fmt::format("pb_body_{}", rule); }
std::string coroutineName(int rule) { return fmt::format("pb_body_{}_par", rule); }

std::string bodies(const Scope &scope) {
  std::string out = verifyFunction(scope);
  for (const auto &text : scope.ruleTexts) {
    const auto &facts = scope.facts()[text.rule];
    if (!runsAsText(scope, text.rule))
      continue;
    const BodyPrinter printer(scope, text);
    out += checkedRule(scope, scope.transform.rules[text.rule]);
    out += printer.print(Form::Sequential);
    if (!facts.callees.empty() && !facts.callsInPlace)
      out += printer.print(Form::Coroutine);
  }
  return out;
}

} // namespace pbc::emit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/complaints.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <regex>
#include <set>

namespace pbc::body {
namespace {

/// Clang's message without the names that exist only in the unit.
std::string readable(std::string text) {
  static const std::string assertion = "static assertion failed due to requirement '";
  if (text.starts_with(assertion))
    if (const auto colon = text.find("': ", assertion.size()); colon != std::string::npos)
      text = text.substr(colon + 3);
  static const std::string constraint = "invalid reference to function '";
  if (text.starts_with(constraint) && text.ends_with("constraints not satisfied"))
    return "`" + text.substr(constraint.size(), text.find('\'', constraint.size()) - constraint.size()) +
           "` does not fit a region of this many dimensions";
  static const std::string lambda = "(lambda at ";
  for (auto at = text.find(lambda); at != std::string::npos; at = text.find(lambda, at + 1))
    if (const auto close = text.find(')', at); close != std::string::npos)
      text.replace(at, close + 1 - at, "a lambda");
  for (const char *prefix : {"pb_program::", "::pb_program::", "pb::"})
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
      text.erase(at, std::string(prefix).size());
  return text;
}

std::string describe(const sema::Matrix &m) {
  return m.name + " (" + (m.rank() ? std::to_string(m.rank()) + "-d " : "") + sema::name(m.element) + ")";
}

/// "out (1-d double), in (1-d double)"; and the matrices in the order of a call, null for other parameters.
std::string describe(const sema::Transform &t, std::vector<const sema::Matrix *> &order) {
  std::string text;
  for (const sema::Constant &c : t.constants)
    text += (text.empty() ? "" : ", ") + c.name + " (an integer)", order.push_back(nullptr);
  for (sema::Role role : {sema::Role::Output, sema::Role::Input})
    for (const sema::Matrix &m : t.matrices)
      if (m.role == role && !m.after) {
        text += (text.empty() ? "" : ", ") + describe(m);
        order.push_back(&m);
      }
  return text.empty() ? "nothing" : text;
}

/// "Region<const double, 2>" => "a 2-d double region".
std::string describeType(const std::string &type, const sema::Module &module) {
  static const std::regex region("Region<(const )?([A-Za-z_ ]+), (\\d+)>");
  std::smatch m;
  if (std::regex_search(type, m, region))
    return "a " + m[3].str() + "-d " + (m[2] == "ElementT" ? sema::name(module.element) : m[2].str()) +
           " region" + (m[1].matched ? " that is only read" : "");
  std::string name = type.substr(0, type.find(" (aka"));
  std::erase(name, '\'');
  return "of the type `" + name + "`";
}

class Reporter {
public:
  Reporter(const Unit &unit, const sema::Module &module, source::Diagnostics &d)
      : unit_(unit), module_(module), d_(d) {}

  /// The position in the user's text; else that of the note that refers to it (an instantiation requested in
  /// a body).
  std::optional<Span> where(const Complaint &c) const {
    if (inUserText(c))
      return unit_.locate(c.begin, c.end);
    for (const Complaint &n : c.notes)
      if (inUserText(n))
        return unit_.locate(n.begin, n.end);
    return isInIncluded(c) || c.inUnit ? unit_.locate(c.begin, c.end) : std::nullopt;
  }

  void report(const Complaint &c) {
    if (c.level == Complaint::Level::Note)
      return;
    const auto place = where(c);
    if (c.level == Complaint::Level::Warning && !fallsOff(c)) {
      if (place && inUserText(c))
        addNotes(d_.warning(*place, readable(c.text)), c);
      return;
    }
    if (!place) {
      if (d_.hasErrors())
        return; // it follows from them
      if (c.kind == Complaint::Kind::MissingHeader) {
        d_.error(fallback(), "a header of the system is missing: " + c.text + " (in " + c.file + ")")
            .help("install its package; the headers of C and C++ are in libc6-dev and libstdc++-12-dev");
        return;
      }
      // The error is not in the user's text: a header of the system does not fit, or the unit itself is
      // wrong.
      d_.error(fallback(), "internal error: the rule bodies cannot be read: " + readable(c.text) +
                               (c.file.empty() || c.inUnit ? "" : " (in " + c.file + ")"))
          .help("please report this with the program that shows it");
      return;
    }
    if (isInIncluded(c)) {
      if (included_.insert(c.begin).second) // later errors in the same file mostly result from it
        d_.error(*place, "the file that is included here does not fit: " + c.file + ":" +
                             std::to_string(c.line) + ": " + readable(c.text))
            .help("a raw block includes headers of C or C++");
      return;
    }
    const Unit::Segment *segment = c.inUnit ? &unit_.segment(c.begin) : nullptr;
    const RuleText *rule = segment && segment->rule >= 0 ? &unit_.rules[segment->rule] : nullptr;
    const bool ofRule = rule && c.text.find(rule->function) != std::string::npos;
    if (c.kind == Complaint::Kind::NoMatchingCall && segment && badCall(c, *place))
      return;
    if (c.kind == Complaint::Kind::AssignsConstant && segment && segment->text && constantAssigned(c, *place))
      return;
    if (c.kind == Complaint::Kind::ReturnHasValue && ofRule) {
      d_.error(*place, "the body of a `to` rule returns no value")
          .note(ruleOf(*rule).headerSpan, "the rule names its outputs")
          .help("assign to the output, then `return;`");
      return;
    }
    if (c.kind == Complaint::Kind::ReturnLacksValue && ofRule) {
      d_.error(*place, "`return` needs a value here: the rule's body gives the value of its output")
          .note(ruleOf(*rule).headerSpan, "the rule's output has no name");
      return;
    }
    if (fallsOff(c)) {
      if (segment && segment->kind == Unit::Segment::Kind::BodyEnd && c.kind == Complaint::Kind::NeverReturns)
        d_.error(*place, "the rule's body never returns a value")
            .note(ruleOf(*rule).headerSpan,
                  "the rule's output has no name; its value is what the body returns")
            .help("end the body with `return value;`");
      else // a lambda or a function of a raw block
        addNotes(d_.warning(*place, readable(c.text)), c);
      return;
    }
    if (c.kind == Complaint::Kind::UnknownName && segment && segment->kind == Unit::Segment::Kind::Raw)
      if (const sema::Transform *t = module_.find(unit_.text.substr(c.begin, c.end - c.begin))) {
        d_.error(*place, "the transform `" + t->name + "` is not known in a raw block")
            .note(t->span, "`" + t->name + "` is declared here")
            .help("transforms are called from rule bodies: pass the function what the call gives");
        return;
      }
    if (c.kind == Complaint::Kind::Reserved) {
      d_.error(*place, "`" + unit_.text.substr(c.begin, c.end - c.begin) +
                           "` cannot be declared in a raw block: " + c.text)
          .help("take another name");
      return;
    }
    if (c.kind == Complaint::Kind::UnknownName)
      for (const sema::Identifier &t : module_.undefined)
        if (unit_.text.substr(c.begin, c.end - c.begin) == t.text) {
          d_.error(*place, "the transform `" + t.text + "` is called, but never defined")
              .note(t.span, "it is only declared here")
              .help("define it, or include the file that does");
          return;
        }
    if (isLimit(c, *place))
      return;
    std::string text = readable(c.text);
    if (segment && !segment->text && segment->kind != Unit::Segment::Kind::BodyEnd)
      text = "this cannot be declared in C++: " + text;
    auto &error = d_.error(*place, text);
    if (c.kind == Complaint::Kind::UnknownName && c.text.find("'cblas_") != std::string::npos)
      error.help("it is part of BLAS, whose header cblas.h is not installed: install libopenblas-dev");
    else if (c.kind == Complaint::Kind::UnknownName && segment && segment->kind == Unit::Segment::Kind::Body)
      if (const std::string near = transformMeant(c); !near.empty())
        error.help("did you mean the transform `" + near + "`?");
    if (c.kind == Complaint::Kind::MissingHeader)
      error.help("install the package that has this header, or name its folder: -IFOLDER");
    addNotes(error, c);
  }

private:
  /// The transform that an unknown name probably means; "" if it is not called or if Clang has a proposal.
  std::string transformMeant(const Complaint &c) const {
    const std::size_t after = unit_.text.find_first_not_of(" \t\n", c.end);
    if (after == std::string::npos || unit_.text[after] != '(' ||
        c.text.find("did you mean") != std::string::npos)
      return "";
    std::vector<std::string_view> known;
    for (const sema::Transform &t : module_.transforms)
      known.push_back(t.family);
    return syntax::nearest(unit_.text.substr(c.begin, c.end - c.begin), known);
  }

  static bool fallsOff(const Complaint &c) {
    return c.kind == Complaint::Kind::FallsOffEnd || c.kind == Complaint::Kind::NeverReturns;
  }

  bool inUserText(const Complaint &c) const { return c.inUnit && unit_.isUserText(c.begin); }
  /// Whether the error is in a file that a raw block includes, and no text of the program takes part in it.
  bool isInIncluded(const Complaint &c) const {
    return !c.inUnit && unit_.isUserText(c.begin) &&
           std::none_of(c.notes.begin(), c.notes.end(), [&](const Complaint &n) { return inUserText(n); });
  }

  const sema::Rule &ruleOf(const RuleText &r) const { return module_.transforms[r.transform].rules[r.rule]; }

  Span fallback() const {
    return module_.transforms.empty() ? Span{} : module_.transforms[module_.mainTransform].span;
  }

  void addNotes(source::Diagnostic &out, const Complaint &c) const {
    const bool here = inUserText(c);
    for (const Complaint &n : c.notes) {
      if (n.text.starts_with("initialize the variable") || n.text.starts_with("in instantiation of") ||
          n.text.starts_with("use -f") || n.text.starts_with("candidate template ignored") || !n.inUnit)
        continue;
      const auto at = unit_.locate(n.begin, n.end);
      if (at && (here || unit_.isUserText(n.begin)))
        out.note(*at, readable(n.text));
    }
  }

  /// Reports what clang_data.h refuses.
  bool isLimit(const Complaint &c, Span place) const {
    const auto after = [&](std::string_view begin) {
      return c.text.starts_with(begin) ? std::optional(c.text.substr(begin.size())) : std::nullopt;
    };
    if (const auto table = after("the initialised data of the program is too large: ")) {
      d_.error(place, "the initialised data of the program is larger than 64 MiB: " + *table)
          .help("a table without an initial value does not make the program larger; or keep the values in a "
                "matrix: an input, or `using`");
      return true;
    }
    if (const auto why = after("the assembler cannot read ")) {
      d_.error(place, "the assembler cannot read " + *why)
          .help("it reads regular files of up to 64 MiB, which `.incbin` and `.include` name by a string");
      return true;
    }
    return false;
  }

  /// Reports a call that fits no declaration, if its callee is a transform.
  bool badCall(const Complaint &c, Span place) const {
    const sema::Transform *t = module_.find(unit_.text.substr(c.begin, c.end - c.begin));
    if (!t)
      return false;
    std::vector<const sema::Matrix *> order;
    const std::vector<Complaint> reasons = nearestFirst(c.notes);
    std::string text = "`" + t->family + "` takes ";
    if (!reasons.empty() && declaresBin(reasons.front()))
      text += "an accuracy bin (an integer), ", order.push_back(nullptr);
    text += describe(*t, order);
    static const std::regex count("but (no|\\d+) ");
    static const std::regex conversion("no known conversion from (.*) to (.*) for (\\d+)");
    static const std::regex lvalue("expects an lvalue for (\\d+)");
    static const std::regex qualifier("(\\d+)\\w\\w argument .*would lose const qualifier");
    for (const Complaint &n : reasons) {
      std::smatch m;
      auto matrix = [&](const std::string &number) {
        const std::size_t i = std::stoul(number) - 1;
        return "argument " + number + (i < order.size() && order[i] ? ", for `" + order[i]->name + "`," : "");
      };
      if (std::regex_search(n.text, m, count))
        text += "; found " + m[1].str() + (m[1] == "1" ? " argument" : " arguments");
      else if (std::regex_search(n.text, m, conversion) && isVariable(order, m[3]))
        text += "; " + matrix(m[3]) + " is written and must be a variable or a cell of that type";
      else if (std::regex_search(n.text, m, conversion))
        text += "; " + matrix(m[3]) + " is " + describeType(readable(m[1].str()), module_);
      else if (std::regex_search(n.text, m, lvalue) || std::regex_search(n.text, m, qualifier))
        text += "; " + matrix(m[1]) + " is written and cannot be a value that is only read";
      else
        continue;
      break;
    }
    d_.error(place, text).note(t->span, "`" + t->family + "` is declared here");
    return true;
  }

  /// A transform with accuracy bins has two declarations: the one with the right number of arguments comes
  /// first.
  static std::vector<Complaint> nearestFirst(std::vector<Complaint> notes) {
    std::stable_partition(notes.begin(), notes.end(), [](const Complaint &n) {
      return n.text.find("not viable: requires") == std::string::npos;
    });
    return notes;
  }
  bool declaresBin(const Complaint &note) const {
    return note.inUnit &&
           unit_.text.substr(note.begin, unit_.text.find('\n', note.begin) - note.begin).find("pb_bin") !=
               std::string::npos;
  }

  /// Whether argument `number`, from 1, is a 0-d output.
  static bool isVariable(const std::vector<const sema::Matrix *> &order, const std::string &number) {
    const std::size_t i = std::stoul(number) - 1;
    return i < order.size() && order[i] && order[i]->role == sema::Role::Output && order[i]->rank() == 0;
  }

  /// Reports "cannot assign to ... const" in terms of the rule's header.
  bool constantAssigned(const Complaint &c, Span place) const {
    if (c.text.starts_with("cannot assign to return value because function 'cell")) {
      d_.error(place, "this region is an input of the rule: its cells are only read")
          .help("list the matrix among the rule's outputs to write it");
      return true;
    }
    for (const Complaint &n : c.notes)
      if (n.inUnit && unit_.segment(n.begin).kind == Unit::Segment::Kind::Rule) {
        const std::string name = unit_.text.substr(n.begin, n.end - n.begin);
        d_.error(place, "`" + name + "` is only read here: it is not an output of the rule")
            .note(*unit_.locate(n.begin, n.end), "`" + name + "` comes from here")
            .help("copy it into a variable of the body to change it");
        return true;
      }
    return false;
  }

  const Unit &unit_;
  const sema::Module &module_;
  source::Diagnostics &d_;
  std::set<std::uint32_t> included_; // the directives whose files were complained about
};

} // namespace

void report(const Reading &reading, const Unit &unit, const sema::Module &module, source::Diagnostics &d) {
  Reporter reporter(unit, module, d);
  for (bool placed : {true, false})
    for (const Complaint &c : reading.complaints)
      if (reporter.where(c).has_value() == placed)
        reporter.report(c);
}

} // namespace pbc::body

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support.h"
#include <sstream>

namespace pbc::body {

Understood::Understood(const std::string &text) {
  const source::FileId file = sources_.add("test.pbcc", text);
  program_ = syntax::parse(syntax::preprocess(sources_, file, diagnostics_), file, diagnostics_);
  if (!diagnostics_.hasErrors())
    module_ = sema::check(program_, "test", "", diagnostics_);
  if (!diagnostics_.hasErrors())
    facts_ = understand(module_, diagnostics_).facts;
  std::ostringstream out;
  auto place = [&](Span s) {
    const source::Position p = sources_.position(s.file, s.begin);
    return std::to_string(p.line) + ":" + std::to_string(p.column) + ": ";
  };
  for (const auto &d : diagnostics_.all()) {
    out << place(d->span) << (d->severity == source::Severity::Error ? "error: " : "warning: ") << d->message
        << "\n";
    for (const auto &n : d->notes)
      out << "  " << place(n.span) << "note: " << n.message << "\n";
    if (!d->helpText.empty())
      out << "  help: " << d->helpText << "\n";
  }
  messages = out.str();
}

std::string Understood::nodes(int transform, int rule) const {
  const std::string all = emitted(),
                    label = module_.transforms.at(transform).name + "." + std::to_string(rule) + "  ";
  std::istringstream lines(all);
  std::string line, out;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (!line.starts_with("  ")) {
      inside = line.starts_with(label);
      continue;
    }
    if (inside)
      out += (out.empty() ? "" : "; ") + line.substr(2);
  }
  return out;
}

std::string Understood::obstacle(int transform, int rule) const {
  const Facts &f = facts(transform, rule);
  return f.liftable ? "" : f.obstacle + " @ " + std::string(sources_.text(f.obstacleSpan));
}

std::string Understood::edits(int transform, int index) const {
  const std::string &text = rule(transform, index).body->text.text;
  const char *const kinds[] = {"Call", "Spawn", "Sync", "Verify", "Return"};
  std::string out;
  for (const Edit &e : facts(transform, index).edits) {
    out += (out.empty() ? "" : "; ") + std::string(kinds[static_cast<int>(e.kind)]);
    if (!e.callee.empty())
      out += " " + text.substr(e.calleeBegin, e.calleeEnd - e.calleeBegin) + "{" +
             text.substr(e.argumentsBegin, e.argumentsEnd - e.argumentsBegin) + "}";
    out += " @ " + text.substr(e.begin, e.end - e.begin);
  }
  return out;
}

std::string viewProgram(const std::string &body) {
  return "transform T\nfrom A[n], K to B[n] {\n  to(B b) from(A a) {" + body +
         "}\n}\n"
         "transform Two from A[n], K to B[n], S { to(B b, S s) from(A a, K k) { s = k; } }\n"
         "main transform Main from A[n] to B[n] { to(B b) from(A a) { b.cell(0) = a.cell(0); } }\n";
}

std::string cellProgram(const std::string &body) {
  return "transform T\nfrom A[n], K to B[n] {\n  B.cell(i) from(A.region(i-1, i+2) a, A.cell(i) c) {" + body +
         "}\n" + "  secondary B.cell(i) from() { return 0; }\n}\n";
}

} // namespace pbc::body

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/served_statements.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <utility>

namespace pbc::loop {
namespace {

constexpr int kNone = ServedStatements::kNone;

/// A part that gives a value to something.
struct Part {
  const void *node;
  int statement;
  std::string target; // whose name others read; "": a matrix
  std::set<std::string> reads = {};
};

/// The parts that stand in a loop.
struct Inside {
  const void *node;
  std::size_t first, end;
};

/// The names of what an expression reads and parts of the loops write.
class ReadNames : public Visitor {
public:
  explicit ReadNames(const std::vector<Matrix> &matrices) : matrices_(matrices) {}

  std::set<std::string> in(const Expr &e) {
    found_.clear();
    if (e)
      expr(e);
    return std::move(found_);
  }

  std::string of(const Expr &e) const {
    if (const Local *local = as<Local>(e))
      return local->name;
    if (const Name *name = as<Name>(e))
      return name->name;
    const Element *element = as<Element>(e);
    const Matrix *m = element ? &matrices_[static_cast<std::size_t>(element->buffer)] : nullptr;
    return m && (m->isOfItem || !m->ofGroup.empty()) ? m->name : "";
  }

  void expr(const Expr &e) override {
    if (std::string name = of(e); !name.empty())
      found_.insert(std::move(name));
    Visitor::expr(e);
  }

private:
  const std::vector<Matrix> &matrices_;
  std::set<std::string> found_;
};

class Collector : public Visitor {
public:
  explicit Collector(const std::vector<Matrix> &matrices) : names_(matrices) {}

  void node(const NodePtr &n) override {
    if (const Assign *a = as<Assign>(n))
      parts.push_back({a, a->statement, names_.of(a->target), names_.in(a->value)});
    if (const Let *let = as<Let>(n))
      for (const Let::Variable &v : let->variables)
        parts.push_back({&v, kNone, v.name, names_.in(v.value)});
    if (const Shuffle *s = as<Shuffle>(n))
      parts.push_back({s, kNone, s->name, names_.in(s->value)});
    const std::size_t first = parts.size();
    Visitor::node(n);
    if (const For *f = as<For>(n))
      loops.push_back({f, first, parts.size()});
    if (const BlockOfPoints *b = as<BlockOfPoints>(n))
      loops.push_back({b, first, parts.size()});
  }

  std::vector<Part> parts; // in the order of the loops
  std::vector<Inside> loops;

private:
  ReadNames names_;
};

/// Of parts without a statement, that of the first part behind them, or in the next turn of a loop, which reads what they give.
void fromReaders(std::vector<Part> &parts) {
  std::map<std::string, int> reader;
  constexpr int kTurns = 2;
  for (int turn = 0; turn < kTurns; ++turn)
    for (Part &part : std::views::reverse(parts)) {
      if (const auto at = reader.find(part.target); part.statement == kNone && at != reader.end())
        part.statement = at->second;
      if (part.statement != kNone)
        for (const std::string &name : part.reads)
          reader[name] = part.statement;
    }
}

/// Of parts without a statement, that of the part which gave what they read.
void fromWriters(std::vector<Part> &parts) {
  std::map<std::string, int> writer;
  for (Part &part : parts) {
    for (const std::string &name : part.reads)
      if (const auto at = writer.find(name); part.statement == kNone && at != writer.end())
        part.statement = at->second;
    if (part.statement != kNone && !part.target.empty())
      writer[part.target] = part.statement;
  }
}

} // namespace

ServedStatements::ServedStatements(const NodePtr &loops, const std::vector<Matrix> &matrices) {
  Collector found(matrices);
  found.node(loops);
  fromReaders(found.parts);
  fromWriters(found.parts);
  for (const Part &part : found.parts)
    of_[part.node] = part.statement;
  for (const Inside &loop : found.loops)
    for (std::size_t k = loop.first; k < loop.end && find(loop.node) == kNone; ++k)
      of_[loop.node] = found.parts[k].statement;
}

} // namespace pbc::loop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/grid.h"
#include <fmt/format.h>

namespace pbc::choice {

namespace {

std::string ruleList(const sema::Transform &t, const std::vector<int> &rules) {
  std::string out;
  for (const int r : rules)
    out += (out.empty() ? "" : " | ") + t.rules[r].label;
  return out;
}

/// Vertex of the graph: a matrix as a whole for inputs, a piece otherwise.
std::string vertexName(const sema::Transform &t, const Grid &grid, int piece) {
  int count = 0, position = 0;
  for (int p = 0; p < static_cast<int>(grid.pieces.size()); ++p) {
    if (grid.pieces[p].matrix != grid.pieces[piece].matrix)
      continue;
    if (p == piece)
      position = count;
    ++count;
  }
  const std::string &name = t.matrices[grid.pieces[piece].matrix].name;
  return count == 1 ? name : fmt::format("{}.{}", name, position);
}

/// Vertices that a rule reads when it computes its share of `piece`: every piece of each matrix that
/// overlaps.
std::vector<std::string> sources(const sema::Transform &t, const Grid &grid, int rule) {
  std::vector<std::string> out;
  const auto &application = grid.applications[rule];
  const auto add = [&](const std::string &name) {
    for (const auto &have : out)
      if (have == name)
        return;
    out.push_back(name);
  };
  for (std::size_t i = 0; i < t.rules[rule].inputs.size(); ++i) {
    const int matrix = t.rules[rule].inputs[i].matrix;
    if (t.matrices[matrix].role == sema::Role::Input) {
      add(t.matrices[matrix].name);
      continue;
    }
    const isl::set read = application.reads[i].range();
    for (int p = 0; p < static_cast<int>(grid.pieces.size()); ++p)
      if (grid.pieces[p].matrix == matrix && !grid.pieces[p].cells.intersect(read).is_empty())
        add(vertexName(t, grid, p));
  }
  return out;
}

std::vector<std::string> targets(const sema::Transform &t, const Grid &grid, int rule) {
  std::vector<std::string> out;
  for (int p = 0; p < static_cast<int>(grid.pieces.size()); ++p)
    for (const int r : grid.pieces[p].rules)
      if (r == rule)
        out.push_back(vertexName(t, grid, p));
  return out;
}

std::string quoted(const std::string &s) { return '"' + s + '"'; }

} // namespace

std::string print(const sema::Module &module, const std::vector<Choices> &choices) {
  std::string out;
  for (const auto &t : module.transforms) {
    const auto &c = choices[t.index];
    out += fmt::format("grid of {}  sizes {}\n", t.name, poly::text(c.grid.context));
    for (const auto &a : c.grid.applications)
      out += fmt::format("  {} runs on {}\n", t.rules[a.rule].label,
                         poly::text(a.domain.gist_params(c.grid.context)));
    for (const auto &p : c.grid.pieces)
      out += fmt::format("  {} by {}\n",
                         poly::readable(p.cells.gist_params(c.grid.context), c.grid.names[p.matrix]),
                         ruleList(t, p.rules));
    for (const auto &g : c.grid.guards)
      out += fmt::format("  refused when {}: {}\n", poly::text(g.bad), g.message);
    for (const auto &a : c.alternatives)
      out += fmt::format("  alternative {}: {}\n", a.name, a.doc);
  }
  return out;
}

std::string printGraph(const sema::Module &module, const std::vector<Choices> &choices, bool dot) {
  std::string out = dot ? "digraph choices {\n  rankdir=LR;\n" : "";
  for (const auto &t : module.transforms) {
    const auto &grid = choices[t.index].grid;
    if (dot)
      out += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", t.index, t.name);
    else
      out += fmt::format("graph of {}\n", t.name);
    for (const auto &m : t.matrices)
      if (m.role == sema::Role::Input)
        out += dot ? fmt::format("    {} [shape=box];\n", quoted(t.name + "." + m.name))
                   : fmt::format("  data {}\n", m.name);
    for (int p = 0; p < static_cast<int>(grid.pieces.size()); ++p) {
      const std::string name = vertexName(t, grid, p);
      out += dot ? fmt::format("    {} [shape=box];\n", quoted(t.name + "." + name))
                 : fmt::format("  data {} = {}\n", name,
                               poly::readable(grid.pieces[p].cells.gist_params(grid.context),
                                              grid.names[grid.pieces[p].matrix]));
    }
    for (const auto &r : t.rules) {
      const auto from = sources(t, grid, r.index), to = targets(t, grid, r.index);
      if (!dot) {
        out += fmt::format("  rule {}: {} -> {}\n", r.label,
                           from.empty() ? "nothing" : fmt::format("{}", fmt::join(from, ", ")),
                           to.empty() ? "nothing" : fmt::format("{}", fmt::join(to, ", ")));
        continue;
      }
      const std::string node = quoted(t.name + "." + r.label);
      out += fmt::format("    {} [shape=ellipse, label=\"{}\"];\n", node, r.label);
      for (const auto &v : from)
        out += fmt::format("    {} -> {};\n", quoted(t.name + "." + v), node);
      for (const auto &v : to)
        out += fmt::format("    {} -> {};\n", node, quoted(t.name + "." + v));
    }
    if (dot)
      out += "  }\n";
  }
  return dot ? out + "}\n" : out;
}

} // namespace pbc::choice

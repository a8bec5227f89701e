// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/kernel/nodes.h"
#include "compiler/emit/kernel/tile_text.h"
#include "compiler/kernel/loops.h"
#include "compiler/poly/expression.h"
#include <algorithm>
#include <cctype>
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pbc::emit {

using kernel::Buffer;

namespace {

const std::string kIterator = "pb__c"; // and the number of loops around

/// What a realisation means for the loop of its band.
struct Request {
  // The loop's depth. If it runs only once, no loop is printed, and the request must not apply to another one.
  int depth = -1;
  long lanes = 0; // run it in groups of so many
  std::string pragma;
  bool aligned = false; // begins at a cache line of the matrix that it writes
  int rows = 0;         // so many iterations together, jammed into the inner vector loop
};

std::string vectorPragma(kernel::as::Vector how) {
  return "vectorize(assume_safety)" +
         (how.interleave ? " interleave_count(" + std::to_string(how.interleave) + ")" : "");
}

/// The requests of realisations. In matrices without unit stride only those are carried out that cost nothing there.
struct Requests {
  bool unitStride, isTiledInTime;
  Request operator()(kernel::as::Scalar) const { return {.pragma = "vectorize(disable)"}; }
  Request operator()(kernel::as::Vector how) const {
    return unitStride ? Request{.pragma = vectorPragma(how), .aligned = isTiledInTime} : Request{};
  }
  Request operator()(kernel::as::Jam how) const { return unitStride ? Request{.rows = how.rows} : Request{}; }
  Request operator()(kernel::as::Unroll) const {
    return unitStride ? Request{.pragma = "unroll(full)"} : Request{};
  }
  Request operator()(kernel::as::Lanes how) const { return {.lanes = how.count}; }
  Request operator()(kernel::as::Registers) const { return {}; } // printed as blocks, or as loops
};

class LoopPrinter {
public:
  LoopPrinter(const kernel::Scheduled &kernel, Place place, Used &used)
      : kernel_(kernel), place_(std::move(place)), unitStride_(place_.unitStride), used_(used) {
    const bool vectorMath = kernel::isVectorised(kernel);
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
      statements_.emplace_back(kernel, static_cast<int>(s), unitStride_, vectorMath, used);
    for (StatementPrinter &s : statements_)
      s.printsForDevice(place_.onDevice);
  }

  const std::string &types() const { return types_; }

  std::string print(const isl::ast_node &node, const std::string &indent) {
    switch (isl_ast_node_get_type(node.get())) {
    case isl_ast_node_for:
      return loop(node, indent);
    case isl_ast_node_if:
      return condition(node, indent);
    case isl_ast_node_mark:
      return mark(node, indent);
    case isl_ast_node_user:
      return instance(node, indent);
    case isl_ast_node_block: {
      std::string all;
      for (const isl::ast_node &child : sequence(node))
        all += print(child, indent);
      return all;
    }
    default:
      return "";
    }
  }

  /// If no loop is left around the statements of a Local, isl repeats its mark for each of them: such Locals
  /// are declared before everything.
  std::string hoist(const isl::ast_node &root, const std::string &indent) {
    std::map<std::string, int> marks;
    isl_ast_node_foreach_descendant_top_down(
        root.get(),
        [](isl_ast_node *node, void *user) {
          if (const auto local = declaredLocal(isl::manage_copy(node)))
            ++(*static_cast<std::map<std::string, int> *>(user))[*local];
          return isl_bool_true;
        },
        &marks);
    std::string text;
    for (const auto &[local, count] : marks)
      if (count > 1) {
        hoisted_.insert(local);
        text += declaration(local, indent);
      }
    return text;
  }

private:
  std::string declaration(const std::string &local, const std::string &indent) const {
    for (const Buffer &b : kernel_.buffers)
      if (b.name == local)
        return indent + body::cxxType(b.element) + " " + b.name + "_l" +
               (b.lanes ? "[" + std::to_string(b.lanes) + "]" : "") + ";\n";
    return "";
  }

  ExpressionText text() {
    return [this](const isl::ast_expr &e) {
      return poly::cxx(e, [this](const std::string &name) {
        const std::string emitted = emittedName(name, used_);
        return row_ > 0 && emitted == jammed_ ? "(" + emitted + " + " + std::to_string(row_) + ")" : emitted;
      });
    };
  }
  CallNode called(const isl::ast_node &leaf) { return callNode(kernel_, leaf, text()); }

  /// Whether the loop is the one that the mark above refers to.
  bool isRequested(const isl::ast_node &node) const {
    const isl::ast_expr iterator = isl::manage(isl_ast_node_for_get_iterator(node.get()));
    const isl::id id = isl::manage(isl_ast_expr_get_id(iterator.get()));
    return id.name() == kIterator + std::to_string(request_.depth);
  }

  std::string loop(const isl::ast_node &node, const std::string &indent) {
    const LoopNode l = loopNode(node, text());
    place_.iterators.push_back(l.iterator);
    const std::string all = loop(l, isRequested(node), indent);
    place_.iterators.pop_back();
    return all;
  }

  std::string loop(const LoopNode &l, bool isRequested, const std::string &indent) {
    if (l.isSingle())
      return indent + "{\n" + indent + "  [[maybe_unused]] const long " + l.iterator + " = " + l.begin +
             ";\n" + print(l.body, indent + "  ") + indent + "}\n";
    if (isRequested && l.isCounting()) {
      if (request_.lanes && unitStride_ && !branchesOn(l.iterator, l.body))
        return groups(l, indent, request_.lanes);
      if (request_.rows)
        if (const std::optional<std::string> rows = jammed(l, indent))
          return *rows;
      if (request_.aligned)
        if (const std::optional<std::string> first = written(l.body))
          return fromLine(l, indent, *first);
    }
    const std::string pragma =
        isRequested && !request_.pragma.empty() ? "#pragma clang loop " + request_.pragma + "\n" : "";
    return pragma + indent + "for (long " + l.iterator + " = " + l.begin + "; " + l.condition + "; " +
           l.iterator + " += " + l.step + ") {\n" + print(l.body, indent + "  ") + indent + "}\n";
  }

  /// The element that a loop's body writes, if it is one statement.
  std::optional<std::string> written(const isl::ast_node &body) {
    if (isl_ast_node_get_type(body.get()) != isl_ast_node_user)
      return std::nullopt;
    const auto [statement, dimensions] = called(body);
    return statements_[statement].written(dimensions);
  }

  /// Prints the loop in groups of rows, whose inner vector loop computes all rows before it writes; the rest
  /// singly. Nothing if the loop contains anything else, or the inner loop depends on the row.
  std::optional<std::string> jammed(const LoopNode &outer, const std::string &indent) {
    const std::optional<kernel::PlacedMark> mark = kernel::markAt(outer.body);
    const auto vector = mark ? kernel::realisedAs<kernel::as::Vector>(mark->mark) : std::nullopt;
    if (!vector)
      return std::nullopt;
    const isl::ast_node below = belowMark(outer.body);
    if (isl_ast_node_get_type(below.get()) != isl_ast_node_for)
      return std::nullopt;
    const LoopNode inner = loopNode(below, text());
    if (!inner.isCounting())
      return std::nullopt;
    const std::string &i = outer.iterator, &j = inner.iterator;
    jammed_ = i;
    row_ = 1;
    const LoopNode next = loopNode(below, text());
    jammed_.clear();
    const std::optional<std::string> first = written(inner.body);
    if (next.begin != inner.begin || next.end != inner.end || !first)
      return std::nullopt;
    const int rows = request_.rows;
    const std::string in = indent + "  ", deeper = indent + "    ", deepest = indent + "      ";
    std::string values, writes;
    jammed_ = i;
    for (row_ = 0; row_ < rows; ++row_) {
      const auto [statement, dimensions] = called(inner.body);
      const StatementPrinter &s = statements_[statement];
      const std::string name = "row" + std::to_string(row_);
      values += deepest + "const " + s.type() + " " + name + " = " + s.value(dimensions) + ";\n";
      writes += deepest + *s.written(dimensions) + " = " + name + ";\n";
    }
    jammed_.clear();
    row_ = 0;
    const std::string all = values + writes, step = std::to_string(rows);
    const std::string loop = deeper + "for (; " + j + " < " + j;
    std::string text = indent + "{\n" + in + "long " + i + " = " + outer.begin + ";\n" + in + "const long " +
                       i + "_e = " + outer.end + ";\n" + in + "for (; " + i + " + " + step + " <= " + i +
                       "_e; " + i + " += " + step + ") {\n" + deeper + "long " + j + " = " + inner.begin +
                       ";\n" + deeper + "const long " + j + "_e = " + inner.end + ";\n";
    if (isTiledInTime())
      text += deeper + "const long " + j + "_a = " + j + " + pb::cellsToLine(&" + *first + ", " + j +
              "_e - " + j + ");\n#pragma clang loop vectorize(disable) unroll(disable)\n" + loop + "_a; ++" +
              j + ") {\n" + all + deeper + "}\n";
    return text + "#pragma clang loop " + vectorPragma(*vector) + "\n" + loop + "_e; ++" + j + ") {\n" + all +
           deeper + "}\n" + in + "}\n" + in + "for (; " + i + " < " + i + "_e; ++" + i + ") {\n" +
           print(outer.body, deeper) + in + "}\n" + indent + "}\n";
  }

  /// Tiles in time begin anywhere, and go over the same cells again.
  bool isTiledInTime() const { return kernel_.schedule.taskOrder == kernel::TaskOrder::Wavefront; }

  /// Prints the loop singly up to the cache line from which on its vectors are stored; tiles in time begin
  /// anywhere.
  std::string fromLine(const LoopNode &l, const std::string &indent, const std::string &first) {
    const std::string in = indent + "  ", inner = indent + "    ";
    const std::string text = print(l.body, inner);
    const std::string &i = l.iterator;
    return indent + "{\n" + in + "long " + i + " = " + l.begin + ";\n" + in + "const long " + i +
           "_e = " + l.end + ", " + i + "_a = " + i + " + pb::cellsToLine(&" + first + ", " + i + "_e - " +
           i + ");\n#pragma clang loop vectorize(disable) unroll(disable)\n" + in + "for (; " + i + " < " +
           i + "_a; ++" + i + ") {\n" + text + in + "}\n#pragma clang loop " + request_.pragma + "\n" + in +
           "for (; " + i + " < " + i + "_e; ++" + i + ") {\n" + text + in + "}\n" + indent + "}\n";
  }

  /// Whether some inner condition differs between iterations, because all lanes of a group do the same.
  bool branchesOn(const std::string &iterator, const isl::ast_node &body) {
    struct Search {
      LoopPrinter &self;
      const std::string &iterator;
      bool found = false;
    } search{*this, iterator};
    isl_ast_node_foreach_descendant_top_down(
        body.get(),
        [](isl_ast_node *node, void *user) {
          auto &s = *static_cast<Search *>(user);
          if (isl_ast_node_get_type(node) == isl_ast_node_if) {
            const std::string condition = branchNode(isl::manage_copy(node), s.self.text()).condition;
            for (std::size_t at = 0; (at = condition.find(s.iterator, at)) != std::string::npos; ++at)
              s.found |= !std::isdigit(static_cast<unsigned char>(condition[at + s.iterator.size()]));
          }
          return s.found ? isl_bool_false : isl_bool_true;
        },
        &search);
    return search.found;
  }

  /// Prints the loop in groups of `group` lanes, then of a quarter, then singly.
  std::string groups(const LoopNode &l, const std::string &indent, long group) {
    const std::string &i = l.iterator;
    std::string text = indent + "{\n" + indent + "  long " + i + "_g = " + l.begin + ";\n" + indent +
                       "  const long " + i + "_e = " + l.end + ";\n";
    for (const long size : {group, group / 4}) {
      const std::string lanes = std::to_string(size);
      lanes_ = size;
      iterator_ = i;
      text += indent + "  for (; " + i + "_g + " + lanes + " <= " + i + "_e; " + i + "_g += " + lanes +
              ") {\n" + print(l.body, indent + "    ") + indent + "  }\n";
      lanes_ = 0;
    }
    return text + indent + "  for (long " + i + " = " + i + "_g; " + i + " < " + i + "_e; ++" + i + ") {\n" +
           print(l.body, indent + "    ") + indent + "  }\n" + indent + "}\n";
  }

  std::string condition(const isl::ast_node &node, const std::string &indent) {
    const BranchNode b = branchNode(node, text());
    std::string all = indent + "if (" + b.condition + ") {\n" + print(b.then, indent + "  ") + indent + "}";
    if (b.otherwise)
      all += " else {\n" + print(*b.otherwise, indent + "  ") + indent + "}";
    return all + "\n";
  }

  std::string mark(const isl::ast_node &node, const std::string &indent) {
    const kernel::PlacedMark mark = *kernel::markAt(node);
    const isl::ast_node inner = belowMark(node);
    if (const auto *declares = std::get_if<kernel::Declare>(&mark.mark))
      return (hoisted_.count(declares->local) ? "" : declaration(declares->local, indent)) +
             print(inner, indent);
    if (unitStride_ && kernel::realisedAs<kernel::as::Registers>(mark.mark)) {
      const std::string type = place_.function + "_tile" + std::to_string(tiles_);
      if (const auto tile = tileText(kernel_, inner, type, place_, used_)) {
        ++tiles_;
        types_ += tile->type;
        return indent + tile->call;
      }
    }
    Request request =
        std::visit(Requests{unitStride_, isTiledInTime()}, std::get<kernel::Realisation>(mark.mark));
    request.depth = mark.depth;
    const Request outer = std::exchange(request_, request);
    const std::string text = print(inner, indent);
    request_ = outer;
    return text;
  }

  std::string instance(const isl::ast_node &node, const std::string &indent) {
    const auto [statement, dimensions] = called(node);
    if (!lanes_)
      return statements_[statement].print(dimensions, "0", indent);
    // The vectors are as wide as the loop is long: then the code has no loop, and the lanes are in registers.
    // If the loop were unrolled first, functions would be called lane by lane.
    const std::string lanes = std::to_string(lanes_);
    return "#pragma clang loop unroll(disable) vectorize(assume_safety) vectorize_width(" + lanes +
           ") interleave_count(1)\n" + indent + "for (long pb__l = 0; pb__l < " + lanes + "; ++pb__l) {\n" +
           indent + "  [[maybe_unused]] const long " + iterator_ + " = " + iterator_ + "_g + pb__l;\n" +
           statements_[statement].print(dimensions, "pb__l", indent + "  ") + indent + "}\n";
  }

  const kernel::Scheduled &kernel_;
  Place place_;
  bool unitStride_;
  Used &used_;
  std::vector<StatementPrinter> statements_;
  std::string types_;
  int tiles_ = 0;
  std::set<std::string> hoisted_;
  Request request_;      // of the mark around
  long lanes_ = 0;       // lanes of the group being printed
  std::string iterator_; // of the loop in groups
  std::string jammed_; // iterator of the loop whose iterations are being jammed, and the current one of them
  int row_ = 0;
};

/// The number of loops around the innermost statement, including those that run once.
int depthOf(const isl::schedule &schedule) {
  int deepest = 0;
  isl_schedule_foreach_schedule_node_top_down(
      schedule.get(),
      [](isl_schedule_node *node, void *most) {
        int &depth = *static_cast<int *>(most);
        depth = std::max(depth, static_cast<int>(isl_schedule_node_get_schedule_depth(node)));
        return isl_bool_true;
      },
      &deepest);
  return deepest;
}

} // namespace

isl::ast_node generate(const kernel::Scheduled &kernel) {
  isl_ctx *ctx = isl_schedule_get_ctx(kernel.schedule.tree.get());
  isl_ast_build *build = isl_ast_build_from_context(kernel.context.copy());
  isl_id_list *iterators = isl_id_list_alloc(ctx, 0);
  for (int k = 0, depth = depthOf(kernel.schedule.tree); k < depth; ++k)
    iterators =
        isl_id_list_add(iterators, isl_id_alloc(ctx, (kIterator + std::to_string(k)).c_str(), nullptr));
  build = isl_ast_build_set_iterators(build, iterators);
  isl_ast_node *root = isl_ast_build_node_from_schedule(
      build, kernel::withDepths(kernel::withoutLabels(kernel.schedule.tree)).release());
  isl_ast_build_free(build);
  if (!root)
    isl::exception::throw_last_error(isl::ctx(ctx));
  return isl::manage(root);
}

LoopText printLoops(const kernel::Scheduled &kernel, const isl::ast_node &nest, Place place, Used &used) {
  LoopPrinter printer(kernel, std::move(place), used);
  const std::string hoisted = printer.hoist(nest, "  "); // decides what print() leaves out
  const std::string loops = hoisted + printer.print(nest, "  ");
  return {printer.types(), loops};
}

} // namespace pbc::emit

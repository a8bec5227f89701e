// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/instance.h"
#include "compiler/kernel/along.h"
#include "compiler/poly/expression.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::emit {

using kernel::Buffer;
using kernel::Expr;
using kernel::Scalar;

namespace {

const std::string kOwn = "pb__";
const std::string kNoLane = "0";
const std::string kColumns = ", pb__n - v * W"; // of a vector that is only partly there

bool isIdentifier(const std::string &text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string::npos;
}

// In parentheses unless it needs none.
std::string atom(const std::string &text) {
  if (isIdentifier(text))
    return text;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0 && k + 1 < text.size())
      return "(" + text + ")";
  }
  return text;
}

/// Functions that exist in libraries of vector arithmetic, but not as instructions.
constexpr const char *kVectorFunctions[] = {
    "acos", "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "hypot", "log",   "log10", "log1p", "log2",  "pow",  "sin", "sinh", "tan", "tanh"};

std::string dimensionName(int d) { return kOwn + "d" + std::to_string(d); }

} // namespace

std::string emittedName(const std::string &name, Used &used) {
  if (name.rfind(kOwn, 0) != 0) {
    used.values.insert(name);
    return name + "_v";
  }
  std::string own = name.substr(kOwn.size());
  for (const char *limit : {"low", "high"})
    if (own.rfind(limit, 0) == 0)
      used.tasks = std::max(used.tasks, 1 + std::stoi(own.substr(std::string(limit).size())));
  return own;
}

isl::ast_expr indexExpression(const isl::pw_aff &function, const isl::set &domain) {
  // Dimensions become parameters, so that an AST build without loops can print the function; the domain tells
  // it which divisions have a non-negative dividend.
  const int dims = static_cast<int>(isl_set_dim(domain.get(), isl_dim_set));
  isl_pw_aff *f = function.copy();
  isl_set *context = domain.copy();
  for (int d = 0; d < dims; ++d) {
    isl_id *id = isl_id_alloc(isl_set_get_ctx(context), dimensionName(d).c_str(), nullptr);
    f = isl_pw_aff_set_dim_id(f, isl_dim_in, d, isl_id_copy(id));
    context = isl_set_set_dim_id(context, isl_dim_set, d, id);
  }
  f = isl_pw_aff_move_dims(f, isl_dim_param, isl_pw_aff_dim(f, isl_dim_param), isl_dim_in, 0, dims);
  context =
      isl_set_move_dims(context, isl_dim_param, isl_set_dim(context, isl_dim_param), isl_dim_set, 0, dims);
  f = isl_pw_aff_project_domain_on_params(f);
  isl::ast_build build = isl::ast_build::from_context(isl::manage(isl_set_params(context)));
  return isl::manage(isl_ast_build_expr_from_pw_aff(build.get(), f));
}

StatementPrinter::StatementPrinter(const kernel::Scheduled &kernel, int statement, bool unitStride,
                                   bool vectorMath, Used &used)
    : kernel_(kernel), statement_(kernel.statements[statement]), unitStride_(unitStride),
      vectorMath_(vectorMath), used_(used) {
  auto all = [&](const isl::multi_pw_aff &functions) {
    std::vector<isl::ast_expr> indices;
    for (int d = 0, n = static_cast<int>(isl_multi_pw_aff_dim(functions.get(), isl_dim_out)); d < n; ++d)
      indices.push_back(
          indexExpression(isl::manage(isl_multi_pw_aff_get_pw_aff(functions.get(), d)), statement_.domain));
    return indices;
  };
  if (statement_.domain.is_empty()) // a loop that never runs is not printed
    return;
  if (statement_.isOpaque) {
    for (const kernel::OpaqueArgument &a : statement_.arguments) {
      begins_.push_back(all(a.begin));
      extents_.push_back(all(isl::manage(isl_multi_pw_aff_sub(a.end.copy(), a.begin.copy()))));
    }
    return;
  }
  for (const kernel::Access &a : statement_.accesses) {
    if (kernel_.buffers[a.buffer].role == Buffer::Role::Local) {
      indices_.emplace_back(); // the index of a Local depends on the place in the loops
      continue;
    }
    isl_pw_multi_aff *p = isl_pw_multi_aff_from_map(a.relation.copy());
    indices_.push_back(all(isl::manage(isl_multi_pw_aff_from_pw_multi_aff(p))));
  }
}

std::string StatementPrinter::index(const isl::ast_expr &e, const At &at) const {
  return poly::cxx(e, [&](const std::string &name) {
    if (name.rfind(kOwn + "d", 0) == 0)
      return atom(at.dimensions[std::stoi(name.substr(kOwn.size() + 1))]);
    return emittedName(name, used_);
  });
}

std::string StatementPrinter::offset(int buffer, const std::vector<isl::ast_expr> &indices,
                                     const At &at) const {
  std::string sum;
  used_.buffers.insert(buffer);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::string i = index(indices[d], at);
    if (i == "0")
      continue;
    sum += sum.empty() ? "" : " + ";
    if (d == 0 && unitStride_) {
      sum += atom(i);
      continue;
    }
    used_.strides.insert({buffer, static_cast<int>(d)});
    sum += atom(i) + " * " + kernel_.buffers[buffer].name + "_s" + std::to_string(d);
  }
  return sum.empty() ? "0" : sum;
}

std::string StatementPrinter::placeInCopy(const Buffer &b, const std::vector<isl::ast_expr> &indices,
                                          const At &at) const {
  std::string place;
  for (std::size_t d = indices.size(); d-- > 0;) {
    const std::string number = std::to_string(d);
    std::string here = "(int)(" + index(indices[d], at) + " - " + b.name + "_b" + number + ")";
    if (!place.empty())
      here += " + " + b.name + "_w" + number + " * (" + place + ")";
    place = std::move(here);
  }
  return place;
}

std::string StatementPrinter::element(int access, const At &at) const {
  const kernel::Access &a = statement_.accesses[access];
  const Buffer &b = kernel_.buffers[a.buffer];
  if (const auto text = replaced_.find(access); text != replaced_.end())
    return text->second;
  if (!b.staged.empty())
    return b.name + "_c[" + placeInCopy(b, indices_[access], at) + "]";
  if (b.role != Buffer::Role::Local)
    return b.name + "_p[" + offset(a.buffer, indices_[access], at) + "]";
  return b.name + (b.lanes ? "_l[" + at.lane + "]" : "_l");
}

std::string StatementPrinter::operand(const kernel::ExprPtr &e, const At &at) const {
  const Text t = expr(*e, at);
  return t.atom ? t.text : "(" + t.text + ")";
}

StatementPrinter::Text StatementPrinter::expr(const Expr &e, const At &at) const {
  const std::string type = std::string("(") + body::cxxType(e.type) + ")";
  switch (e.kind) {
  case Expr::Kind::Literal:
    return {e.text, !e.text.empty() && e.text[0] != '-'};
  // Sizes and coordinates are ints in a body, so arithmetic on them must stay 32-bit.
  case Expr::Kind::Dimension:
    return {type + atom(at.dimensions[e.index]), true};
  case Expr::Kind::Name:
    return {type + emittedName(poly::mangle(e.text), used_), true};
  case Expr::Kind::Read:
    return {element(e.index, at), true};
  case Expr::Kind::Unary:
    return {e.text + operand(e.operands[0], at), false};
  case Expr::Kind::Binary:
    return {operand(e.operands[0], at) + " " + e.text + " " + operand(e.operands[1], at), false};
  case Expr::Kind::Select:
    return {operand(e.operands[0], at) + " ? " + operand(e.operands[1], at) + " : " +
                operand(e.operands[2], at),
            false};
  case Expr::Kind::Call: {
    std::string text = function(e) + "(";
    for (std::size_t k = 0; k < e.operands.size(); ++k)
      text += (k ? ", " : "") + expr(*e.operands[k], at).text;
    return {text + ")", true};
  }
  case Expr::Kind::Cast:
    return {type + operand(e.operands[0], at), true};
  }
  return {"", true};
}

std::string StatementPrinter::function(const Expr &call) const {
  const std::string type = body::cxxType(call.type);
  const std::string name = call.type == Scalar::F32 && call.text.ends_with('f')
                               ? call.text.substr(0, call.text.size() - 1)
                               : call.text;
  if (!vectorMath_ ||
      std::find(std::begin(kVectorFunctions), std::end(kVectorFunctions), name) == std::end(kVectorFunctions))
    return call.text;
  std::string declaration = type + " pb_vector_" + call.text + "(" + type;
  if (call.operands.size() == 2)
    declaration += ", " + type;
  used_.vectorFunctions.insert(declaration + ")");
  return "pb_vector_" + call.text;
}

std::string StatementPrinter::call(const At &at, const std::string &indent) const {
  std::string before, text = statement_.function + "(f";
  for (int d = 0; d < statement_.freeCount; ++d)
    text += ", (pb::IndexT)" + atom(at.dimensions[d]);
  for (std::size_t k = 0; k < statement_.arguments.size(); ++k) {
    const kernel::OpaqueArgument &a = statement_.arguments[k];
    const Buffer &b = kernel_.buffers[a.buffer];
    const std::string base = b.name + "_p[" + offset(a.buffer, begins_[k], at) + "]";
    if (a.isCell) {
      text += ", " + (a.otherwise ? "(" + operand(a.inside, at) + " ? " + base + " : " +
                                        operand(a.otherwise, at) + ")"
                                  : base);
      continue;
    }
    const std::string number = std::to_string(k), rank = std::to_string(a.viewDims.size());
    std::string strides, extents;
    for (int d : a.viewDims) {
      used_.strides.insert({a.buffer, d});
      strides += (strides.empty() ? "" : ", ") + b.name + "_s" + std::to_string(d);
      extents += (extents.empty() ? "" : ", ") + std::string("(int)") + atom(index(extents_[k][d], at));
    }
    before += indent + "const long strides" + number + "[] = {" + (strides.empty() ? "0" : strides) + "};\n";
    before += indent + "const int extents" + number + "[] = {" + (extents.empty() ? "0" : extents) + "};\n";
    text += std::string(", pb::Region<") + (a.isOutput ? "" : "const ") + body::cxxType(b.element) + ", " +
            rank + ">(&" + base + ", strides" + number + ", extents" + number + ")";
  }
  return before + indent + text + ");\n";
}

/// "A_p[i]", or the same cell in the group's copy.
std::string StatementPrinter::firstCell(std::size_t argument, const At &at) const {
  const kernel::OpaqueArgument &a = statement_.arguments[argument];
  const Buffer &b = kernel_.buffers[a.buffer];
  return b.staged.empty() ? b.name + "_p[" + offset(a.buffer, begins_[argument], at) + "]"
                          : b.name + "_c[" + placeInCopy(b, begins_[argument], at) + "]";
}

std::string StatementPrinter::deviceCall(const At &at, const std::string &indent) const {
  using From = body::DeviceBody::Argument::Kind;
  std::string list;
  for (const body::DeviceBody::Argument &from : statement_.onDevice->arguments) {
    list += list.empty() ? "" : ", ";
    const auto index = static_cast<std::size_t>(from.index);
    switch (from.kind) {
    case From::Coordinate:
      list += "(int)" + atom(at.dimensions[index]);
      continue;
    case From::Name:
      list += (from.isReal ? "(double)" : "(int)") + emittedName(poly::mangle(from.name), used_);
      continue;
    case From::Input:
      for (const int b : statement_.ownInputs)
        if (kernel_.buffers[b].matrix == from.index)
          list += kernel_.buffers[b].name + "_p[0]";
      continue;
    case From::Place:
      list += "&" + firstCell(index, at);
      continue;
    case From::Cell: {
      const kernel::OpaqueArgument &a = statement_.arguments[index];
      list += a.otherwise ? "(" + operand(a.inside, at) + " ? " + firstCell(index, at) + " : " +
                                operand(a.otherwise, at) + ")"
                          : firstCell(index, at);
      continue;
    }
    case From::View:
      break;
    }
    const kernel::OpaqueArgument &a = statement_.arguments[index];
    const Buffer &b = kernel_.buffers[a.buffer];
    list += "&" + firstCell(index, at);
    for (const int d : a.viewDims) {
      std::string stride = b.staged.empty() ? b.name + "_s" + std::to_string(d) : "1L";
      for (int k = 0; !b.staged.empty() && k < d; ++k)
        stride += " * " + b.name + "_w" + std::to_string(k);
      list += ", " + stride;
    }
    for (const int d : a.viewDims)
      list += ", (int)" + atom(this->index(extents_[index][static_cast<std::size_t>(d)], at));
  }
  const std::string text = statement_.onDevice->function + "(" + list + ");\n";
  return indent + (statement_.onDevice->returnsValue ? firstCell(0, at) + " = " : "") + text;
}

std::optional<std::string> StatementPrinter::written(const std::vector<std::string> &dimensions) const {
  if (statement_.isOpaque ||
      kernel_.buffers[statement_.accesses[statement_.write].buffer].role == Buffer::Role::Local)
    return std::nullopt;
  return element(statement_.write, {dimensions, kNoLane});
}

std::string StatementPrinter::print(const std::vector<std::string> &dimensions, const std::string &lane,
                                    const std::string &indent) const {
  const At at{dimensions, lane};
  if (statement_.isOpaque && forDevice_)
    return deviceCall(at, indent);
  if (statement_.isOpaque)
    return indent + "{\n" + call(at, indent + "  ") + indent + "}\n";
  return indent + element(statement_.write, at) + " " + statement_.op + "= " + value(dimensions, lane) +
         ";\n";
}

std::string StatementPrinter::type() const {
  return body::cxxType(kernel_.buffers[statement_.accesses[statement_.write].buffer].element);
}

std::string StatementPrinter::value(const std::vector<std::string> &dimensions,
                                    const std::string &lane) const {
  const At at{dimensions, lane};
  const Buffer &target = kernel_.buffers[statement_.accesses[statement_.write].buffer];
  if (statement_.value->type != target.element && statement_.op.empty())
    return "(" + type() + ")" + operand(statement_.value, at);
  return expr(*statement_.value, at).text;
}

std::string StatementPrinter::address(int access, const std::vector<std::string> &dimensions) const {
  const kernel::Access &a = statement_.accesses[access];
  return kernel_.buffers[a.buffer].name + "_p + " +
         atom(offset(a.buffer, indices_[access], {dimensions, kNoLane}));
}

std::string StatementPrinter::blockValue(const kernel::ExprPtr &e, const At &at,
                                         const std::vector<std::string> &panels) const {
  const kernel::RegisterTile &tile = *kernel_.schedule.registerTile;
  const bool isPanel = e->kind == Expr::Kind::Read && !panels[e->index].empty();
  if (isPanel)
    return panels[e->index];
  if (!kernel::movesWith(kernel_, statement_, *e, tile.x)) {
    const std::string text = operand(e, at);
    return e->type == tile.element ? text : std::string("(") + body::cxxType(tile.element) + ")" + text;
  }
  switch (e->kind) {
  case Expr::Kind::Read:
    if (const Buffer &b = kernel_.buffers[statement_.accesses[e->index].buffer];
        b.role == Buffer::Role::Local)
      return b.name + "_l[r][v]";
    return "pb::load<W, isPart>(" + address(e->index, at.dimensions) + kColumns + ")";
  case Expr::Kind::Unary:
    return "(" + e->text + blockValue(e->operands[0], at, panels) + ")";
  case Expr::Kind::Binary:
    return "(" + blockValue(e->operands[0], at, panels) + " " + e->text + " " +
           blockValue(e->operands[1], at, panels) + ")";
  default: // a cast to its own type: registerTile() allows nothing else
    return blockValue(e->operands[0], at, panels);
  }
}

std::string StatementPrinter::printBlock(const std::vector<std::string> &dimensions,
                                         const std::vector<std::string> &panels,
                                         const std::string &indent) const {
  const At at{dimensions, kNoLane};
  const Buffer &target = kernel_.buffers[statement_.accesses[statement_.write].buffer];
  std::string value = blockValue(statement_.value, at, panels);
  const bool isUniform =
      !kernel::movesWith(kernel_, statement_, *statement_.value, kernel_.schedule.registerTile->x);
  if (target.role == Buffer::Role::Local) {
    if (isUniform && statement_.op.empty())
      value = "pb::spread<W>(" + value + ")";
    return indent + target.name + "_l[r][v] " + statement_.op + "= " + value + ";\n";
  }
  if (isUniform)
    value = "pb::spread<W>(" + value + ")";
  return indent + "pb::store<W, isPart>(" + address(statement_.write, dimensions) + ", " + value + kColumns +
         ");\n";
}

} // namespace pbc::emit

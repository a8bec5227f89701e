// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints loop trees in a language of the C family; what differs between these languages is in a Dialect.
//
//   For { c0, 1, c0 < n, 1, Assign { B[c0], A[c0 - 1] } }
//   =>  for (long c0 = 1; c0 < n_v; c0 += 1) {
//         B_p[c0] = A_p[c0 - 1];
//       }
//
// Names in the text: n_v is the size n, A_p points to the cells of the matrix A, A_s1 is its stride along dimension 1, s_l
// the body's scalar s. While it prints, it notes which of them it has used, because the function's prologue declares these.
//
// Invariants: the tree is lowered (loop/verify.h); parentheses stand only where the language needs them.
#pragma once
#include "compiler/emit/dialect/dialect.h"
#include <map>
#include <set>

namespace pbc::emit {

/// The names that the text uses.
struct Used {
  std::set<std::string> values;          // sizes and tunables, as `<name>_v`
  std::set<int> buffers;                 // matrices
  std::set<std::pair<int, int>> strides; // (buffer, dimension)
  std::set<int> own;                     // memory of the task, with all its strides
  std::map<int, bool> streamed;          // matrices that may be stored past the caches; true: always
  int tasks = 0;                         // low0 .. and high0 .. below this
  std::set<int> anyStride; // matrices whose dimension 0 may have any stride, whatever the version is for
  std::set<std::string> vectorFunctions; // declarations, `pb_vector_exp(double)` (build/vector_math.h)
};

class CPrinter {
public:
  /// `unitStride`: dimension 0 of every matrix has stride 1, but of those that `used` names.
  CPrinter(const std::vector<loop::Matrix> &buffers, const Dialect &dialect, bool unitStride, Used &used)
      : buffers_(buffers), dialect_(dialect), unitStride_(unitStride), used_(used) {}
  virtual ~CPrinter() = default;

  std::string text(const loop::Expr &);
  /// The same in parentheses, unless it needs none in any place.
  std::string atom(const loop::Expr &);
  /// "A_p + (c0 + c1 * A_s1)"
  std::string address(const loop::Expr &element);
  std::string text(const loop::NodePtr &, const std::string &indent);

protected:
  /// Blocks of points in registers exist only for the processor.
  virtual void blockOfPoints(const loop::BlockOfPoints &, const std::string &indent);

  // ---- expressions (c_expression.cpp); all append to the text
  void put(const loop::Expr &, int atLeast);
  void put(const loop::Expr &);
  void putAtom(const loop::Expr &);
  void putOperand(const loop::Expr &);
  void putInfix(const loop::Arithmetic &, std::string_view spelling, int precedence, bool isAssociative);
  void putCall(const std::string &function, const std::vector<loop::Expr> &arguments);
  void putOffset(const loop::Element &);
  void putPlaceInGroup(const loop::Element &);
  void putAddress(const loop::Expr &element);
  /// How many elements of memory it is.
  std::string distance(const loop::Distance &, int buffer);
  /// The name of the stride along a dimension.
  std::string stride(int buffer, std::size_t dimension);
  void putKind(const loop::Integer &);
  void putKind(const loop::Name &);
  void putKind(const loop::Arithmetic &);
  void putKind(const loop::Grouped &);
  void putKind(const loop::Element &);
  void putKind(const loop::Local &);
  void putKind(const loop::Literal &);
  void putKind(const loop::Infinity &);
  virtual void putKind(const loop::Operation &);
  void putKind(const loop::Cast &);
  virtual void putKind(const loop::Function &);
  void putKind(const loop::Partial &);
  void putKind(const loop::CellsToLine &);
  void putKind(const loop::IsStreamed &);
  void putKind(const loop::StripCells &);
  void putKind(const loop::CellsIntoBlock &);
  void putKind(const loop::CellVector &);
  /// "pb::load<W, isPart>(" or another function that moves such cells, with its arguments up to what is stored or how many there are.
  void putCellVector(const std::string &what, const loop::CellVector &);
  void putKind(const loop::Spread &);
  virtual void putKind(const loop::StripValue &);
  void putKind(const loop::KeptValue &);
  static std::string keptPlace(const loop::KeptValue &);

  // ---- nodes
  virtual void print(const loop::NodePtr &, const std::string &indent);
  void node(const loop::Block &, const std::string &indent);
  virtual void node(const loop::For &, const std::string &indent);
  void node(const loop::If &, const std::string &indent);
  void node(const loop::Let &, const std::string &indent);
  void node(const loop::Array &, const std::string &indent);
  void node(const loop::Assign &, const std::string &indent);
  void node(const loop::Call &, const std::string &indent);
  void node(const loop::Barrier &, const std::string &indent);
  void node(const loop::Shuffle &, const std::string &indent);
  void node(const loop::Vote &, const std::string &indent);
  void node(const loop::Parallel &, const std::string &indent);
  void node(const loop::Points &, const std::string &indent);
  void node(const loop::Cells &, const std::string &indent);
  void node(const loop::GroupCopy &, const std::string &indent);
  void node(const loop::Prefetch &, const std::string &indent);
  void node(const loop::TurnedRows &, const std::string &indent);
  void node(const loop::Comment &, const std::string &indent);
  void node(const loop::BlockOfPoints &b, const std::string &indent) { blockOfPoints(b, indent); }
  std::string callArgument(std::size_t number, const loop::Call::Argument &,
                           std::vector<std::string> &before);
  std::vector<std::string> strides(const loop::Call::View &);
  std::string extent(const loop::Array &);

  /// Whether neighbours along dimension 0 are known to be side by side in memory.
  bool isUnit(int buffer) const {
    return matrix(buffer).isOwn || (unitStride_ && !used_.anyStride.contains(buffer));
  }
  const loop::Matrix &matrix(int buffer) const { return buffers_[static_cast<std::size_t>(buffer)]; }
  /// Appends what `print` appends to a text of its own.
  template <class Print>
  std::string separately(const Print &print) {
    std::string outer;
    std::swap(outer, out_);
    print();
    std::swap(outer, out_);
    return outer;
  }

  const std::vector<loop::Matrix> &buffers_;
  const Dialect &dialect_;
  const bool unitStride_;
  Used &used_;
  std::string out_;
};

} // namespace pbc::emit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The printer behind clang_device.h. Its methods are in clang_device.cpp (functions),
// clang_device_statement.cpp, clang_device_table.cpp, clang_device_tunable.cpp, clang_device_value.cpp and clang_device_view.cpp.
#pragma once
#include "compiler/body/clang_common.h"
#include "compiler/body/clang_device.h"
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <map>
#include <set>

namespace pbc::body {

/// Thrown within these files only.
struct NotForDevices {
  std::string sentence;
  clang::SourceRange range;
};

class DevicePrinter {
public:
  DevicePrinter(clang::ASTContext &context, const Unit &unit, const RuleText &rule)
      : context_(context), text_(context, unit), unit_(unit), rule_(rule), common_(context, rule) {}
  DeviceBody print(const clang::FunctionDecl &);

private:
  /// A region as C: its parts are texts that may be repeated.
  struct View {
    std::string pointer, element, space; // "const double", "PB_AT_1"
    std::vector<std::string> strides, extents;
  };
  /// What a declaration means in the function that is being printed.
  struct Name {
    enum class Kind { Value, Indirect, Pointer, View, Array } kind = Kind::Value;
    std::string text;
    std::string space; // of what Indirect and Pointer point to
    View view = {};
    int parameter = -1; // of the rule; recorded when it is used
  };
  /// The elements of an array that the body reads.
  struct Elements {
    std::set<int> read;
    bool anywhere = false; // at computed indices
  };
  /// Constants that a body reads by their number, defined before all functions.
  struct Table {
    std::string name, definition; // "R0_w_5", "const double R0_w_5[2] = {1, 2}"
    long bytes = 0;
    bool isCommon = true; // all items read the same element at the same time, if these parameters are common
    CommonValues::Parameters relies = {};
  };
  struct Frame {
    std::map<const clang::ValueDecl *, Name> names;
    long bytes = 0; // of its arrays
  };
  /// A function, and the memory spaces of its arguments.
  using Instance = std::pair<const clang::FunctionDecl *, std::vector<std::string>>;

  [[noreturn]] static void refuse(const clang::Stmt *, std::string sentence);
  [[noreturn]] static void refuse(clang::SourceRange, std::string sentence);
  std::string source(const clang::Stmt *) const;

  // functions
  void bindParameters(const clang::FunctionDecl &);
  std::string signature(DeviceBody &);
  std::string helper(const clang::FunctionDecl &, const clang::CallExpr *,
                     const std::vector<std::string> &spaces);
  std::string parameter(const clang::ParmVarDecl &, std::size_t &next,
                        const std::vector<std::string> &spaces);
  std::string callFunction(const clang::CallExpr *, const clang::FunctionDecl *);
  void requireApart(const clang::CallExpr *, const clang::FunctionDecl *) const;
  std::string unique(const clang::NamedDecl &);
  bool surelyWrites(const clang::Stmt *, const clang::ValueDecl *) const;

  // statements
  std::string block(const clang::Stmt *, const std::string &indent);
  std::string statement(const clang::Stmt *, const std::string &indent);
  std::string declaration(const clang::DeclStmt *, const std::string &indent);
  std::string variable(const clang::VarDecl *, const std::string &indent);
  std::string viewVariable(const clang::VarDecl *, const std::string &indent);
  std::string reference(const clang::VarDecl *, const std::string &indent);
  std::string initialiser(const clang::Expr *);
  std::string loop(const clang::ForStmt *, const std::string &indent);
  std::string branch(const clang::IfStmt *, const std::string &indent);
  std::string effect(const clang::Expr *, const std::string &indent);
  std::string swapped(const clang::CallExpr *, const std::string &indent);
  std::string full(const clang::Expr *); // an expression that is not part of another one

  // tables
  bool isTableType(clang::QualType) const;
  const clang::APValue *knownValue(const clang::VarDecl *);
  Table &table(const clang::VarDecl *, const clang::APValue &);
  std::optional<std::string> tableElement(const clang::Expr *);
  std::string elements(const clang::APValue &, clang::QualType, clang::SourceRange);
  std::string tables() const;

  // values
  const clang::Expr *transparent(const clang::Expr *) const;
  const clang::Expr *stripped(const clang::Expr *) const;
  std::string value(const clang::Expr *);
  std::string named(const clang::DeclRefExpr *);
  const Name *nameOf(const clang::Expr *) const;
  std::string target(const clang::Expr *); // an lvalue that is written, or whose address is taken
  std::string unary(const clang::UnaryOperator *);
  std::string assignment(const clang::BinaryOperator *);
  std::string binary(const clang::BinaryOperator *);
  std::string conversion(const clang::CastExpr *);
  std::string call(const clang::CallExpr *);
  std::optional<std::string> libraryCall(const clang::CallExpr *, const clang::FunctionDecl *);
  std::optional<std::string> writingCall(const clang::CallExpr *, const clang::FunctionDecl *);
  std::string element(const clang::CXXOperatorCallExpr *);
  std::string elementParameters(const std::string &array, std::size_t parameter) const;
  std::string arrays() const;
  std::string pointer(const clang::Expr *, std::string &space);
  std::string spaceOf(const clang::Expr *); // of an lvalue
  std::string constant(const clang::APValue &, clang::QualType, clang::SourceRange) const;
  std::string typeName(clang::QualType, clang::SourceRange) const;
  void requireRepeatable(const clang::Expr *) const;
  static void requireOrder(const clang::Expr *);

  // views
  View view(const clang::Expr *);
  View part(const clang::CXXMemberCallExpr *);
  std::string method(const clang::CXXMemberCallExpr *);
  std::string cell(const View &, const std::vector<const clang::Expr *> &at, const clang::Expr *);
  std::string position(const clang::Expr *);
  int dimension(const clang::Expr *, const View &) const;
  std::string elementOf(clang::QualType region, clang::SourceRange) const;
  static int rankOf(clang::QualType region);
  std::string pointerTo(const View &) const; // "PB_AT_1 const double *"

  clang::ASTContext &context_;
  const NodeText text_;
  const Unit &unit_;
  const RuleText &rule_;
  std::string prefix_; // of all names in the text
  Frame frame_;
  std::map<Instance, std::string> made_; // names; "" while the function is being printed
  CommonValues common_;
  std::vector<std::pair<const clang::VarDecl *, Table>> tables_;
  std::vector<bool> used_;           // parameters of the rule
  std::map<int, Elements> elements_; // of parameters that are arrays
  std::string functions_;
  int count_ = 0;
};

} // namespace pbc::body

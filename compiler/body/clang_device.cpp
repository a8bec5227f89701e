// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_device_printer.h"
#include "compiler/body/clang_order.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::body {

using namespace clang;

namespace {

using Argument = DeviceBody::Argument;
using Role = Parameter::Role;

bool isScalar(QualType type) { return type->isArithmeticType() || type->isEnumeralType(); }

/// Whether a reference may be passed as a value: the function cannot notice, as long as it changes nothing
/// else.
bool isReadReference(QualType type) {
  return type->isReferenceType() && type->getPointeeType().isConstQualified() &&
         isScalar(type->getPointeeType());
}

/// Whether the function may change its argument.
bool isWritable(QualType type) {
  if (const CXXRecordDecl *region = regionClass(type))
    return !llvm::cast<ClassTemplateSpecializationDecl>(region)
                ->getTemplateArgs()[0]
                .getAsType()
                .isConstQualified();
  return (type->isReferenceType() || type->isPointerType()) && !type->getPointeeType().isConstQualified();
}

bool mayReturn(const Stmt *s) {
  if (llvm::isa<ReturnStmt>(s))
    return true;
  for (const Stmt *c : s->children())
    if (c && mayReturn(c))
      return true;
  return false;
}

/// Whether the variable has memory of its own.
bool isOwn(const ValueDecl *v) {
  return v && !v->getType()->isReferenceType() && !v->getType()->isPointerType();
}
/// Whether it is a reference or pointer that the function has made itself, so that its target is unknown.
bool isUnclear(const ValueDecl *v) { return v && !isOwn(v) && !llvm::isa<ParmVarDecl>(v); }

std::string spaced(const std::string &space) { return space.empty() ? "" : space + " "; }

} // namespace

void DevicePrinter::refuse(const Stmt *s, std::string sentence) {
  refuse(s->getSourceRange(), std::move(sentence));
}
void DevicePrinter::refuse(SourceRange range, std::string sentence) {
  throw NotForDevices{std::move(sentence), range};
}

std::string DevicePrinter::source(const Stmt *s) const {
  Tree t;
  text_.place(t, s->getSourceRange());
  std::string out;
  for (std::uint32_t i = t.begin; i < t.end && out.size() < 40; ++i)
    if (const char c = unit_.text[i]; c != '\n')
      out += c;
  return out;
}

std::string DevicePrinter::unique(const NamedDecl &d) {
  std::string name = d.getIdentifier() ? d.getNameAsString() : "v";
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      c = '_';
  if (name.starts_with('_') || name.starts_with("PB_")) // they may be macros
    name = "v" + name;
  return fmt::format("{}_{}", name, count_++);
}

DeviceBody DevicePrinter::print(const FunctionDecl &f) {
  DeviceBody out;
  prefix_ = fmt::format("R{}", rule_.rule);
  try {
    bindParameters(f);
    const std::string statements = block(f.getBody(), "");
    out.function = prefix_ + "_body";
    out.returnsValue = !f.getReturnType()->isVoidType();
    const std::string head = fmt::format(
        "PB_FUNCTION {} {}({})", out.returnsValue ? typeName(f.getReturnType(), f.getSourceRange()) : "void",
        out.function, signature(out));
    out.text = tables() + functions_ + head + " {\n" + arrays() +
               statements.substr(std::string_view("{\n").size()) + "\n";
    if (out.returnsValue)
      out.writesAll = {true};
    for (std::size_t i = 0; i < rule_.parameters.size(); ++i)
      if (const Parameter &p = rule_.parameters[i]; p.role == Role::Binding && i < f.getNumParams()) {
        if (out.writesAll.size() <= static_cast<std::size_t>(p.index))
          out.writesAll.resize(static_cast<std::size_t>(p.index) + 1);
        if (surelyWrites(f.getBody(), f.getParamDecl(i)))
          out.writesAll[static_cast<std::size_t>(p.index)] = true;
      }
    return out;
  } catch (const NotForDevices &no) {
    DeviceBody none;
    none.obstacle = no.sentence;
    Tree t;
    text_.place(t, no.range);
    if (const auto span = unit_.locate(t.begin, t.end))
      none.obstacleSpan = *span;
    return none;
  }
}

void DevicePrinter::bindParameters(const FunctionDecl &f) {
  used_.assign(rule_.parameters.size(), false);
  for (unsigned i = 0; i < f.getNumParams(); ++i) {
    const ParmVarDecl &p = *f.getParamDecl(i);
    const Parameter &r = rule_.parameters[i];
    Name name;
    name.text = unique(p);
    name.parameter = static_cast<int>(i);
    const std::string space = r.role == Role::Binding ? fmt::format("PB_AT_{}", r.index) : "";
    if (regionClass(p.getType())) {
      name.kind = Name::Kind::View;
      name.view = {name.text, elementOf(p.getType(), p.getSourceRange()), space, {}, {}};
      for (int d = 0, rank = rankOf(p.getType()); d < rank; ++d) {
        name.view.strides.push_back(fmt::format("{}_s{}", name.text, d));
        name.view.extents.push_back(fmt::format("{}_n{}", name.text, d));
      }
    } else if (p.getType()->isReferenceType()) {
      name.kind = Name::Kind::Indirect;
      name.space = space;
    } else if (r.length) {
      name.kind = Name::Kind::Array;
    }
    frame_.names[&p] = std::move(name);
  }
}

/// The signature of the rule's function; called when it is known what the body uses.
std::string DevicePrinter::signature(DeviceBody &out) {
  std::vector<std::string> all(rule_.parameters.size());
  for (const auto &[declaration, name] : frame_.names) {
    if (name.parameter < 0 || !used_[static_cast<std::size_t>(name.parameter)])
      continue;
    const auto at = static_cast<std::size_t>(name.parameter);
    const SourceRange range = declaration->getSourceRange();
    if (rule_.parameters[at].role == Role::LocalMatrix)
      refuse(range, "the rule has a matrix of its own, `" + rule_.parameters[at].name + "`");
    if (name.kind == Name::Kind::Array)
      all[at] = elementParameters(name.text, at);
    else if (name.kind == Name::Kind::View)
      all[at] = pointerTo(name.view) + name.text +
                fmt::format("{}{}", name.view.strides.empty() ? "" : ", long ",
                            fmt::join(name.view.strides, ", long ")) +
                fmt::format("{}{}", name.view.extents.empty() ? "" : ", int ",
                            fmt::join(name.view.extents, ", int "));
    else if (name.kind == Name::Kind::Indirect)
      all[at] = spaced(name.space) + typeName(declaration->getType().getNonReferenceType(), range) + " *" +
                name.text;
    else
      all[at] = typeName(declaration->getType(), range) + " " + name.text;
  }
  std::string list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].empty())
      continue;
    list += (list.empty() ? "" : ", ") + all[i];
    const Parameter &p = rule_.parameters[i];
    if (p.length) {
      for (const int k : elements_[static_cast<int>(i)].read)
        out.arguments.push_back(
            {Argument::Kind::Name, p.index, elementName(p.name, k), all[i].starts_with("double ")});
      continue;
    }
    Argument argument{Argument::Kind::Name, p.index, p.name, all[i].starts_with("double ")};
    if (p.role == Role::Binding)
      argument.kind = p.type.find("Region") != std::string::npos ? Argument::Kind::View
                      : p.type.ends_with('&')                    ? Argument::Kind::Place
                                                                 : Argument::Kind::Cell;
    else if (p.role == Role::Coordinate)
      argument.kind = Argument::Kind::Coordinate;
    else if (p.role == Role::Input)
      argument.kind = Argument::Kind::Input;
    out.arguments.push_back(std::move(argument));
  }
  return list.empty() ? "void" : list;
}

/// Prints one parameter of a function of the program; takes its memory space from `spaces`.
std::string DevicePrinter::parameter(const ParmVarDecl &p, std::size_t &next,
                                     const std::vector<std::string> &spaces) {
  const QualType type = p.getType();
  const SourceRange range = p.getSourceRange();
  Name name;
  name.text = unique(p);
  std::string out;
  if (regionClass(type)) {
    name.kind = Name::Kind::View;
    name.view = {name.text, elementOf(type, range), spaces.at(next++), {}, {}};
    out = pointerTo(name.view) + name.text;
    for (int d = 0, rank = rankOf(type); d < rank; ++d) {
      name.view.strides.push_back(fmt::format("{}_s{}", name.text, d));
      out += ", long " + name.view.strides.back();
    }
    for (int d = 0, rank = rankOf(type); d < rank; ++d) {
      name.view.extents.push_back(fmt::format("{}_n{}", name.text, d));
      out += ", int " + name.view.extents.back();
    }
  } else if (type->isPointerType() ||
             (type->isLValueReferenceType() && type->getPointeeType()->isArrayType())) {
    const QualType element = type->isPointerType()
                                 ? type->getPointeeType()
                                 : context_.getAsArrayType(type->getPointeeType())->getElementType();
    name.kind = Name::Kind::Pointer;
    name.space = spaces.at(next++);
    out = spaced(name.space) + (element.isConstQualified() ? "const " : "") + typeName(element, range) +
          " *" + name.text;
  } else if (type->isLValueReferenceType() && !isReadReference(type)) {
    name.kind = Name::Kind::Indirect;
    name.space = spaces.at(next++);
    out = spaced(name.space) + typeName(type->getPointeeType(), range) + " *" + name.text;
  } else {
    out = typeName(type.getNonReferenceType(), range) + " " + name.text;
  }
  frame_.names[&p] = std::move(name);
  return out;
}

/// Prints a function of the program, if that has not been done; returns its name.
std::string DevicePrinter::helper(const FunctionDecl &f, const CallExpr *c,
                                  const std::vector<std::string> &spaces) {
  const auto [at, isNew] = made_.emplace(Instance{&f, spaces}, "");
  if (!isNew) {
    if (at->second.empty())
      refuse(c, "`" + f.getNameAsString() + "` calls itself");
    return at->second;
  }
  Frame outside = std::move(frame_);
  frame_ = {};
  const std::string name = fmt::format("{}_{}", prefix_, unique(f));
  std::string list;
  std::size_t next = 0;
  for (const ParmVarDecl *p : f.parameters())
    list += (list.empty() ? "" : ", ") + parameter(*p, next, spaces);
  const QualType result = f.getReturnType().getNonReferenceType();
  const std::string type = result->isVoidType() ? "void" : typeName(result, f.getSourceRange());
  const std::string statements = block(f.getBody(), "");
  functions_ +=
      fmt::format("PB_FUNCTION {} {}({}) {}\n", type, name, list.empty() ? "void" : list, statements);
  frame_ = std::move(outside);
  made_[Instance{&f, spaces}] = name;
  return name;
}

/// If a value is passed for a reference, it must not overlap what the function changes.
void DevicePrinter::requireApart(const CallExpr *c, const FunctionDecl *f) const {
  for (unsigned k = 0; k < f->getNumParams(); ++k) {
    if (!isReadReference(f->getParamDecl(k)->getType()) || llvm::isa<MaterializeTemporaryExpr>(c->getArg(k)))
      continue;
    const ValueDecl *read = rootVariable(c->getArg(k));
    for (unsigned w = 0; w < f->getNumParams(); ++w) {
      if (!isWritable(f->getParamDecl(w)->getType()))
        continue;
      const ValueDecl *written = rootVariable(c->getArg(w));
      const bool isApart = !isUnclear(read) && !isUnclear(written) &&
                           (isOwn(read) != isOwn(written) || (isOwn(read) && read != written));
      if (!isApart)
        refuse(c, fmt::format("`{}` may change the variable that it is given as `{}`", f->getNameAsString(),
                              f->getParamDecl(k)->getNameAsString()));
    }
  }
}

std::string DevicePrinter::callFunction(const CallExpr *c, const FunctionDecl *f) {
  const std::string impossible =
      "it calls `" + f->getNameAsString() + "`, which pbc does not know on devices";
  const FunctionDecl *definition = nullptr;
  const auto *method = llvm::dyn_cast<CXXMethodDecl>(f);
  if (!f->hasBody(definition) || !definition || f->isVariadic() || (method && !method->isStatic()))
    refuse(c, impossible);
  const QualType result = f->getReturnType();
  if (result->isReferenceType() && !isReadReference(result))
    refuse(c, "`" + f->getNameAsString() + "` returns a place in memory");
  std::vector<std::string> spaces, arguments;
  try {
    requireApart(c, definition);
    for (unsigned k = 0; k < c->getNumArgs(); ++k) {
      const Expr *a = c->getArg(k);
      const QualType type = definition->getParamDecl(k)->getType();
      if (regionClass(type)) {
        const View v = view(a);
        spaces.push_back(v.space);
        arguments.push_back(v.pointer);
        for (const auto *list : {&v.strides, &v.extents})
          arguments.insert(arguments.end(), list->begin(), list->end());
      } else if (type->isPointerType()) {
        spaces.emplace_back();
        arguments.push_back(pointer(a, spaces.back()));
      } else if (type->isLValueReferenceType() && !isReadReference(type)) {
        spaces.push_back(spaceOf(a));
        arguments.push_back((type->getPointeeType()->isArrayType() ? "" : "&") + target(a));
      } else if (type->isRValueReferenceType()) {
        refuse(a, "`" + f->getNameAsString() + "` takes a place in memory that is not kept");
      } else {
        common_.passes(definition->getParamDecl(k), a);
        arguments.push_back(value(a));
      }
    }
    const std::string name = helper(*definition, c, spaces);
    return fmt::format("{}({})", name, fmt::join(arguments, ", "));
  } catch (const NotForDevices &no) {
    // An error in a library is reported at the call.
    Tree t;
    text_.place(t, no.range);
    Tree own;
    text_.place(own, definition->getSourceRange());
    if (!unit_.locate(own.begin, own.end))
      refuse(c, impossible);
    if (!unit_.locate(t.begin, t.end))
      refuse(c, no.sentence);
    throw;
  }
}

/// Whether a statement assigns to the parameter, a single cell, before any return.
bool DevicePrinter::surelyWrites(const Stmt *s, const ValueDecl *cell) const {
  if (const auto *block = llvm::dyn_cast<CompoundStmt>(s)) {
    for (const Stmt *inner : block->body()) {
      if (surelyWrites(inner, cell))
        return true;
      if (mayReturn(inner))
        return false;
    }
    return false;
  }
  if (const auto *branch = llvm::dyn_cast<IfStmt>(s))
    return branch->getElse() && surelyWrites(branch->getThen(), cell) &&
           surelyWrites(branch->getElse(), cell);
  const auto *e = llvm::dyn_cast<Expr>(s);
  const auto *assign = e ? llvm::dyn_cast<BinaryOperator>(stripped(e)) : nullptr;
  if (!assign || assign->getOpcode() != BO_Assign)
    return false;
  const auto *to = llvm::dyn_cast<DeclRefExpr>(stripped(assign->getLHS()));
  return to && to->getDecl() == cell;
}

DeviceBody readDeviceBody(const FunctionDecl &f, ASTContext &context, const Unit &unit,
                          const RuleText &rule) {
  return DevicePrinter(context, unit, rule).print(f);
}

} // namespace pbc::body

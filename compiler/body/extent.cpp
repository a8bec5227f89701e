// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/extent.h"
#include <cctype>

namespace pbc::body {
namespace {

class Parser {
public:
  Parser(const std::string &text, const std::function<ValuePtr(const std::string &)> &name)
      : text_(text), name_(name) {}

  ValuePtr parse() {
    ValuePtr v = additive();
    skip();
    return at_ == text_.size() ? v : nullptr;
  }

private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  /// Widens both sides to long if one is long.
  static ValuePtr arithmetic(const std::string &op, ValuePtr a, ValuePtr b) {
    if (!a || !b)
      return nullptr;
    const Scalar type = a->type == Scalar::I64 || b->type == Scalar::I64 ? Scalar::I64 : Scalar::I32;
    return binary(op, type, convert(std::move(a), type), convert(std::move(b), type));
  }

  ValuePtr additive() {
    ValuePtr v = multiplicative();
    while (v) {
      if (take('+'))
        v = arithmetic("+", v, multiplicative());
      else if (take('-'))
        v = arithmetic("-", v, multiplicative());
      else
        break;
    }
    return v;
  }
  ValuePtr multiplicative() {
    ValuePtr v = primary();
    while (v && take('*'))
      v = arithmetic("*", v, primary());
    return v;
  }
  ValuePtr primary() {
    if (++depth_ > 500)
      return nullptr;
    ValuePtr v = unguarded();
    --depth_;
    return v;
  }
  ValuePtr unguarded() {
    skip();
    if (take('-')) {
      ValuePtr v = primary();
      return v ? makeValue(Value::Kind::Unary, v->type, "-", {v}) : nullptr;
    }
    if (take('(')) {
      ValuePtr v = additive();
      return v && take(')') ? v : nullptr;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == ':'))
      ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word.empty())
      return nullptr;
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      const long value = std::strtol(word.c_str(), nullptr, 10);
      return integer(value, value > 2147483647 || word.back() == 'L' ? Scalar::I64 : Scalar::I32);
    }
    if (word != "pb::floordiv")
      return name_(word);
    if (!take('('))
      return nullptr;
    ValuePtr a = additive();
    if (!a || !take(','))
      return nullptr;
    ValuePtr b = additive();
    if (!b || !take(')'))
      return nullptr;
    return makeValue(Value::Kind::Call, Scalar::I64, word,
                     {convert(a, Scalar::I64), convert(b, Scalar::I64)});
  }

  const std::string &text_;
  const std::function<ValuePtr(const std::string &)> &name_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

ValuePtr parseAffine(const std::string &cxx, const std::function<ValuePtr(const std::string &)> &name) {
  return Parser(cxx, name).parse();
}

} // namespace pbc::body

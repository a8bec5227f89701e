// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/syntax/front.h"

namespace pbc::syntax {
namespace {

/// The preprocessed text without its blank lines.
std::string text(const Front &front) {
  std::string out;
  for (std::size_t at = 0; at < front.mapped.text.size();) {
    std::size_t end = std::min(front.mapped.text.find('\n', at), front.mapped.text.size());
    if (front.mapped.text.find_first_not_of(" \t\n", at) < end)
      out += front.mapped.text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string only(const std::string &source) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  Front front("");
  front.mapped = preprocess(sources, sources.add("p", source), diagnostics);
  return text(front) + (diagnostics.hasErrors() ? diagnostics.all().front()->message : "");
}

TEST(Preprocess, MacrosWithAndWithoutArguments) {
  EXPECT_EQ(only("#define N n+1\nA[N]"), "A[n+1]\n");
  EXPECT_EQ(only("#define MAX(a,b) ((a)>(b)?(a):(b))\nMAX(x, f(1,2)) MAX"),
            "((x)>(f(1,2))?(x):(f(1,2))) MAX\n");
  EXPECT_EQ(only("#define F() z\nF() F( ) F"), "z z F\n");
  EXPECT_EQ(only("#define G (1)\nG"), "(1)\n");
  EXPECT_EQ(only("#define ID(x) x\nID(ID(ID(3)))"), "3\n");
  EXPECT_EQ(only("#define L a \\\n  b\nL"), "a b\n");
  EXPECT_EQ(only("#define PI 3 // pi\nPI;"), "3;\n");
  EXPECT_EQ(only("#define A 1\n#undef A\nA"), "A\n");
  EXPECT_EQ(only("#define f(x) x\nf\n(\n2)"), "2\n");
}

TEST(Preprocess, NeighboursDoNotRunTogether) {
  EXPECT_EQ(only("#define NEG -1\n-NEG"), "- -1\n");
  EXPECT_EQ(only("#define ID(x) x\nID(int)y"), "int y\n");
  EXPECT_EQ(only("#define E\n+E+"), "+ +\n");
}

TEST(Preprocess, RecursionEnds) {
  EXPECT_EQ(only("#define A A B\n#define B A\nA"), "A A\n");
  EXPECT_EQ(only("#define f(x) x f(x)\nf(f(1))"), "1 f(1) f(1 f(1))\n");
  std::string doubling = "#define A0 x\n";
  for (int i = 1; i < 40; ++i)
    doubling +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  std::string nested;
  for (int i = 0; i < 100000; ++i)
    nested += "F(";
  EXPECT_NE(only("#define F(x) x\n" + nested + "1" + std::string(100000, ')')), "");
  EXPECT_NE(only("#define F(x) x\n" + nested), ""); // ends at all
  EXPECT_NE(only(doubling + "A39").find("becomes too large"), std::string::npos);
}

TEST(Preprocess, LiteralsAndCommentsAreLeftAlone) {
  EXPECT_EQ(only("#define N 1\n\"N // N\" 'N' N /* N */ // N"), "\"N // N\" 'N' 1 /* N */ // N\n");
  EXPECT_EQ(only("#define N 1\nR\"(N)\" u8R\"x(N)\" N)x\" 1'000 xN"),
            "R\"(N)\" u8R\"x(N)\" N)x\" 1'000 xN\n");
}

TEST(Preprocess, RawBlocksKeepTheirDirectives) {
  EXPECT_EQ(only("#define N 2\n%{\n#include <x.h>\n#define N 3\n#if N\nint a = N;\n#endif\n%}\nN"),
            "%{\n#include <x.h>\n#define N 3\n#if N\nint a = 2;\n#endif\n%}\n2\n");
}

TEST(Preprocess, Conditionals) {
  EXPECT_EQ(only("#ifdef X\na\n#else\nb\n#endif"), "b\n");
  EXPECT_EQ(only("#define X\n#ifndef X\na\n#elif 0\nc\n#elif 1\nd\n#else\nb\n#endif"), "d\n");
  EXPECT_EQ(only("#if 0\n#if 1\na\n#else\nb\n#endif\n\"unclosed\n#inclde\n#endif\nc"), "c\n");
  EXPECT_EQ(only("#define V 4\n#if defined(V) && V*2 == 8 && !defined W && (1 ? 3 : 0) > 2\nyes\n#endif"),
            "yes\n");
  EXPECT_EQ(only("#if (7/2)%2 == 1 && -1 < 0 && ~0 == -1 && (1<<3|1) == 9 && UNKNOWN == 0 && 0x10 == "
                 "16L\nyes\n#endif"),
            "yes\n");
}

TEST(Preprocess, ConditionErrors) {
  EXPECT_EQ(only("#if 1/0\n#endif"), "division by zero in a condition");
  EXPECT_EQ(only("#if\n#endif"), "a condition is missing after this directive");
  EXPECT_EQ(only("#if 1 2\n#endif"), "`2` does not fit into this condition");
  EXPECT_EQ(only("#if (1\n#endif"), "`)` is missing in this condition");
  EXPECT_EQ(only("#if " + std::string(5000, '(') + "1\n#endif"),
            "this condition is nested more than 200 deep");
  EXPECT_EQ(only("#endif"), "`#endif` without an `#if`, `#ifdef` or `#ifndef`");
  EXPECT_EQ(only("#if 1\n#else\n#else\n#endif"), "`#else` after the `#else` of the same conditional");
  EXPECT_EQ(only("#if 1\nx"), "x\nthis conditional has no `#endif`");
  EXPECT_EQ(only("#ifdef\n#endif"), "a name is missing after `#ifdef`");
}

TEST(Preprocess, MacroErrors) {
  EXPECT_EQ(only("#define F(a) a\nF(1,2);"), ";\nmacro `F` takes 1 argument, not 2");
  EXPECT_EQ(only("#define F(a) a\nF(1"), "F(1\nthe call of macro `F` is not closed");
  EXPECT_EQ(only("#define F(a) #a\n"), "`#` and `##` are not available in macros");
  EXPECT_EQ(only("#define F(a b) a\n"), "expected `,` or `)` in the parameters of macro `F`");
  EXPECT_EQ(only("#define 3\n"), "expected the macro's name after `#define`");
  EXPECT_EQ(only("x /* y"), "x \nthis comment is not closed");
}

TEST(Preprocess, UnknownDirectiveSaysWhatExists) {
  Front front("#inclde \"x\"\n");
  EXPECT_EQ(front.messages(),
            "t.pbcc:1:1: error: unknown directive `#inclde`\n"
            "    1 | #inclde \"x\"\n"
            "      | ^~~~~~~\n"
            "help: did you mean `#include`?\n"
            "help: the directives are: #include, #library, #define, #undef, #ifdef, #ifndef, #if, "
            "#elif, #else, #endif; those of C can stand in a raw block `%{ ... %}`\n");
}

TEST(Preprocess, IncludesOnceRelativeThenPath) {
  Front front("#include \"d/a.h\"\n#include \"d/a.h\"\n#library \"p.h\"\n",
              {{"d/a.h", "#include \"b.h\"\ntransform A from X to Y;\n"},
               {"d/b.h", "#include \"a.h\"\ntransform B from X to Y;\n"},
               {"lib/p.h", "transform P from X to Y;\n"}},
              {}, {"lib"});
  EXPECT_EQ(front.messages(), "");
  ASSERT_EQ(front.program.transforms.size(), 3u);
  EXPECT_EQ(front.program.transforms[0].name.text, "B");
  EXPECT_EQ(front.program.transforms[1].name.text, "A");
  EXPECT_EQ(front.sources.path(front.program.transforms[1].name.span.file), "d/a.h");
  EXPECT_EQ(front.sources.text(front.program.transforms[2].name.span), "P");
}

TEST(Preprocess, MissingIncludeSaysWhatWasTried) {
  Front front("#include \"none.h\"\n#include <x.h>\n", {}, {}, {"lib"});
  EXPECT_EQ(front.messages(),
            "t.pbcc:1:10: error: cannot read the file `none.h`\n"
            "    1 | #include \"none.h\"\n"
            "      |          ^~~~~~~~\n"
            "help: tried: none.h, lib/none.h\n"
            "t.pbcc:2:1: error: expected a file name in double quotes after `#include`\n"
            "    2 | #include <x.h>\n"
            "      | ^~~~~~~~\n"
            "help: C and C++ headers are included inside a raw block: `%{`, `#include <...>`, `%}`\n");
}

TEST(Preprocess, DefinesFromOutside) {
  Front front("#ifdef X\ntransform T from A[X] to B;\n#endif\n", {}, {{"X", "n+2"}, {"FLAG", ""}});
  EXPECT_EQ(front.tree(), "transform T forward\n  from A[n + 2]\n  to B\n");
}

TEST(Preprocess, MessagesPointAtTheArgumentAndAtTheUse) {
  Front front("#define ID(x) x\n#define BAD $\ntransform T from A[ID( $ )] to B[BAD];\n");
  EXPECT_EQ(front.brief(), "3:24 `$` has no meaning here\n3:34 `$` has no meaning here\n");
  EXPECT_EQ(front.sources.text(front.diagnostics.all()[1]->span), "BAD");
}

} // namespace
} // namespace pbc::syntax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/diagnostics.h"
#include <fstream>
#include <gtest/gtest.h>

namespace pbc::source {
namespace {

TEST(Source, PositionsCountCodePoints) {
  SourceManager sources;
  FileId id = sources.add("a", "x\n\xC3\xA9\xE4\xB8\xAD z\r\nlast");
  EXPECT_EQ(sources.position(id, 0).line, 1u);
  Position z = sources.position(id, 8);
  EXPECT_EQ(z.line, 2u);
  EXPECT_EQ(z.column, 4u);
  EXPECT_EQ(sources.line(id, 2), "\xC3\xA9\xE4\xB8\xAD z");
  EXPECT_EQ(sources.line(id, 3), "last");
  EXPECT_EQ(sources.line(id, 4), "");
  EXPECT_EQ(sources.position(id, 1000).line, 3u);
}

TEST(Source, LoadRefusesWhatIsNoFile) {
  SourceManager sources;
  EXPECT_FALSE(sources.load("/nonexistent/file").has_value());
  EXPECT_FALSE(sources.load("/").has_value());
}

TEST(MappedText, LocatesPiecesAndSlices) {
  MappedText text;
  text.append("abc", {0, 10, 13}, true);
  text.append("def", {0, 13, 16}, true); // continues the piece
  text.append("XYZ", {0, 20, 21}, false);
  text.append("g", {1, 0, 1}, true);
  ASSERT_EQ(text.pieces.size(), 3u);
  EXPECT_EQ(text.locate(1, 4), (Span{0, 11, 14}));
  EXPECT_EQ(text.locate(7, 8), (Span{0, 20, 21}));
  EXPECT_EQ(text.locate(5, 7), (Span{0, 15, 21}));
  EXPECT_EQ(text.locate(8, 10), (Span{0, 20, 21})); // the first byte's file decides
  EXPECT_EQ(text.locate(10, 10), (Span{1, 1, 1}));
  EXPECT_EQ(MappedText().locate(0, 3), Span{});
  MappedText part = text.slice(4, 9);
  EXPECT_EQ(part.text, "efXYZ");
  EXPECT_EQ(part.locate(0, 2), (Span{0, 14, 16}));
  EXPECT_EQ(text.slice(9, 4).text, "");
}

TEST(Diagnostics, RendersWithCaretsNotesAndHelp) {
  SourceManager sources;
  FileId id = sources.add("smooth.pbcc", "first\n\tB.cell(i) from\nthird\n");
  Diagnostics d(sources);
  d.error({id, 7, 16}, "no rule computes B[0]").note({id, 0, 5}, "seen here").help("add a rule");
  EXPECT_EQ(d.render(), "smooth.pbcc:2:2: error: no rule computes B[0]\n"
                        "    2 | \tB.cell(i) from\n"
                        "      | \t^~~~~~~~~\n"
                        "smooth.pbcc:1:1: note: seen here\n"
                        "    1 | first\n"
                        "      | ^~~~~\n"
                        "help: add a rule\n");
  EXPECT_TRUE(d.hasErrors());
  EXPECT_NE(d.render(true).find("\033[1;31m"), std::string::npos);
}

TEST(Diagnostics, SortsByPlaceAndDropsCopies) {
  SourceManager sources;
  FileId id = sources.add("a", "one\ntwo\n");
  Diagnostics d(sources);
  d.warning({id, 4, 7}, "later");
  d.error({id, 0, 3}, "sooner");
  d.error({id, 0, 3}, "sooner");
  EXPECT_EQ(d.render(), "a:1:1: error: sooner\n    1 | one\n      | ^~~\n"
                        "a:2:1: warning: later\n    2 | two\n      | ^~~\n");
  EXPECT_EQ(d.errorCount(), 2u);
}

TEST(Diagnostics, CaretsOfWideCharactersLongLinesAndSpansOverLines) {
  SourceManager sources;
  FileId id = sources.add("a", "\xE4\xB8\xAD x\nab\ncd\n" + std::string(1000, 'y') + "!\n\xFF z");
  Diagnostics d(sources);
  d.error({id, 4, 5}, "m");
  d.error({id, 7, 11}, "m");
  EXPECT_EQ(d.render(), "a:1:3: error: m\n    1 | \xE4\xB8\xAD x\n      |    ^\n"
                        "a:2:2: error: m\n    2 | ab\n      |  ^\n");
  Diagnostics longLine(sources);
  longLine.error({id, 1012, 1013}, "m");
  EXPECT_LT(longLine.render().size(), 500u);
  EXPECT_NE(longLine.render().find("!\n"), std::string::npos);
  Diagnostics bad(sources);
  bad.error({id, 1016, 1017}, "m");
  EXPECT_NE(bad.render().find("\xEF\xBF\xBD z\n      |   ^\n"), std::string::npos);
}

TEST(SourceManager, AByteOrderMarkIsNoPartOfTheText) {
  const std::string path = testing::TempDir() + "byte_order_mark.pbcc";
  std::ofstream(path) << "\xEF\xBB\xBFmain\r\nx";
  SourceManager sources;
  const auto id = sources.load(path);
  ASSERT_TRUE(id);
  EXPECT_EQ(sources.text(*id), "main\r\nx");
  EXPECT_EQ(sources.line(*id, 1), "main");
}

TEST(Diagnostics, NoFile) {
  SourceManager sources;
  Diagnostics d(sources);
  d.error({}, "nothing to read");
  EXPECT_EQ(d.render(), "error: nothing to read\n");
}

} // namespace
TEST(Diagnostics, FiftyOfAFileAndErrorsBeforeWarnings) {
  SourceManager sources;
  const FileId one = sources.add("one.pbcc", std::string(200, 'x')), two = sources.add("two.pbcc", "y");
  Diagnostics d(sources);
  for (std::uint32_t i = 0; i < 60; ++i)
    d.warning({one, i, i + 1}, "w" + std::to_string(i));
  for (std::uint32_t i = 100; i < 110; ++i)
    d.error({one, i, i + 1}, "e" + std::to_string(i));
  d.error({two, 0, 1}, "other");
  const std::string text = d.render();
  EXPECT_NE(text.find("w39\n"), std::string::npos);
  EXPECT_EQ(text.find("w40\n"), std::string::npos);
  EXPECT_LT(text.find("w39\n"), text.find("e100\n")) << "in the order of their places";
  EXPECT_NE(text.find("e109\n"), std::string::npos);
  EXPECT_NE(text.find("other\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\none.pbcc: ... and 20 more\n")) << text;
}

TEST(Diagnostics, EscapeControlCharacters) {
  SourceManager sources;
  const FileId file = sources.add("a\x1b[2J.pbcc", "x\xc2\x9b\x1b y\n");
  Diagnostics d(sources);
  d.error({file, 0, 1}, "no \x07").note({file, 0, 1}, "\x1b").help("\x7f\nline");
  EXPECT_EQ(d.render(),
            "a\\x1b[2J.pbcc:1:1: error: no \\x07\n    1 | x\xEF\xBF\xBD\xEF\xBF\xBD y\n      | ^\n"
            "a\\x1b[2J.pbcc:1:1: note: \\x1b\n    1 | x\xEF\xBF\xBD\xEF\xBF\xBD y\n      | ^\n"
            "help: \\x7f\nhelp: line\n");
}

} // namespace pbc::source

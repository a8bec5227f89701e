// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/runtime/process.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace {

using Json = nlohmann::json;

std::vector<Json> serve(const Folder &f, const std::vector<std::string> &requests,
                        std::vector<std::string> options = {}) {
  std::string input;
  for (const std::string &r : requests)
    input += r + "\n";
  options.push_back("--serve");
  const Ended e = f.run(options, input);
  EXPECT_EQ(e.status, 0) << e.err;
  std::vector<Json> replies;
  std::istringstream lines(e.out);
  for (std::string line; std::getline(lines, line);)
    replies.push_back(Json::parse(line));
  EXPECT_EQ(replies.size(), requests.size());
  replies.resize(requests.size());
  return replies;
}

const std::string kPrepare = R"({"op":"prepare","sizes":{"w":8,"h":5},"seed":1})";

} // namespace

TEST(Serve, PreparesAndMeasures) {
  Folder f;
  const auto r = serve(
      f, {kPrepare, R"({"op":"measure","config":"[AddOne]\nchoice = \"ByRows\"\n","trials":3,"limit":5})",
          R"({"op":"measure","config":"threads = 2\n[AddOne]\nchoice = \"Wrong\"\n"})",
          R"({"op":"measure","trials":100,"limit":0})"});
  EXPECT_EQ(r[0]["ok"], true);
  EXPECT_EQ(r[0]["n"], 8);
  EXPECT_GE(r[0]["seconds"].get<double>(), 0);
  EXPECT_EQ(r[1]["agrees"], true);
  EXPECT_EQ(r[1]["difference"], 0);
  EXPECT_EQ(r[1]["seconds"].size(), 3u);
  EXPECT_EQ(r[2]["agrees"], false);
  EXPECT_GT(r[2]["difference"].get<double>(), 0.5);
  EXPECT_EQ(r[2]["seconds"].size(), 1u);
  EXPECT_EQ(r[3]["agrees"], true); // the configuration before is forgotten
  EXPECT_EQ(r[3]["seconds"].size(), 1u);
}

TEST(Serve, MeasuresMemoryWhereItIsAskedTo) {
  Folder f;
  const auto r =
      serve(f, {R"({"op":"meters"})", R"({"op":"prepare","sizes":{"w":1000,"h":1000},"seed":1})",
                R"({"op":"measure","metrics":["memory"],"trials":2})", R"({"op":"measure"})",
                R"({"op":"measure","metrics":["memry"]})", R"({"op":"measure","metrics":"memory"})"});
  EXPECT_EQ(r[0]["peak_memory"], true);
  EXPECT_EQ(r[2]["agrees"], true);
  EXPECT_EQ(r[2]["seconds"].size(), 2u);
  EXPECT_GE(r[2]["bytes"].get<double>(), 2 * 8e6); // its matrices, at least
  EXPECT_FALSE(r[3].contains("bytes"));
  EXPECT_NE(r[4]["error"].get<std::string>().find("known: energy, memory"), std::string::npos);
  EXPECT_EQ(r[5]["ok"], false);
}

TEST(Serve, WhatIsTrustedIsNotCompared) {
  Folder f;
  const std::string wrong = R"({"op":"measure","config":"[AddOne]\nchoice = \"Wrong\"\n","trials":3)";
  const auto r =
      serve(f, {kPrepare, wrong + R"(,"compare":false})", wrong + "}", wrong + R"(,"compare":true})"});
  EXPECT_EQ(r[1]["agrees"], true);
  EXPECT_EQ(r[1]["seconds"].size(), 3u);
  EXPECT_FALSE(r[1].contains("at"));
  EXPECT_EQ(r[2]["agrees"], false);
  EXPECT_EQ(r[3]["agrees"], false);
}

TEST(Serve, MeasuresEnergyWhereThereIsACounter) {
  Folder f;
  // Without a counter the program says so; a counter that never changes does not count as one.
  setenv("PB_POWERCAP", "/nowhere", 1);
  const auto none = serve(f, {kPrepare, R"({"op":"measure","metrics":["energy"]})", R"({"op":"meters"})"});
  EXPECT_NE(none[1]["error"].get<std::string>().find("no counter of energy"), std::string::npos);
  EXPECT_TRUE(none[2]["energy"].empty());
  const std::string zone = f.path("intel-rapl:0");
  std::filesystem::create_directory(zone);
  std::ofstream(zone + "/name") << "package-0\n";
  std::ofstream(zone + "/energy_uj") << "12345\n";
  setenv("PB_POWERCAP", f.path("").c_str(), 1);
  const auto r = serve(f, {kPrepare, R"({"op":"measure","metrics":["energy"],"trials":2})"});
  unsetenv("PB_POWERCAP");
  EXPECT_EQ(r[1]["error"], "the counters of energy do not move");
}

TEST(Serve, WaitsForCountersThatComeLate) {
  Folder f;
  const std::string zone = f.path("intel-rapl:0");
  std::filesystem::create_directory(zone);
  std::ofstream(zone + "/name") << "package-0\n";
  std::ofstream(zone + "/energy_uj") << "0\n";
  std::atomic<bool> ended = false;
  std::thread counter([&] {
    for (int joules = 1; !ended; ++joules) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      std::ofstream(zone + "/next") << joules << "000000\n";
      std::filesystem::rename(zone + "/next", zone + "/energy_uj");
    }
  });
  setenv("PB_POWERCAP", f.path("").c_str(), 1);
  const auto r = serve(f, {kPrepare, R"({"op":"measure","metrics":["energy"],"trials":3})"});
  unsetenv("PB_POWERCAP");
  ended = true;
  counter.join();
  ASSERT_EQ(r[1]["ok"], true) << r[1];
  for (const Json &joules : r[1]["joules"])
    EXPECT_GT(joules.get<double>(), 0);
}

TEST(Serve, JudgesTheDefaultOnOtherValues) {
  Folder f;
  const auto r =
      serve(f, {R"({"op":"prepare","sizes":{"w":8,"h":5},"values":"constant","judge":true})",
                R"({"op":"measure","config":"[AddOne]\nchoice = \"Wrong\"\n"})",
                R"({"op":"prepare","sizes":{"w":8,"h":5},"values":"sortde"})", R"({"op":"measure"})"});
  EXPECT_EQ(r[0]["finite"], true);
  EXPECT_EQ(r[0]["stable"], true);
  EXPECT_EQ(r[1]["agrees"], false);
  EXPECT_NE(r[1]["at"].get<std::string>().find(", expected "), std::string::npos);
  EXPECT_NE(r[2]["error"].get<std::string>().find("unknown \"values\" 'sortde' (did you mean 'sorted'?)"),
            std::string::npos);
  EXPECT_NE(r[3]["error"].get<std::string>().find("nothing is prepared"), std::string::npos);
}

TEST(Serve, FilesAreCropped) {
  Folder f;
  f.write("a.txt", "SIZE 3 2\n1 2 3\n4 5 6\n");
  const auto r = serve(f, {R"({"op":"sizes","inputs":["a.txt"]})",
                           R"({"op":"prepare","sizes":{"w":2},"inputs":["a.txt"]})", R"({"op":"measure"})",
                           R"({"op":"prepare","sizes":{"w":4},"inputs":["a.txt"]})", R"({"op":"measure"})"});
  EXPECT_EQ(r[0]["sizes"], (Json{{"w", 3}, {"h", 2}}));
  EXPECT_EQ(r[1]["n"], 2);
  EXPECT_EQ(r[2]["agrees"], true);
  EXPECT_EQ(r[3]["error"], "these sizes need A[w, h] to be [4, 2], the file has only [3, 2]");
  EXPECT_EQ(r[4]["error"], "nothing is prepared: send {\"op\":\"prepare\", ...} first");
}

TEST(Serve, SizesWithoutInputs) {
  Folder f;
  EXPECT_EQ(serve(f, {R"({"op":"sizes"})"})[0]["sizes"], (Json{{"w", 1024}, {"h", 1024}}));
  EXPECT_EQ(serve(f, {R"({"op":"sizes"})"}, {"--transform=Take"})[0]["sizes"],
            (Json{{"k", 1024}, {"n", 1024}}));
  const auto r =
      serve(f, {R"({"op":"prepare","sizes":{"k":3,"n":2}})", R"({"op":"measure"})"}, {"--transform=Take"});
  EXPECT_EQ(r[0]["n"], 3);
  EXPECT_EQ(r[1]["agrees"], true);
}

TEST(Serve, GeneratorMakesTheInputs) {
  Folder f;
  EXPECT_EQ(serve(f, {kPrepare}, {"--transform=Shifted"})[0]["ok"], true);
  EXPECT_EQ(serve(f, {R"({"op":"prepare","sizes":{"w":2,"h":2},"generator":"Ramp"})"})[0]["ok"], true);
  EXPECT_EQ(
      serve(f, {R"({"op":"prepare","sizes":{"w":2,"h":2},"generator":"Sum"})"})[0]["error"],
      "the generator Sum does not make the inputs of AddOne: their number, ranks or element types differ");
}

TEST(Serve, BadRequestsAreAnswered) {
  Folder f;
  const std::vector<std::string> bad = {"nonsense",
                                        "[]",
                                        "{}",
                                        "{\"op\":3}",
                                        R"({"op":"mesure"})",
                                        R"({"op":"measure"})",
                                        R"({"op":"prepare","sizes":[1]})",
                                        R"({"op":"prepare","sizes":{"w":-1}})",
                                        R"({"op":"prepare","sizes":{"w":1.5}})",
                                        R"({"op":"prepare","sizes":{"x":1}})",
                                        R"({"op":"prepare","inputs":["none.npy"]})",
                                        R"({"op":"prepare","inputs":[]})",
                                        R"({"op":"prepare","inputs":["-"]})",
                                        R"({"op":"prepare","seed":"x"})",
                                        R"({"op":"prepare","sizes":{"w":2000000}})",
                                        "{\"op\":\"\xff\"}",
                                        R"({"op":"prepare","generator":"None","sizes":{"w":1,"h":1}})"};
  for (const Json &r : serve(f, bad)) {
    EXPECT_EQ(r["ok"], false);
    EXPECT_FALSE(r["error"].get<std::string>().empty());
  }
  const auto r = serve(f, {kPrepare, R"({"op":"measure","config":"[AddOne]\nblock = 0\n"})",
                           R"({"op":"measure","trials":0})", R"({"op":"measure"})",
                           R"({"op":"prepare","inputs":["a.npy","b.npy"]})"});
  EXPECT_EQ(r[1]["error"], "config:2:9: error: AddOne.block = 0 is out of range: 1 to 4096");
  EXPECT_EQ(r[2]["ok"], false);
  EXPECT_EQ(r[3]["ok"], true); // still usable
  EXPECT_EQ(r[4]["error"], "AddOne takes 1 input file, not 2");
}

TEST(Serve, PrintingRulesDoNotBreakTheProtocol) {
  Folder f;
  const auto r = serve(f, {R"({"op":"prepare","sizes":{"n":4}})", R"({"op":"measure","trials":2})"},
                       {"--transform=Noisy", "--threads=1"});
  EXPECT_EQ(r[0]["ok"], true);
  EXPECT_EQ(r[1]["agrees"], true); // random numbers start again from the seed
}

TEST(Serve, AShortFirstRunDoesNotCount) {
  Folder f;
  const auto runs = [&](const std::string &requests) {
    const Ended e =
        f.run({"--transform=Noisy", "--threads=1", "--serve"}, R"({"op":"prepare","sizes":{"n":100}})"
                                                               "\n" +
                                                                   requests);
    EXPECT_EQ(e.status, 0) << e.err;
    int count = 0;
    for (size_t at = 0; (at = e.err.find("noise\n", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  const int before = runs("");
  std::string five;
  for (int i = 0; i < 5; ++i)
    five += R"({"op":"measure","trials":2})"
            "\n";
  EXPECT_GE(runs(five) - before, 5 * 3 - 2) << "even where others hold up two of them";
}

TEST(Serve, ACandidateThatExitsTakesTheProcessWithIt) {
  Folder f;
  const Ended e =
      f.run({"--serve"}, kPrepare + "\n" + R"({"op":"measure","config":"[AddOne]\nchoice = \"Exit\"\n"})" +
                             "\n" + kPrepare + "\n");
  EXPECT_EQ(e.status, 7);
}

/// The token lets a tuner distinguish an answer from other output on the same file.
TEST(Serve, AnAnswerBeginsWithTheTokenOfItsRequest) {
  Folder f;
  const Ended e =
      f.run({"--serve"}, "7:ab " + kPrepare + "\n" + kPrepare + "\n8:cd nonsense\n9:ef {\"op\":\"no\"}\n");
  EXPECT_EQ(e.status, 0) << e.err;
  EXPECT_EQ(e.out.rfind("\n7:ab {\"ok\":true,", 0), 0u) << e.out;
  EXPECT_NE(e.out.find("\n{\"ok\":true,"), std::string::npos) << e.out;
  EXPECT_NE(e.out.find("\n{\"ok\":false,\"error\":\"expected one JSON object"), std::string::npos) << e.out;
  EXPECT_NE(e.out.find("\n9:ef {\"ok\":false,"), std::string::npos) << e.out;
}

TEST(Serve, AChannelMustBeOpen) {
  Folder f;
  const Ended e = f.run({"--serve", "--channel=77"});
  EXPECT_EQ(e.status, 1);
  EXPECT_NE(e.err.find("--channel=77: no such descriptor is open"), std::string::npos) << e.err;
}

// SPDX-License-Identifier: Apache-2.0
// What compare.py and saved_logs.py measure that is C++, one thing a run:
//   extraction_bench write FOLDER            the logs and, by their number, the patterns
//   extraction_bench WHO FOLDER/LOG.log N    reads the log; prints the seconds of CPU time
//   extraction_bench noise BYTES             writes that log to the standard output
//   extraction_bench load                    makes the built-in rules ready; prints seconds
//   extraction_bench instructions            the instruction set that the literal matcher uses
// WHO: memchr, re2set, attribution.
#include <fmt/format.h>
#include <hs/hs.h>
#include <re2/set.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "engine/case.h"
#include "tests/bench/extraction/logs.h"
#include "tests/bench/extraction/rule_count.h"

namespace bench {
namespace {

constexpr std::size_t kLogBytes = 64 << 20;
// As `attribution analyze` reads.
constexpr std::size_t kChunkBytes = 256 << 10;

// Of the process: others on the machine count less than by the clock on the wall.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void WriteInputs(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Write(folder / "noise.log", NoiseLog(kLogBytes));
  Write(folder / "dense.log", ErrorLog(ErrorLines(), 8, kLogBytes));
  Write(folder / "hostile.log", ErrorLog(ErrorLines(), 0, kLogBytes));
  Write(folder / "kernel.log", KernelLog(kLogBytes));
  for (const std::size_t count : {50, 200, 500, 0}) {
    const auto patterns = PatternsOf(*RulesetOf(count));
    Write(folder / fmt::format("patterns-{}.txt", count),
          fmt::format("{}\n", fmt::join(patterns, "\n")));
  }
}

// The number of lines that the others would have to look at.
std::size_t CountLines(const std::string& log) {
  std::size_t lines = 0;
  const char* at = log.data();
  const char* const end = at + log.size();
  while ((at = static_cast<const char*>(
              std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr) {
    ++at;
    ++lines;
  }
  return lines;
}

std::size_t CountMatchesOfSet(const RE2::Set& set, const std::string& log) {
  std::size_t matches = 0;
  std::string_view rest = log;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (set.Match(re2::StringPiece(line.data(), line.size()), nullptr)) ++matches;
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return matches;
}

std::size_t Attribute(const std::shared_ptr<const engine::Ruleset>& ruleset, engine::Source source,
                      std::string_view log) {
  engine::Case one(ruleset, {.kind = "Job", .name_space = {}, .name = "bench"});
  const engine::StreamId stream = one.Open({.id = "log", .source = source});
  for (; !log.empty(); log.remove_prefix(std::min(kChunkBytes, log.size()))) {
    one.Ingest(stream, log.substr(0, kChunkBytes));
  }
  one.Close(stream, engine::Coverage::kComplete);
  return one.Attribute().symptoms.size();
}

void Measure(const std::string& who, const std::filesystem::path& path, std::size_t rules) {
  std::ifstream file(path, std::ios::binary);
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  if (log.empty()) throw std::runtime_error("no such log: " + path.string());
  const engine::Source source =
      path.stem() == "kernel" ? engine::Source::kKernel : engine::Source::kAppLog;
  std::function<std::size_t()> work;
  if (who == "memchr") {
    work = [&] { return CountLines(log); };
  } else if (who == "re2set") {
    RE2::Options options;
    options.set_max_mem(512 << 20);
    auto set = std::make_shared<RE2::Set>(options, RE2::UNANCHORED);
    for (const std::string& pattern : PatternsOf(*RulesetOf(rules))) set->Add(pattern, nullptr);
    set->Compile();
    work = [&log, set] { return CountMatchesOfSet(*set, log); };
  } else if (who == "attribution") {
    work = [&log, source, ruleset = RulesetOf(rules)] { return Attribute(ruleset, source, log); };
  } else {
    throw std::runtime_error("unknown: " + who);
  }
  work();  // what is done once (compiling what is needed, growing tables) is not measured
  const double began = CpuSeconds();
  const std::size_t result = work();
  fmt::print("{:.6f} {} {}\n", CpuSeconds() - began, log.size(), result);
}

void MeasureLoad() {
  const double began = CpuSeconds();
  RulesetOf(0);
  fmt::print("{:.6f}\n", CpuSeconds() - began);
}

void PrintInstructions() {
  hs_platform_info_t platform{};
  hs_populate_platform(&platform);
  const bool avx512 = (platform.cpu_features & HS_CPU_FEATURES_AVX512) != 0;
  const bool avx2 = (platform.cpu_features & HS_CPU_FEATURES_AVX2) != 0;
  fmt::print("{}\n", avx512 ? "AVX-512" : avx2 ? "AVX2" : "less than AVX2");
}

int Main(const std::vector<std::string>& arguments) {
  try {
    if (arguments.size() == 2 && arguments[0] == "write") {
      WriteInputs(arguments[1]);
    } else if (arguments.size() == 2 && arguments[0] == "noise") {
      std::cout << NoiseLog(std::stoul(arguments[1]));
    } else if (arguments.size() == 1 && arguments[0] == "load") {
      MeasureLoad();
    } else if (arguments.size() == 1 && arguments[0] == "instructions") {
      PrintInstructions();
    } else if (arguments.size() == 3) {
      Measure(arguments[0], arguments[1], std::stoul(arguments[2]));
    } else {
      throw std::runtime_error("see the head of the source for its arguments");
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "extraction_bench: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main({argv + 1, argv + argc}); }

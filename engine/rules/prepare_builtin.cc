// SPDX-License-Identifier: Apache-2.0
// Run when the engine is built: prepare_builtin OUT.cc RULES.yaml...
// Loads the built-in rules and writes what is worth knowing about them as C++. Fails, with file and
// line, when they are wrong.
#include <fmt/format.h>
#include <re2/re2.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/extract/matchers_impl.h"
#include "engine/extract/required_literals.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/rules/pattern.h"
#include "engine/rules/prepared_rules.h"

namespace engine {

// Here nothing is known yet.
const PreparedRules& PreparedRules::Builtin() {
  static const PreparedRules nothing{std::string_view()};
  return nothing;
}

namespace {

void AddPattern(const std::string& text, bool with_literals, PreparedRules::Contents& contents) {
  if (text.empty()) return;
  PreparedPattern& pattern = contents.patterns[text];
  const RE2 re(text, PatternOptions());
  pattern.groups.clear();
  for (const auto& [name, index] : re.NamedCapturingGroups()) pattern.groups.push_back(name);
  // A text may stand as a match and as something else.
  if (with_literals) pattern.literals = RequiredLiterals(text);
}

void AddPatterns(const RuleModel& model, PreparedRules::Contents& contents) {
  for (const ExtractorRule& rule : model.extractors) {
    AddPattern(rule.unless, false, contents);
    if (!rule.record) continue;
    AddPattern(rule.record->continue_pattern, false, contents);
    AddPattern(rule.record->require, false, contents);
  }
  for (const ExtractorRule& rule : model.extractors) AddPattern(rule.match, true, contents);
  for (const CollectorRule& rule : model.collectors) AddPattern(rule.match, true, contents);
}

void AddMatchers(const Matchers::Impl& matchers, PreparedRules::Contents& contents) {
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    const auto source = static_cast<Source>(i);
    if (matchers.matcher(source) == nullptr) continue;
    contents.matchers[PreparedRules::Join(matchers.literals(source))] =
        matchers.matcher(source)->Serialize();
  }
}

// The bytes as string literals of moderate length.
std::string CppOf(const std::string& bytes) {
  std::string text =
      "// Made from config/rulesets/builtin.\n#include \"engine/rules/prepared_rules.h\"\n\n"
      "namespace engine {\nnamespace {\n\nconstexpr char kBytes[] =";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 64 == 0) text += i == 0 ? "\n    \"" : "\"\n    \"";
    text += fmt::format("\\{:03o}", static_cast<std::uint8_t>(bytes[i]));
  }
  return text + fmt::format(
                    "\";\n\n}}  // namespace\n\nconst PreparedRules& PreparedRules::Builtin() {{\n"
                    "  static const PreparedRules prepared{{std::string_view(kBytes, {})}};\n"
                    "  return prepared;\n}}\n\n}}  // namespace engine\n",
                    bytes.size());
}

int Main(const std::vector<std::string>& arguments) {
  PreparedRules::Contents contents;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    RulesetDocument& document = contents.documents.emplace_back();
    document.name = std::filesystem::path(arguments[i]).stem().string();
    document.text.assign(std::istreambuf_iterator<char>(file), {});
    DocumentProblem problem;
    // What is wrong is said by Load().
    ParseDocuments(document.text, &contents.parsed.emplace_back(), &problem);
  }
  const RulesetLoad load = Ruleset::Load(contents.documents);
  for (const RulesetProblem& problem : load.problems) {
    fmt::print(stderr, "config/rulesets/builtin/{}.yaml:{}:{}: {} ({}): {}\n", problem.file,
               problem.line, problem.column, problem.path, problem.rule, problem.message);
  }
  if (load.ruleset == nullptr) return 1;
  const CompiledRuleset& ruleset = CompiledRuleset::From(*load.ruleset);
  AddPatterns(ruleset.model(), contents);
  AddMatchers(ruleset.matchers().impl(), contents);
  std::ofstream out(arguments.at(0), std::ios::binary);
  out << CppOf(PreparedRules::Encode(contents));
  return out.flush() ? 0 : 1;
}

}  // namespace
}  // namespace engine

int main(int argc, char** argv) { return engine::Main({argv + 1, argv + argc}); }

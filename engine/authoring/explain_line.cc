// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/explain_line.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "engine/extract/matchers.h"
#include "engine/extract/matchers_impl.h"
#include "engine/extract/prefix.h"
#include "engine/extract/required_literals.h"
#include "engine/extract/stream_reader.h"
#include "engine/extract/visible_line.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/rules/pattern.h"

namespace engine {
namespace {

constexpr std::size_t kShownBytes = 120;

std::string Shown(std::string_view text) { return CutLine(std::string(text), kShownBytes); }

bool Finds(const std::string& text, const std::string& pattern) {
  const RE2 compiled(pattern, PatternOptions());
  return compiled.ok() && RE2::PartialMatch(text, compiled);
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The pattern's beginning of that length, its open groups closed; empty: it ends in the middle of
// something, or where nothing is demanded.
std::string Beginning(const std::string& pattern, std::size_t size) {
  std::string part = pattern.substr(0, size);
  if (part.empty() || part.back() == '|') return {};
  const std::string group = part.substr(std::min(part.rfind('('), part.size()));
  static const RE2 holds_nothing(R"(\((?:\?(?::|P(?:<\w*>?)?)?)?)");
  if (RE2::FullMatch(group, holds_nothing)) return {};
  int open = 0;
  bool in_class = false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\\') {
      ++i;
    } else if (in_class) {
      in_class = part[i] != ']';
    } else if (part[i] == '[') {
      in_class = true;
      if (i + 1 < part.size() && part[i + 1] == ']') ++i;
    } else if (part[i] == '(') {
      ++open;
    } else if (part[i] == ')') {
      --open;
    }
  }
  if (in_class || open < 0) return {};
  return part + std::string(static_cast<std::size_t>(open), ')');
}

// Why a rule doesn't take a line, and how nearly it does: 1 if its pattern would, were it for that
// alone. No text: it has nothing to do with the line.
struct Reason {
  std::string text;
  double nearness = 1;
};

class Explainer {
 public:
  Explainer(const CompiledRuleset& ruleset, Source source, const std::vector<std::string>& lines)
      : ruleset_(ruleset), source_(source), line_(VisibleLine(lines.front())) {
    StreamReader reader(ruleset, {.id = "line", .source = source}, {});
    for (const std::string& line : lines) reader.Feed(line + '\n');
    reader.Finish();
    matched_ = reader.Contents().matched;
    const Prefix prefix = ReadPrefix(line_, source, std::nullopt);
    explained_.taken_off = line_.substr(0, prefix.message);
    explained_.message = line_.substr(prefix.message);
    if (prefix.clock == Clock::kAbsolute) explained_.time = prefix.time;
    explained_.node = prefix.node;
    explained_.rank = prefix.rank;
  }

  LineExplanation Run() {
    const auto& extractors = ruleset_.model().extractors;
    std::vector<std::pair<double, RuleOnLine>> near;
    for (std::size_t i = 0; i < extractors.size(); ++i) {
      const ExtractorRule& rule = extractors[i];
      RuleOnLine on_line{.rule = rule.name, .path = rule.path, .symptom = rule.symptom};
      ReadGroups(static_cast<int>(i), rule, on_line);
      on_line.matches = matched_.contains(static_cast<int>(i));
      if (on_line.matches) {
        explained_.rules.push_back(std::move(on_line));
        continue;
      }
      Reason reason = WhyNot(static_cast<int>(i), rule, on_line);
      if (reason.text.empty()) continue;
      on_line.why_not = std::move(reason.text);
      near.emplace_back(reason.nearness, std::move(on_line));
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [nearness, on_line] : near) explained_.rules.push_back(std::move(on_line));
    return std::move(explained_);
  }

 private:
  const std::string& message() const { return explained_.message; }

  void ReadGroups(int index, const ExtractorRule& rule, RuleOnLine& on_line) const {
    const CompiledPattern& pattern = ruleset_.matchers().impl().pattern(index);
    const RE2& match = pattern.match.get();
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(match.NumberOfCapturingGroups()) +
                                        1);
    if (!match.Match(message(), 0, message().size(), RE2::UNANCHORED, found.data(),
                     static_cast<int>(found.size()))) {
      return;
    }
    for (const auto& [name, group] : pattern.match.groups()) {
      const re2::StringPiece& piece = found[static_cast<std::size_t>(group)];
      if (piece.data() != nullptr) on_line.captures[name] = std::string(piece);
    }
    if (rule.table.empty()) return;
    const auto row = ruleset_.FindTable(rule.table)->rows.find(KeyOf(on_line));
    if (row != ruleset_.FindTable(rule.table)->rows.end()) on_line.symptom = row->second;
  }

  static std::string KeyOf(const RuleOnLine& on_line) {
    for (const char* group : {"code", "exception"}) {
      const auto found = on_line.captures.find(group);
      if (found != on_line.captures.end() && !found->second.empty()) return found->second;
    }
    return {};
  }

  Reason WhyNot(int index, const ExtractorRule& rule, const RuleOnLine& on_line) const {
    const CompiledPattern& pattern = ruleset_.matchers().impl().pattern(index);
    if (RE2::PartialMatch(message(), pattern.match.get())) {
      return {WhyNotThoughItMatches(pattern, rule, on_line)};
    }
    // The rest is for authors of this source's rules: others share much of the words.
    if (!ReadsSource(rule)) return {};
    if (std::string why = WhyNotInItsPlace(rule); !why.empty()) return {std::move(why)};
    return WhyNotOfItsWords(rule);
  }

  bool ReadsSource(const ExtractorRule& rule) const {
    return std::find(rule.sources.begin(), rule.sources.end(), source_) != rule.sources.end();
  }

  std::string WhyNotThoughItMatches(const CompiledPattern& pattern, const ExtractorRule& rule,
                                    const RuleOnLine& on_line) const {
    if (!ReadsSource(rule)) {
      std::string sources;
      for (const Source source : rule.sources) {
        sources += (sources.empty() ? "" : ", ") + std::string(ToString(source));
      }
      return fmt::format("its pattern matches, but it reads {}, not {}", sources,
                         ToString(source_));
    }
    re2::StringPiece found;
    if (!pattern.unless.none() &&
        pattern.unless.get().Match(message(), 0, message().size(), RE2::UNANCHORED, &found, 1)) {
      return fmt::format("its pattern matches, but `unless` finds \"{}\"",
                         Shown({found.data(), found.size()}));
    }
    if (!rule.table.empty() && on_line.symptom.empty()) {
      return fmt::format("its pattern matches, but \"{}\" is not in the table {}",
                         Shown(KeyOf(on_line)), rule.table);
    }
    if (rule.record) {
      return fmt::format(
          "its pattern matches, but the record lacks /{}/ (further lines, each matching /{}/, are "
          "given by more of --line)",
          rule.record->require, rule.record->continue_pattern);
    }
    if (rule.counter) return "its pattern matches; a counter hits when a later reading is higher";
    return "its pattern matches, but the line is left out for another reason";
  }

  // A pattern that would match elsewhere.
  std::string WhyNotInItsPlace(const ExtractorRule& rule) const {
    if (!explained_.taken_off.empty() && Finds(line_, rule.match)) {
      return fmt::format(
          "matches only with \"{}\" in front, which is taken off before patterns see "
          "the line",
          Shown(explained_.taken_off));
    }
    if (!rule.match.starts_with('^')) return {};
    const std::string anywhere = rule.match.substr(1);
    const RE2 compiled(anywhere, PatternOptions());
    re2::StringPiece found;
    if (!compiled.ok() ||
        !compiled.Match(message(), 0, message().size(), RE2::UNANCHORED, &found, 1) ||
        found.empty()) {
      return {};
    }
    return fmt::format("is anchored by ^, and \"{}\" stands in front of what it would match",
                       Shown(std::string_view(message()).substr(
                           0, static_cast<std::size_t>(found.data() - message().data()))));
  }

  // A pattern some fixed text of which is there.
  Reason WhyNotOfItsWords(const ExtractorRule& rule) const {
    const std::string lower = Lower(message());
    const std::vector<std::string> literals = RequiredLiterals(rule.match);
    const auto there = std::find_if(
        literals.begin(), literals.end(),
        [&](const std::string& literal) { return lower.find(literal) != std::string::npos; });
    if (there == literals.end()) return {};
    for (std::size_t size = rule.match.size() - 1; size > 0; --size) {
      const std::string beginning = Beginning(rule.match, size);
      // One that finds the empty text demands nothing.
      if (beginning.empty() || !Finds(message(), beginning) || Finds("", beginning)) continue;
      return {
          fmt::format("has \"{}\", and the line fits as far as /{}/; what is missing is /{}/",
                      *there, Shown(rule.match.substr(0, size)), Shown(rule.match.substr(size))),
          static_cast<double>(size) / static_cast<double>(rule.match.size())};
    }
    return {fmt::format("has \"{}\", but the line does not fit the beginning of /{}/", *there,
                        Shown(rule.match)),
            0};
  }

  const CompiledRuleset& ruleset_;
  const Source source_;
  const std::string line_;
  std::set<int> matched_;
  LineExplanation explained_;
};

}  // namespace

LineExplanation ExplainLine(const std::shared_ptr<const Ruleset>& ruleset, Source source,
                            const std::vector<std::string>& lines) {
  return Explainer(CompiledRuleset::From(*ruleset), source, lines).Run();
}

}  // namespace engine

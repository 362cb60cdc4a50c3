// SPDX-License-Identifier: Apache-2.0
#include "operator/report_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "operator/visible_text.h"

namespace app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSymptomsShown = 5;
constexpr std::size_t kGapsShown = 5;

const Json& At(const Json& object, const char* key) {
  static const Json absent;
  if (!object.is_object()) return absent;
  const auto found = object.find(key);
  return found == object.end() ? absent : *found;
}

std::string TextOf(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_string() ? VisibleText(value.get_ref<const std::string&>()) : std::string();
}

std::int64_t NumberOf(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::string Joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string Plural(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// What the words of the API mean, for a reader who sees them for the first time.
std::string_view LevelMeaning(std::string_view level) {
  if (level == "Established") return "proven by a source that the workload cannot write";
  if (level == "Supported") return "the evidence agrees, but is indirect";
  if (level == "Hypothesis") return "a guess, with little to support it";
  return {};
}

std::string_view TrustMeaning(std::string_view trust) {
  if (trust == "Workload") return "the workload's own words";
  if (trust == "Cluster") return "the cluster's words";
  if (trust == "Node") return "the node's words";
  return {};
}

std::string_view UncertaintyMeaning(std::string_view uncertainty) {
  if (uncertainty == "NodeLogsMissing") {
    return "The logs of the node were not read, so a fault of the node can be neither shown nor "
           "excluded.";
  }
  if (uncertainty == "LogsRotated") {
    return "The beginning of a log is gone, and the cause may have stood there.";
  }
  if (uncertainty == "OnlyEffects") {
    return "What was seen are consequences; what caused them was not.";
  }
  if (uncertainty == "Ambiguous") return "Several causes fit equally well.";
  if (uncertainty == "NoEvidence") return "Nothing in what was read says why it ended.";
  if (uncertainty == "RemoteCluster") {
    return "Its pods ran in another cluster, which has to be asked.";
  }
  return {};
}

// Catalog ids of actions are words joined by dashes.
std::string ActionText(const Json& action) {
  std::string text =
      action.is_string() ? VisibleText(action.get_ref<const std::string&>()) : std::string();
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

class Report {
 public:
  Report(const Json& status, const ReportOptions& options) : status_(status), options_(options) {}

  std::string Text() {
    Verdict();
    Why();
    Tail();
    Actions();
    Symptoms();
    Nodes();
    Gaps();
    if (options_.wide) {
      Evidence();
      Facts();
    }
    return std::move(out_);
  }

 private:
  std::string Styled(std::string_view codes, std::string_view text) const {
    if (!options_.color || text.empty()) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", codes, text);
  }
  std::string Bold(std::string_view text) const { return Styled("1", text); }
  std::string Dim(std::string_view text) const { return Styled("2", text); }

  void Line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }
  void Heading(std::string_view text) {
    out_ += '\n';
    Line(Bold(text));
  }
  // "  <label>  <text>", nothing if there is no text.
  void Field(std::string_view label, const std::string& text) {
    if (!text.empty()) Line(fmt::format("  {} {}", Dim(fmt::format("{:<9}", label)), text));
  }

  void Verdict() {
    const Json& verdict = At(status_, "verdict");
    const std::string result = TextOf(verdict, "result");
    std::string_view color = "1;35";  // Unknown, or nothing yet
    if (result == "Failed") color = "1;31";
    if (result == "Cancelled") color = "1;33";
    if (result == "Succeeded") color = "1;32";
    Line(Styled(color, HeadlineText(status_, options_.title)));
    const std::string message = TextOf(verdict, "message");
    if (!message.empty()) Line("  " + message);
    const std::string uncertainty = TextOf(verdict, "uncertainty");
    const std::string_view meaning = UncertaintyMeaning(uncertainty);
    // An Unknown's message says it already.
    if (!meaning.empty() && (result != "Unknown" || message.empty())) {
      Line(fmt::format("  {}", meaning));
    }

    const std::string level = TextOf(verdict, "evidenceLevel");
    if (!level.empty() && result != "Unknown") {
      const std::string_view words = LevelMeaning(level);
      Field("evidence", words.empty() ? level : fmt::format("{} ({})", level, words));
    }
    Field("symptom", options_.title.empty() ? std::string() : TextOf(verdict, "symptom"));
    Field("culprit", PlaceText(At(verdict, "culprit")));
    std::vector<std::string> others;
    for (const Json& domain : At(verdict, "otherDomains")) {
      if (domain.is_string()) others.push_back(VisibleText(domain.get<std::string>()));
    }
    Field("also", Joined(others, ", "));
    for (const Json& actor : At(verdict, "actors")) {
      std::vector<std::string> parts;
      for (const char* key : {"kind", "name"}) {
        if (!TextOf(actor, key).empty()) parts.push_back(TextOf(actor, key));
      }
      std::string text = Joined(parts, " ");
      if (!TextOf(actor, "reason").empty()) text += fmt::format(" ({})", TextOf(actor, "reason"));
      Field("ended by", text);
    }
  }

  // "node n1, GPU 0000:3b:00 GPU-..., rank 2".
  static std::string PlaceText(const Json& place) {
    std::vector<std::string> parts;
    if (!TextOf(place, "node").empty()) parts.push_back("node " + TextOf(place, "node"));
    std::string gpu = TextOf(place, "pciAddress");
    const std::string uuid = TextOf(place, "gpuUUID");
    if (!uuid.empty()) gpu += (gpu.empty() ? "" : " ") + uuid;
    if (!gpu.empty()) parts.push_back("GPU " + gpu);
    if (At(place, "rank").is_number_integer()) {
      parts.push_back(fmt::format("rank {}", NumberOf(place, "rank")));
    }
    return Joined(parts, ", ");
  }

  void Why() {
    const Json& root = At(status_, "root");
    if (!root.is_object() || root.empty()) return;
    Heading("Why");
    std::string place = TextOf(root, "object");
    if (!TextOf(root, "container").empty()) place += "/" + TextOf(root, "container");
    if (NumberOf(root, "lineNumber") > 0) {
      place += fmt::format("{}{}", place.empty() ? "line " : ":", NumberOf(root, "lineNumber"));
    }
    std::vector<std::string> about;
    const std::string source = TextOf(root, "source");
    const std::string_view trust = TrustMeaning(TextOf(root, "trust"));
    if (!source.empty()) {
      about.push_back(trust.empty() ? source : fmt::format("{}, {}", source, trust));
    }
    if (!TextOf(root, "time").empty()) about.push_back(TextOf(root, "time"));
    if (!TextOf(root, "rule").empty()) about.push_back("rule " + TextOf(root, "rule"));
    Line(fmt::format("  {}  {}", place, Dim(fmt::format("[{}]", Joined(about, "; ")))));
    Context(At(root, "before"));
    Line("    > " + Bold(TextOf(root, "line")));
    Context(At(root, "after"));
  }

  void Context(const Json& lines) {
    for (const Json& line : lines) {
      if (line.is_string()) Line("      " + Dim(VisibleText(line.get<std::string>())));
    }
  }

  void Tail() {
    const Json& tail = At(status_, "tail");
    if (!tail.is_array() || tail.empty()) return;
    const std::size_t shown = options_.wide ? tail.size() : std::min<std::size_t>(tail.size(), 15);
    Heading("Last lines");
    for (std::size_t i = tail.size() - shown; i < tail.size(); ++i) {
      if (tail[i].is_string()) Line("    " + VisibleText(tail[i].get<std::string>()));
    }
  }

  void Actions() {
    const Json& actions = At(At(status_, "verdict"), "actions");
    if (!actions.is_array() || actions.empty()) return;
    Heading("What to do");
    for (const Json& action : actions) Line("  - " + ActionText(action));
  }

  void Symptoms() {
    const Json& symptoms = At(status_, "symptoms");
    if (!symptoms.is_array() || symptoms.empty()) return;
    // The one that decided was told already.
    if (!options_.wide && symptoms.size() == 1) return;
    Heading(options_.wide ? "Symptoms" : "Seen");
    std::size_t shown = 0;
    for (const Json& symptom : symptoms) {
      if (!options_.wide && shown == kSymptomsShown) {
        Line(Dim(fmt::format("  and {} more (-o wide shows them)", symptoms.size() - shown)));
        break;
      }
      ++shown;
      Line("  " + SymptomText(symptom));
    }
  }

  std::string SymptomText(const Json& symptom) const {
    std::string text =
        fmt::format("{:<10} {}", TextOf(symptom, "role"), TextOf(symptom, "symptom"));
    const std::string place = PlaceText(symptom);
    if (!place.empty()) text += ", " + place;
    if (NumberOf(symptom, "count") > 1)
      text += fmt::format(", {} times", NumberOf(symptom, "count"));
    if (!TextOf(symptom, "firstTime").empty()) text += ", " + TextOf(symptom, "firstTime");
    const std::string cause = SymptomOf(TextOf(symptom, "explainedBy"));
    if (!cause.empty()) text += ", explained by " + cause;
    return text;
  }

  // The catalog id of the symptom entry with this id.
  std::string SymptomOf(const std::string& id) const {
    if (id.empty()) return {};
    for (const Json& symptom : At(status_, "symptoms")) {
      if (TextOf(symptom, "id") == id) return TextOf(symptom, "symptom");
    }
    return id;
  }

  void Nodes() {
    const Json& nodes = At(status_, "nodes");
    if (!nodes.is_array() || nodes.empty()) return;
    Heading("Nodes");
    for (const Json& node : nodes) {
      std::string text = fmt::format("  {:<10} {}", TextOf(node, "role"), TextOf(node, "name"));
      if (!TextOf(node, "fault").empty()) text += ", NodeFault " + TextOf(node, "fault");
      Line(text);
    }
  }

  void Gaps() {
    const Json& gaps = At(status_, "gaps");
    if (!gaps.is_array() || gaps.empty()) return;
    Heading("What is missing");
    std::size_t shown = 0;
    for (const Json& gap : gaps) {
      if (!options_.wide && shown == kGapsShown) {
        Line(Dim(fmt::format("  and {} more (-o wide shows them)", gaps.size() - shown)));
        break;
      }
      ++shown;
      std::vector<std::string> parts;
      for (const char* key : {"source", "object", "reason"}) {
        if (!TextOf(gap, key).empty()) parts.push_back(TextOf(gap, key));
      }
      std::string text = "  " + Joined(parts, " ");
      if (!TextOf(gap, "message").empty()) text += ": " + TextOf(gap, "message");
      Line(text);
    }
  }

  void Evidence() {
    const Json& evidence = At(status_, "evidence");
    if (!evidence.is_array() || evidence.empty()) return;
    Heading("What was read");
    for (const Json& source : evidence) {
      std::vector<std::string> parts;
      for (const char* key : {"complete", "partial", "missing", "forbidden"}) {
        if (NumberOf(source, key) > 0) {
          parts.push_back(fmt::format("{} {}", NumberOf(source, key), key));
        }
      }
      parts.push_back(Plural(NumberOf(source, "lines"), "line", "lines"));
      parts.push_back(Plural(NumberOf(source, "bytes"), "byte", "bytes"));
      Line(fmt::format("  {:<13} {}", TextOf(source, "source"), Joined(parts, ", ")));
    }
  }

  void Facts() {
    bool any = false;
    for (const Json& fact : At(status_, "facts")) {
      if (TextOf(fact, "state") != "Found") continue;
      if (!any) Heading("Facts");
      any = true;
      Line(fmt::format("  {:<24} {}", TextOf(fact, "name"), TextOf(fact, "value")));
    }
  }

  const Json& status_;
  const ReportOptions& options_;
  std::string out_;
};

}  // namespace

std::string HeadlineText(const Json& status, std::string_view title) {
  const Json& verdict = At(status, "verdict");
  const std::string result = TextOf(verdict, "result");
  if (result.empty()) return "No verdict yet";
  std::string text = result;
  const std::string domain = TextOf(verdict, "domain");
  if (result == "Failed" && !domain.empty()) text += ", " + domain;
  const std::string symptom = title.empty() ? TextOf(verdict, "symptom") : VisibleText(title);
  if (!symptom.empty()) text += ": " + symptom;
  return text;
}

std::string ReportText(const Json& status, const ReportOptions& options) {
  return Report(status, options).Text();
}

bool StdoutWantsColor() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && no_color[0] != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return isatty(STDOUT_FILENO) == 1;
}

}  // namespace app

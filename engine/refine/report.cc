// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/case.h"
#include "engine/extract/visible_line.h"
#include "engine/refine/correlated.h"
#include "engine/refine/root.h"
#include "engine/refine/success.h"

namespace engine {
namespace {

constexpr std::size_t kMaxSymptoms = 32;
constexpr std::size_t kMaxNodes = 32;
constexpr std::size_t kMaxFacts = 32;
constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kMaxContextLine = 512;
constexpr std::size_t kMaxTailLine = 1024;

bool IsOfOneNode(const CatalogEntry& entry) {
  const Scope scope = ScopeOf(entry);
  return scope == Scope::kGpu || scope == Scope::kNode;
}

// A symptom that is a node's: naming the node accuses it. What the user's program did to a GPU
// (Xid 13, Xid 31) accuses nobody's node.
bool IsOfANode(const CatalogEntry& entry) {
  if (entry.domain == Domain::kUser) return false;
  return IsOfOneNode(entry) || ScopeOf(entry) == Scope::kFabric;
}

std::string Captured(const Event& event, const std::string& name) {
  const auto found = event.captures.find(name);
  return found == event.captures.end() ? std::string() : found->second;
}

std::string WordFor(const std::string& name, const Event& event) {
  if (name == "node") return event.node.empty() ? "an unknown node" : event.node;
  if (name == "pci" && !event.pci_address.empty()) return event.pci_address;
  if (name == "uuid" && !event.gpu_uuid.empty()) return event.gpu_uuid;
  if (name == "rank" && event.rank) return std::to_string(*event.rank);
  if (std::string captured = Captured(event, name); !captured.empty()) return captured;
  if (name == "pci" || name == "gpu" || name == "uuid") {
    if (!event.pci_address.empty()) return event.pci_address;
    if (!event.gpu_uuid.empty()) return event.gpu_uuid;
    return "(unknown)";
  }
  return "(unknown)";
}

std::string FillIn(const std::string& text, const Event& event) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t close = text[i] == '{' ? text.find('}', i) : std::string::npos;
    if (close == std::string::npos) {
      out += text[i];
      continue;
    }
    out += WordFor(text.substr(i + 1, close - i - 1), event);
    i = close;
  }
  return out;
}

class Reporter {
 public:
  Reporter(const Refinement& refinement, const ReportInputs& inputs, const Redaction& redaction)
      : refinement_(refinement), inputs_(inputs), redaction_(redaction) {}

  Attribution Run() {
    choice_ = ChooseRoot(refinement_);
    const int success = SuccessOf(refinement_);
    const bool succeeded = success >= 0 || refinement_.workload.outcome == Outcome::kSucceeded;
    if (succeeded) {
      ReportSuccess(success);
    } else if (choice_.root < 0) {
      ReportUnknown();
    } else if (choice_.tied) {
      ReportTie();
    } else {
      ReportRoot();
    }
    if (attribution_.verdict.result == Result::kUnknown) {
      attribution_.tail = inputs_.tail;
      redaction_.ApplyToBlock(attribution_.tail);
      for (std::string& line : attribution_.tail) line = CutLine(std::move(line), kMaxTailLine);
    }
    ReportSymptoms();
    if (!succeeded) ReportNodes();
    for (const auto& [source, report] : refinement_.evidence) {
      attribution_.evidence.push_back(report);
    }
    attribution_.gaps = inputs_.gaps;
    attribution_.facts = inputs_.facts;
    for (Fact& fact : attribution_.facts) fact.value = Clean(fact.value);
    if (attribution_.facts.size() > kMaxFacts) attribution_.facts.resize(kMaxFacts);
    return std::move(attribution_);
  }

 private:
  const Finding& Root() const {
    return refinement_.findings[static_cast<std::size_t>(choice_.root)];
  }
  std::string Clean(const std::string& line) const {
    return CutLine(redaction_.Apply(line), kMaxLine);
  }

  // `word`: the finding that says so; -1: its controller did.
  void ReportSuccess(int word) {
    attribution_.verdict.result = Result::kSucceeded;
    attribution_.verdict.message = "The workload succeeded in the end.";
    choice_ = {};
    choice_.root = word;
    if (word >= 0) ReportRootLine();
  }

  bool HasGap(const char* reason) const {
    return std::any_of(inputs_.gaps.begin(), inputs_.gaps.end(),
                       [&](const Gap& gap) { return gap.reason == reason; });
  }

  void ReportUnknown() {
    Verdict& verdict = attribution_.verdict;
    const Finding* effect = FirstEffect();
    if (HasGap("RemoteCluster")) {
      verdict.uncertainty = Uncertainty::kRemoteCluster;
      verdict.message = "Its pods ran in another cluster, which has to be asked.";
      verdict.actions = {"look-in-worker-cluster"};
    } else if (HasGap("LogRotated")) {
      verdict.uncertainty = Uncertainty::kLogsRotated;
      verdict.message =
          "The beginning of a log was rotated away, and the cause may have stood there.";
      verdict.actions = {"raise-container-log-max-size"};
    } else if (!refinement_.IsComplete(Source::kKernel)) {
      verdict.uncertainty = Uncertainty::kNodeLogsMissing;
      verdict.message =
          effect != nullptr
              ? "What was seen are consequences, and the kernel logs of its nodes, which could "
                "show the cause, were not read completely."
              : "Nothing that was read says why it ended, and the kernel logs of its nodes were "
                "not read completely.";
      verdict.actions = {"read-kernel-logs-of-its-nodes"};
    } else if (effect != nullptr) {
      verdict.uncertainty = Uncertainty::kOnlyEffects;
      verdict.message = fmt::format(
          "What was seen are consequences (first: {}); what caused them was not, in the program's "
          "output nor on its nodes.",
          effect->entry->title);
      verdict.actions = {"read-last-lines", "have-the-program-print-its-errors"};
    } else {
      verdict.uncertainty = Uncertainty::kNoEvidence;
      verdict.message =
          "Nothing that was read says why it ended. The last lines of its output may tell a "
          "person.";
      verdict.actions = {"read-last-lines", "have-the-program-print-its-errors"};
    }
  }

  const Finding* FirstEffect() const {
    const Finding* first = nullptr;
    for (const Finding& finding : refinement_.findings) {
      if (finding.entry->role == Role::kBenign) continue;
      if (first == nullptr || Earlier(finding.event, first->event)) first = &finding;
    }
    return first;
  }

  void ReportTie() {
    Verdict& verdict = attribution_.verdict;
    verdict.result = Result::kUnknown;
    verdict.uncertainty = Uncertainty::kAmbiguous;
    std::set<Domain> domains;
    std::string names;
    for (const int index : All()) {
      const Finding& finding = refinement_.findings[static_cast<std::size_t>(index)];
      domains.insert(finding.entry->domain);
      if (names.size() < 200) names += (names.empty() ? "" : ", ") + finding.entry->title;
    }
    for (const Domain domain : domains) {
      if (domain != Domain::kUnknown && verdict.other_domains.size() < 4) {
        verdict.other_domains.push_back(domain);
      }
    }
    verdict.message = fmt::format(
        "Several causes fit equally well, and it cannot be told which came first: {}.", names);
    ReportRootLine();
  }

  void ReportRoot() {
    const Finding& root = Root();
    const CatalogEntry& entry = *root.entry;
    const Event& event = root.event;
    Verdict& verdict = attribution_.verdict;
    verdict.result = entry.result;
    verdict.domain = entry.domain;
    verdict.symptom = entry.id;
    verdict.title = entry.title;
    verdict.evidence_level = LevelOf(refinement_, root);
    verdict.message = Clean(FillIn(entry.message.empty() ? entry.title : entry.message, event));
    verdict.actions = entry.actions;
    if (choice_.ambiguous) verdict.uncertainty = Uncertainty::kAmbiguous;
    if (IsOfANode(entry)) {
      verdict.culprit.node = event.node;
      verdict.culprit.gpu_uuid = event.gpu_uuid;
      verdict.culprit.pci_address = event.pci_address;
    }
    verdict.culprit.rank = event.rank;
    if (entry.result == Result::kCancelled) {
      verdict.actors.push_back({.kind = entry.actor.empty() ? "Unknown" : entry.actor,
                                .name = IsOfANode(entry) ? event.node : Captured(event, "value"),
                                .reason = entry.title});
    }
    // What several peers report of the fabric can be one dead node: only nodes' own symptoms count.
    if (IsOfOneNode(entry) &&
        (entry.domain == Domain::kHardware || entry.domain == Domain::kNetwork)) {
      if (const std::string why = CorrelatedWith(refinement_, root); !why.empty()) {
        correlated_ = true;
        verdict.culprit = {};
        verdict.domain = Domain::kPlatform;
        verdict.other_domains.push_back(entry.domain);
        verdict.evidence_level = std::min(verdict.evidence_level, EvidenceLevel::kSupported);
        verdict.message += fmt::format(" This is no fault of the node alone: {}.", why);
      }
    }
    AddOtherDomains();
    verdict.node_fault = verdict.evidence_level == EvidenceLevel::kEstablished && entry.taint &&
                         !verdict.culprit.node.empty() && verdict.result == Result::kFailed &&
                         !correlated_ && !choice_.ambiguous;
    ReportRootLine();
  }

  // Later roots that nothing explains had a part in it.
  void AddOtherDomains() {
    Verdict& verdict = attribution_.verdict;
    std::set<Domain> domains(verdict.other_domains.begin(), verdict.other_domains.end());
    for (const Finding& finding : refinement_.findings) {
      if (finding.explained_by >= 0 || finding.entry->role != Role::kRoot) continue;
      if (finding.entry->domain != verdict.domain && finding.entry->domain != Domain::kUnknown) {
        domains.insert(finding.entry->domain);
      }
    }
    domains.erase(verdict.domain);
    verdict.other_domains.assign(domains.begin(), domains.end());
    if (verdict.other_domains.size() > 4) verdict.other_domains.resize(4);
  }

  void ReportRootLine() {
    const Event& event = Root().event;
    RootLine root{.source = event.source,
                  .trust = event.trust,
                  .object = event.object,
                  .container = event.container,
                  .rule = event.rule,
                  .time = event.has_time() ? std::optional(event.time) : std::nullopt,
                  .line_number = event.line_number,
                  .line = {},
                  .before = {},
                  .after = {}};
    std::vector<std::string> lines = event.before;
    lines.push_back(event.line);
    lines.insert(lines.end(), event.after.begin(), event.after.end());
    redaction_.ApplyToBlock(lines);
    const std::size_t at = event.before.size();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i] = CutLine(std::move(lines[i]), i == at ? kMaxLine : kMaxContextLine);
      if (i < at) root.before.push_back(std::move(lines[i]));
      if (i == at) root.line = std::move(lines[i]);
      if (i > at) root.after.push_back(std::move(lines[i]));
    }
    attribution_.root = std::move(root);
  }

  std::vector<int> All() const {
    std::vector<int> all{choice_.root};
    all.insert(all.end(), choice_.others.begin(), choice_.others.end());
    return all;
  }

  void ReportSymptoms() {
    std::vector<int> order(refinement_.findings.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto rank = [&](int i) {
      const Finding& finding = refinement_.findings[static_cast<std::size_t>(i)];
      if (i == choice_.root) return 0;
      if (finding.explained_by < 0 && finding.entry->role == Role::kRoot) return 1;
      if (finding.entry->role == Role::kBenign) return 3;
      return 2;
    };
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return Earlier(refinement_.findings[static_cast<std::size_t>(a)].event,
                     refinement_.findings[static_cast<std::size_t>(b)].event);
    });
    // Several extractors may tell the same of one place: one entry.
    std::map<SymptomKey, std::size_t> entries;
    std::map<int, std::size_t> entry_of;
    std::vector<int> first_of;  // by entry
    for (const int index : order) {
      const auto [entry, added] = entries.emplace(KeyOf(index), first_of.size());
      if (added && first_of.size() == kMaxSymptoms) {
        entries.erase(entry);
        continue;
      }
      if (added) first_of.push_back(index);
      entry_of[index] = entry->second;
    }
    for (const int index : first_of) attribution_.symptoms.push_back(SymptomOf(index, entry_of));
    for (const auto& [index, entry] : entry_of) {
      if (first_of[entry] == index) continue;
      const Event& event = refinement_.findings[static_cast<std::size_t>(index)].event;
      SymptomReport& report = attribution_.symptoms[entry];
      report.count += event.count;
      if (!event.has_time()) continue;
      const Time last = std::max(event.time, event.last_time);
      report.first_time = report.first_time ? std::min(*report.first_time, event.time) : event.time;
      report.last_time = report.last_time ? std::max(*report.last_time, last) : last;
    }
  }

  using Place = std::tuple<std::string, std::string, std::string, std::string, int>;
  using SymptomKey = std::pair<Place, Place>;  // the symptom's, its cause's

  Place PlaceOf(int index) const {
    if (index < 0) return {};
    const Event& event = refinement_.findings[static_cast<std::size_t>(index)].event;
    return {event.symptom, event.node, event.gpu_uuid, event.pci_address, event.rank.value_or(-1)};
  }

  SymptomKey KeyOf(int index) const {
    return {PlaceOf(index),
            PlaceOf(refinement_.findings[static_cast<std::size_t>(index)].explained_by)};
  }

  static std::string SymptomId(std::size_t entry) { return fmt::format("s{}", entry + 1); }

  SymptomReport SymptomOf(int index, const std::map<int, std::size_t>& entry_of) const {
    const Finding& finding = refinement_.findings[static_cast<std::size_t>(index)];
    const Event& event = finding.event;
    SymptomReport report;
    report.id = SymptomId(entry_of.at(index));
    report.symptom = event.symptom;
    report.role = finding.entry->role;
    report.node = event.node;
    report.gpu_uuid = event.gpu_uuid;
    report.pci_address = event.pci_address;
    report.rank = event.rank;
    if (event.has_time()) {
      report.first_time = event.time;
      report.last_time = std::max(event.time, event.last_time);
    }
    report.count = event.count;
    if (const auto by = entry_of.find(finding.explained_by); by != entry_of.end()) {
      report.explained_by = SymptomId(by->second);
    }
    report.rule = event.rule;
    report.source = event.source;
    report.trust = event.trust;
    report.line = Clean(event.line);
    report.line_number = event.line_number;
    report.stream = event.stream;
    return report;
  }

  using NodeRole = NodeReport::NodeRole;

  static std::ptrdiff_t Count(const std::map<std::string, NodeRole>& roles, NodeRole wanted) {
    return std::count_if(roles.begin(), roles.end(),
                         [&](const auto& entry) { return entry.second == wanted; });
  }

  void ReportNodes() {
    std::map<std::string, NodeRole> roles;
    const auto raise = [&](const std::string& node, NodeRole role) {
      if (node.empty()) return;
      const auto [entry, added] = roles.emplace(node, role);
      if (!added) entry->second = std::min(entry->second, role);
    };
    for (std::size_t i = 0; i < refinement_.findings.size(); ++i) {
      const Finding& finding = refinement_.findings[i];
      if (finding.entry->role == Role::kBenign) continue;
      if (finding.explained_by >= 0 || finding.entry->role == Role::kCascade ||
          finding.entry->role == Role::kTeardown) {
        raise(finding.event.node, NodeRole::kVictim);
        continue;
      }
      if (!IsOfANode(*finding.entry)) continue;
      const bool like_root =
          choice_.root >= 0 && !choice_.tied && finding.event.symptom == Root().event.symptom;
      raise(finding.event.node,
            like_root && !correlated_ ? NodeRole::kCulprit : NodeRole::kSuspect);
    }
    // That several programs complain of the same singles out none of their nodes.
    if (choice_.root >= 0 && Root().event.trust == Trust::kWorkload &&
        Count(roles, NodeRole::kCulprit) > 1) {
      for (auto& [name, role] : roles) role = std::max(role, NodeRole::kSuspect);
      attribution_.verdict.culprit.node.clear();
    }
    for (const auto& [name, role] : roles) {
      if (attribution_.nodes.size() < kMaxNodes) attribution_.nodes.push_back({name, role});
    }
    std::stable_sort(attribution_.nodes.begin(), attribution_.nodes.end(),
                     [](const NodeReport& a, const NodeReport& b) { return a.role < b.role; });
  }

  const Refinement& refinement_;
  const ReportInputs& inputs_;
  const Redaction& redaction_;
  RootChoice choice_;
  bool correlated_ = false;  // the root is of several nodes at once: no fault of any of them
  Attribution attribution_;
};

}  // namespace

Attribution Report(const Refinement& refinement, const ReportInputs& inputs,
                   const Redaction& redaction) {
  return Reporter(refinement, inputs, redaction).Run();
}

}  // namespace engine

// SPDX-License-Identifier: Apache-2.0
// For tests of the stages of refinement: a small catalog, and findings by hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/refine/finding.h"
#include "engine/ruleset.h"

namespace engine {

// Symptoms `root`, `other` (Hardware, GPU), `inducible` (the same, but a program can cause it),
// `user` (User, Process), `maybe` (Ambiguous, Network), `effect` (Cascade), `derived` (Hardware,
// GPU), `platform` (Platform, Node, proven by PodStatus); `node-booted`, `job-done` (Workload) and
// `program-done` (Process), which are words of success.
class RefinementFixture : public ::testing::Test {
 protected:
  static Event At(const std::string& symptom, const std::string& node, double second) {
    Event event;
    event.symptom = symptom;
    event.rule = "finds-" + symptom;
    event.source = Source::kKernel;
    event.trust = Trust::kNode;
    event.stream = "node/" + node;
    event.node = node;
    event.pci_address = "0000:3b:00";
    event.clock = Clock::kAbsolute;
    event.time = Time(std::chrono::nanoseconds(static_cast<std::int64_t>(second * 1e9)));
    event.last_time = event.time;
    return event;
  }
  static Event App(const std::string& symptom, const std::string& node, double second) {
    Event event = At(symptom, node, second);
    event.source = Source::kAppLog;
    event.trust = Trust::kWorkload;
    event.stream = "pod/" + node;
    event.pci_address.clear();
    return event;
  }

  // Over these refiners (YAML, a list) and the fixture's workload, history and evidence.
  Refinement& Refine(const std::string& refiners, std::vector<Event> events) {
    const std::string text = std::string(kCatalog) + "refiners:\n" + refiners;
    RulesetLoad load = Ruleset::Load({{"test", text}});
    for (const RulesetProblem& problem : load.problems) {
      ADD_FAILURE() << problem.path << ": " << problem.message;
    }
    ruleset_ = std::move(load.ruleset);
    std::sort(events.begin(), events.end(), Earlier);
    std::vector<Finding> findings;
    for (Event& event : events) {
      const CatalogEntry* const entry = ruleset_->FindSymptom(event.symptom);
      findings.push_back({std::move(event), entry});
    }
    refinement_ = std::make_unique<Refinement>(CompiledRuleset::From(*ruleset_), workload_,
                                               history_, evidence_, std::move(findings));
    return *refinement_;
  }
  const CompiledRuleset& Rules() { return CompiledRuleset::From(*ruleset_); }

  Workload workload_;
  History history_;
  std::map<Source, EvidenceReport> evidence_;

 private:
  static constexpr char kCatalog[] = R"(
catalog:
- {id: root, title: Root, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel], workloadInducible: "No", taint: "Yes"}
- {id: other, title: Other, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel, PodStatus], workloadInducible: "No", taint: "Yes"}
- {id: inducible, title: Inducible, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel], workloadInducible: "Yes", taint: "No"}
- {id: user, title: User, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
- {id: maybe, title: Maybe, domain: Network, role: Ambiguous, scope: Fabric, establishedBy: [Kernel]}
- {id: effect, title: Effect, domain: Unknown, role: Cascade, scope: Process, establishedBy: [AppLog]}
- {id: derived, title: Derived, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel], workloadInducible: "No", taint: "Yes"}
- {id: platform, title: Platform, domain: Platform, role: Root, scope: Node, establishedBy: [PodStatus]}
- {id: node-booted, title: Booted, domain: Unknown, role: Benign, scope: Node, establishedBy: [Kernel]}
- {id: job-done, title: Done, domain: Unknown, role: Benign, scope: Workload, establishedBy: [Event], result: Succeeded}
- {id: program-done, title: Done, domain: Unknown, role: Benign, scope: Process, establishedBy: [AppLog], result: Succeeded}
extractors:
- {name: finds-root, symptom: root, sources: [Kernel], match: 'root cause', examples: {match: ['root cause'], noMatch: ['x']}}
)";

  std::shared_ptr<const Ruleset> ruleset_;
  std::unique_ptr<Refinement> refinement_;
};

}  // namespace engine

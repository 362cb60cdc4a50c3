// SPDX-License-Identifier: Apache-2.0
// The Attribution resource: attributions.yaml beside this file is its schema, and says what each
// field means. Times are RFC 3339 strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crds/condition.h"

namespace crds {

struct WorkloadReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::string attempt_id;  // opaque

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("apiVersion", self.api_version);
    visit("kind", self.kind);
    visit("name", self.name);
    visit("uid", self.uid);
    visit("attemptID", self.attempt_id);
  }
};

struct Window {
  std::string start_time;
  std::string end_time;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("startTime", self.start_time);
    visit("endTime", self.end_time);
  }
};

struct AttributionSpec {
  WorkloadReference workload;
  std::optional<Window> window;
  std::vector<std::string> rulesets;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("workload", self.workload);
    visit("window", self.window);
    visit("rulesets", self.rulesets);
  }
};

struct Culprit {
  std::string node;
  std::string gpu_uuid;
  std::string pci_address;
  std::optional<std::int64_t> rank;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("node", self.node);
    visit("gpuUUID", self.gpu_uuid);
    visit("pciAddress", self.pci_address);
    visit("rank", self.rank);
  }
};

struct Actor {
  std::string kind;
  std::string name;
  std::string reason;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("kind", self.kind);
    visit("name", self.name);
    visit("reason", self.reason);
  }
};

struct Verdict {
  std::string result;
  std::string domain;
  std::vector<std::string> other_domains;
  std::string evidence_level;
  std::string symptom;
  std::optional<Culprit> culprit;
  std::string message;
  std::string uncertainty;
  std::vector<Actor> actors;
  std::vector<std::string> actions;
  std::int64_t revision = 0;
  std::string settled_time;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("result", self.result);
    visit("domain", self.domain);
    visit("otherDomains", self.other_domains);
    visit("evidenceLevel", self.evidence_level);
    visit("symptom", self.symptom);
    visit("culprit", self.culprit);
    visit("message", self.message);
    visit("uncertainty", self.uncertainty);
    visit("actors", self.actors);
    visit("actions", self.actions);
    visit("revision", self.revision);
    visit("settledTime", self.settled_time);
  }
};

struct Root {
  std::string source;
  std::string trust;
  std::string object;
  std::string container;
  std::string rule;
  std::string time;
  std::int64_t line_number = 0;
  std::string line;
  std::vector<std::string> before;
  std::vector<std::string> after;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("source", self.source);
    visit("trust", self.trust);
    visit("object", self.object);
    visit("container", self.container);
    visit("rule", self.rule);
    visit("time", self.time);
    visit("lineNumber", self.line_number);
    visit("line", self.line);
    visit("before", self.before);
    visit("after", self.after);
  }
};

struct Symptom {
  std::string id;
  std::string symptom;
  std::string role;
  std::string node;
  std::string gpu_uuid;
  std::optional<std::int64_t> rank;
  std::string first_time;
  std::string last_time;
  std::int64_t count = 0;
  std::string explained_by;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("id", self.id);
    visit("symptom", self.symptom);
    visit("role", self.role);
    visit("node", self.node);
    visit("gpuUUID", self.gpu_uuid);
    visit("rank", self.rank);
    visit("firstTime", self.first_time);
    visit("lastTime", self.last_time);
    visit("count", self.count);
    visit("explainedBy", self.explained_by);
  }
};

struct ImplicatedNode {
  std::string name;
  std::string role;
  std::string fault;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("role", self.role);
    visit("fault", self.fault);
  }
};

struct Placement {
  std::int64_t pods = 0;
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  std::string queue;
  std::string user;
  std::string framework;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("pods", self.pods);
    visit("nodes", self.nodes);
    visit("gpus", self.gpus);
    visit("queue", self.queue);
    visit("user", self.user);
    visit("framework", self.framework);
  }
};

struct EvidenceCoverage {
  std::string source;
  std::int64_t complete = 0;
  std::int64_t partial = 0;
  std::int64_t missing = 0;
  std::int64_t forbidden = 0;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("source", self.source);
    visit("complete", self.complete);
    visit("partial", self.partial);
    visit("missing", self.missing);
    visit("forbidden", self.forbidden);
    visit("lines", self.lines);
    visit("bytes", self.bytes);
  }
};

struct Gap {
  std::string source;
  std::string object;
  std::string reason;
  std::string message;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("source", self.source);
    visit("object", self.object);
    visit("reason", self.reason);
    visit("message", self.message);
  }
};

struct Fact {
  std::string name;
  std::string value;
  std::string state;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("value", self.value);
    visit("state", self.state);
  }
};

struct AppliedRuleset {
  std::string name;
  std::int64_t generation = 0;
  std::string digest;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("generation", self.generation);
    visit("digest", self.digest);
  }
};

struct Applied {
  std::string policy;
  std::vector<AppliedRuleset> rulesets;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("policy", self.policy);
    visit("rulesets", self.rulesets);
  }
};

struct AttributionStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::string origin;
  std::optional<Verdict> verdict;
  std::optional<Root> root;
  std::vector<std::string> tail;
  std::vector<Symptom> symptoms;
  std::vector<ImplicatedNode> nodes;
  std::optional<Placement> placement;
  std::vector<EvidenceCoverage> evidence;
  std::vector<Gap> gaps;
  std::vector<Fact> facts;
  std::optional<Applied> applied;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("observedGeneration", self.observed_generation);
    visit("conditions", self.conditions);
    visit("origin", self.origin);
    visit("verdict", self.verdict);
    visit("root", self.root);
    visit("tail", self.tail);
    visit("symptoms", self.symptoms);
    visit("nodes", self.nodes);
    visit("placement", self.placement);
    visit("evidence", self.evidence);
    visit("gaps", self.gaps);
    visit("facts", self.facts);
    visit("applied", self.applied);
  }
};

struct Attribution {
  AttributionSpec spec;
  AttributionStatus status;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("spec", self.spec);
    visit("status", self.status);
  }
};

}  // namespace crds

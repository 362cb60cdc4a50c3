// SPDX-License-Identifier: Apache-2.0
// Depth-first search with the path kept by hand: how deep it goes is up to whoever wrote the rules.
#include "engine/rules/circles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace engine {
namespace {

class Graph {
 public:
  void AddEdge(const std::string& from, const std::string& to, const RefinerRule& rule) {
    edges_[from].push_back({to, &rule});
  }

  // The rule that closes the first circle and the symptoms along it, the first again at the end.
  // Null: there is none.
  std::pair<const RefinerRule*, std::vector<std::string>> FindCircle() const {
    std::map<std::string, bool> seen;  // true: on the path
    for (const auto& [start, edges] : edges_) {
      if (seen.contains(start)) continue;
      std::vector<std::pair<std::string, std::size_t>> path{{start, 0}};  // with the next edge
      seen[start] = true;
      while (!path.empty()) {
        auto& [symptom, next] = path.back();
        const auto out = edges_.find(symptom);
        if (out == edges_.end() || next == out->second.size()) {
          seen[symptom] = false;
          path.pop_back();
          continue;
        }
        const Edge& edge = out->second[next++];
        const auto known = seen.find(edge.to);
        if (known == seen.end()) {
          seen[edge.to] = true;
          path.emplace_back(edge.to, 0);
        } else if (known->second) {
          return {edge.rule, CircleOf(path, edge.to)};
        }
      }
    }
    return {nullptr, {}};
  }

 private:
  struct Edge {
    std::string to;
    const RefinerRule* rule;
  };

  static std::vector<std::string> CircleOf(
      const std::vector<std::pair<std::string, std::size_t>>& path, const std::string& begin) {
    std::vector<std::string> circle;
    for (const auto& [symptom, next] : path) {
      if (!circle.empty() || symptom == begin) circle.push_back(symptom);
    }
    circle.push_back(begin);
    return circle;
  }

  std::map<std::string, std::vector<Edge>> edges_;
};

std::string_view KindOf(const RefinerRule& rule) {
  if (rule.explain) return "explain";
  if (rule.combine) return "combine";
  return rule.escalate ? "escalate" : "prefer";
}

void Check(const Graph& graph, const char* message, PlacedProblems& problems) {
  const auto [rule, circle] = graph.FindCircle();
  if (rule == nullptr) return;
  problems.Add(rule->path, std::string(KindOf(*rule)), rule->name,
               fmt::format("{}: {}; break the circle", message, fmt::join(circle, " -> ")));
}

}  // namespace

void CheckCircles(const RuleModel& model, PlacedProblems& problems) {
  Graph explained;
  Graph made;
  Graph preferred;
  for (const RefinerRule& rule : model.refiners) {
    if (rule.explain) {
      for (const std::string& effect : rule.explain->effects) {
        explained.AddEdge(rule.explain->cause, effect, rule);
      }
    }
    if (rule.combine) {
      for (const std::string& part : rule.combine->all) {
        made.AddEdge(part, rule.combine->result, rule);
      }
    }
    if (rule.escalate) made.AddEdge(rule.escalate->symptom, rule.escalate->result, rule);
    if (rule.prefer) {
      for (const std::string& other : rule.prefer->over) {
        preferred.AddEdge(rule.prefer->symptom, other, rule);
      }
    }
  }
  Check(explained, "symptoms that explain themselves leave no root", problems);
  Check(made, "symptoms are made of themselves", problems);
  Check(preferred, "symptoms are preferred to themselves", problems);
}

}  // namespace engine

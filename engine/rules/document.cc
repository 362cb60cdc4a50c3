// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "engine/extract/visible_line.h"

namespace engine {
namespace {

constexpr std::size_t kMaxBytes = 4 << 20;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxNodes = 500'000;
constexpr std::size_t kMaxKeyShown = 64;

// The end of the last document, written out: without it the parser takes a value whose quote is
// never closed.
constexpr char kEnd[] = "\n...\n";

// Ends the parser; caught before it leaves this file.
struct Refused {
  DocumentProblem problem;
};

class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::vector<DocumentNode>& documents) : documents_(documents) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Add(NewNode(mark, DocumentNode::Type::kNull));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{{"aliases are not allowed; write the value out", mark.line + 1, mark.column + 1}};
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    DocumentNode node = NewNode(mark, DocumentNode::Type::kScalar);
    node.scalar = value;
    Add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Push(NewNode(mark, DocumentNode::Type::kList));
  }
  void OnSequenceEnd() override { Pop(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Push(NewNode(mark, DocumentNode::Type::kMap));
  }
  void OnMapEnd() override { Pop(); }

 private:
  struct Open {
    DocumentNode node;
    bool has_key = false;
    DocumentNode key;
    std::set<std::string> seen;  // a map's keys
  };

  DocumentNode NewNode(const YAML::Mark& mark, DocumentNode::Type type) {
    if (++nodes_ > kMaxNodes) {
      throw Refused{
          {fmt::format("more than {} values", kMaxNodes), mark.line + 1, mark.column + 1}};
    }
    DocumentNode node;
    node.type = type;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void Push(DocumentNode node) {
    if (open_.size() >= kMaxDepth) {
      throw Refused{{fmt::format("more than {} levels", kMaxDepth), node.line, node.column}};
    }
    open_.push_back({std::move(node), false, {}, {}});
  }

  void Pop() {
    DocumentNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(DocumentNode node) {
    if (open_.empty()) {
      if (node.type != DocumentNode::Type::kNull) documents_.push_back(std::move(node));
      return;
    }
    Open& parent = open_.back();
    if (parent.node.type == DocumentNode::Type::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      if (node.type != DocumentNode::Type::kScalar) {
        throw Refused{{"a key must be a string", node.line, node.column}};
      }
      if (VisibleLine(node.scalar) != node.scalar) {
        throw Refused{{"a key must be printable", node.line, node.column}};
      }
      if (!parent.seen.insert(node.scalar).second) {
        throw Refused{{fmt::format("\"{}\" stands twice", CutLine(node.scalar, kMaxKeyShown)),
                       node.line, node.column}};
      }
      parent.key = std::move(node);
      parent.has_key = true;
    } else {
      parent.node.keys.push_back(std::move(parent.key));
      parent.node.values.push_back(std::move(node));
      parent.has_key = false;
    }
  }

  std::vector<DocumentNode>& documents_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

}  // namespace

const DocumentNode* DocumentNode::Find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].scalar == key) return &values[i];
  }
  return nullptr;
}

bool ParseDocuments(std::string_view text, std::vector<DocumentNode>* documents,
                    DocumentProblem* problem) {
  if (text.size() > kMaxBytes) {
    *problem = {"larger than 4 MiB; split it into several rulesets", 0, 0};
    return false;
  }
  if (const std::size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
    const std::string_view before = text.substr(0, bad);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    *problem = {"is no UTF-8 text; save it as UTF-8",
                static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                static_cast<int>(bad - line_begin) + 1};
    return false;
  }
  try {
    std::istringstream stream{std::string(text) + kEnd};
    YAML::Parser parser(stream);
    Builder builder(*documents);
    while (parser.HandleNextDocument(builder)) {
    }
    return true;
  } catch (const Refused& refused) {
    *problem = refused.problem;
  } catch (const YAML::Exception& error) {
    const bool early = error.mark.pos >= static_cast<int>(text.size());
    *problem = {early ? fmt::format("ends too early, is a quote or bracket open? ({})", error.msg)
                      : "is no YAML: " + error.msg,
                error.mark.line + 1, error.mark.column + 1};
  } catch (const std::exception& error) {
    // What else the parser may throw (its own depth limit, no memory) refuses the text as well.
    *problem = {std::string("cannot be read as YAML: ") + error.what(), 0, 0};
  }
  return false;
}

}  // namespace engine

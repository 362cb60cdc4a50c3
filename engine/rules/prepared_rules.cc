// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/prepared_rules.h"

#include <cstdint>
#include <stdexcept>

namespace engine {
namespace {

// Numbers are four bytes, the lowest first; a text is its size and its bytes; a list is its size
// and its items.
class Writer {
 public:
  void Number(std::size_t number) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes_ += static_cast<char>((number >> shift) & 0xFFU);
    }
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  void Texts(const std::vector<std::string>& texts) {
    Number(texts.size());
    for (const std::string& text : texts) Text(text);
  }
  void Nodes(const std::vector<DocumentNode>& nodes) {
    Number(nodes.size());
    for (const DocumentNode& node : nodes) Node(node);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  void Node(const DocumentNode& node) {
    Number(static_cast<std::size_t>(node.type));
    Number(static_cast<std::size_t>(node.line));
    Number(static_cast<std::size_t>(node.column));
    switch (node.type) {
      case DocumentNode::Type::kNull:
        break;
      case DocumentNode::Type::kScalar:
        Text(node.scalar);
        break;
      case DocumentNode::Type::kList:
        Nodes(node.items);
        break;
      case DocumentNode::Type::kMap:
        Nodes(node.keys);
        Nodes(node.values);
        break;
    }
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t Number() {
    const std::string_view four = Take(4);
    std::size_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      number |= static_cast<std::size_t>(static_cast<std::uint8_t>(four[i])) << (8 * i);
    }
    return number;
  }
  std::string_view Text() { return Take(Number()); }
  std::vector<std::string> Texts() {
    std::vector<std::string> texts(Number());
    for (std::string& text : texts) text = Text();
    return texts;
  }
  std::vector<DocumentNode> Nodes() {
    std::vector<DocumentNode> nodes(Number());
    for (DocumentNode& node : nodes) ReadNode(node);
    return nodes;
  }

 private:
  std::string_view Take(std::size_t size) {
    if (size > bytes_.size()) throw std::logic_error("the prepared rules are cut short");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  void ReadNode(DocumentNode& node) {
    node.type = static_cast<DocumentNode::Type>(Number());
    node.line = static_cast<int>(Number());
    node.column = static_cast<int>(Number());
    switch (node.type) {
      case DocumentNode::Type::kNull:
        break;
      case DocumentNode::Type::kScalar:
        node.scalar = Text();
        break;
      case DocumentNode::Type::kList:
        node.items = Nodes();
        break;
      case DocumentNode::Type::kMap:
        node.keys = Nodes();
        node.values = Nodes();
        break;
    }
  }

  std::string_view bytes_;
};

}  // namespace

std::string PreparedRules::Join(const std::vector<std::string>& literals) {
  Writer writer;
  writer.Texts(literals);
  return writer.Take();
}

std::string PreparedRules::Encode(const Contents& contents) {
  Writer writer;
  writer.Number(contents.documents.size());
  for (std::size_t i = 0; i < contents.documents.size(); ++i) {
    writer.Text(contents.documents[i].name);
    writer.Text(contents.documents[i].text);
    Writer parsed;
    parsed.Nodes(contents.parsed[i]);
    writer.Text(parsed.Take());
  }
  writer.Number(contents.patterns.size());
  for (const auto& [text, pattern] : contents.patterns) {
    writer.Text(text);
    writer.Texts(pattern.groups);
    writer.Texts(pattern.literals);
  }
  writer.Number(contents.matchers.size());
  for (const auto& [literals, matcher] : contents.matchers) {
    writer.Text(literals);
    writer.Text(matcher);
  }
  return writer.Take();
}

PreparedRules::PreparedRules(std::string_view bytes) {
  if (bytes.empty()) return;
  Reader reader(bytes);
  for (std::size_t left = reader.Number(); left > 0; --left) {
    RulesetDocument& document = documents_.emplace_back();
    document.name = reader.Text();
    document.text = reader.Text();
    parsed_.push_back(reader.Text());
  }
  for (std::size_t left = reader.Number(); left > 0; --left) {
    PreparedPattern& pattern = patterns_[reader.Text()];
    pattern.groups = reader.Texts();
    pattern.literals = reader.Texts();
  }
  for (std::size_t left = reader.Number(); left > 0; --left) {
    const std::string_view literals = reader.Text();
    matchers_[literals] = reader.Text();
  }
}

std::optional<std::vector<DocumentNode>> PreparedRules::FindParsed(std::string_view text) const {
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    if (documents_[i].text == text) return Reader(parsed_[i]).Nodes();
  }
  return std::nullopt;
}

const PreparedPattern* PreparedRules::FindPattern(std::string_view pattern) const {
  const auto found = patterns_.find(pattern);
  return found == patterns_.end() ? nullptr : &found->second;
}

std::string_view PreparedRules::FindMatcher(const std::vector<std::string>& literals) const {
  if (matchers_.empty()) return {};
  const auto found = matchers_.find(Join(literals));
  return found == matchers_.end() ? std::string_view() : found->second;
}

}  // namespace engine

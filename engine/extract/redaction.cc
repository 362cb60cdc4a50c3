// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/redaction.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace engine {
namespace {

constexpr char kRedacted[] = "[redacted]";

// Shapes that their issuers document. The first group, where there is one, is the secret itself.
constexpr const char* kBuiltin[] = {
    // HTTP authorization
    R"((?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,}))",
    // key=value and "key": "value" with a telling name
    R"re((?i)\b[\w.-]*(?:passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|credential)s?["']?\s*[:=]\s*["']?([^\s"',;&]{4,}))re",
    // passwords in URLs
    R"(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@)",
    // AWS access key ids; Google API keys; GitHub, GitLab, Slack, Hugging Face, OpenAI, W&B, NGC
    R"(\b((?:AKIA|ASIA)[A-Z0-9]{16})\b)",
    R"(\b(AIza[A-Za-z0-9_-]{35})\b)",
    R"(\b((?:ghp|gho|ghu|ghs|ghr|github_pat)_[A-Za-z0-9_]{20,})\b)",
    R"(\b(glpat-[A-Za-z0-9_-]{20,}))",
    R"(\b(xox[abprs]-[A-Za-z0-9-]{10,}))",
    R"(\b(hf_[A-Za-z0-9]{20,})\b)",
    R"(\b(sk-[A-Za-z0-9_-]{20,}))",
    R"(\b(nvapi-[A-Za-z0-9_-]{20,}))",
    // JSON web tokens
    R"(\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*))",
    // shared access signatures and signed URLs
    R"((?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature)=([^\s&]+))",
    // private keys, of which a line may hold any part
    R"((-----BEGIN [A-Z ]*PRIVATE KEY-----.*))",
};

}  // namespace

struct Redaction::Pattern {
  explicit Pattern(const std::string& text) : re(text, Quiet()) {}
  static RE2::Options Quiet() {
    RE2::Options options;
    options.set_log_errors(false);
    return options;
  }
  RE2 re;
};

Redaction::Redaction() {
  for (const char* text : kBuiltin) patterns_.push_back(std::make_unique<Pattern>(text));
}
Redaction::~Redaction() = default;

std::string Redaction::Add(const std::vector<std::string>& patterns) {
  std::vector<std::unique_ptr<Pattern>> added;
  for (const std::string& text : patterns) {
    added.push_back(std::make_unique<Pattern>(text));
    if (!added.back()->re.ok()) return fmt::format("\"{}\": {}", text, added.back()->re.error());
  }
  for (auto& pattern : added) patterns_.push_back(std::move(pattern));
  return {};
}

std::string Redaction::Apply(std::string line) const {
  for (const auto& pattern : patterns_) {
    const bool has_group = pattern->re.NumberOfCapturingGroups() > 0;
    std::string out;
    std::size_t from = 0;
    re2::StringPiece found[2];
    while (from <= line.size() &&
           pattern->re.Match(line, from, line.size(), RE2::UNANCHORED, found, has_group ? 2 : 1)) {
      const re2::StringPiece& secret =
          has_group && found[1].data() != nullptr ? found[1] : found[0];
      const auto begin = static_cast<std::size_t>(secret.data() - line.data());
      if (secret.empty()) break;
      out.append(line, from, begin - from);
      out += kRedacted;
      from = begin + secret.size();
    }
    if (from > 0) line = out + line.substr(from);
  }
  return line;
}

}  // namespace engine

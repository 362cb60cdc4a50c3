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
    R"re((?i)\b[\w.-]*(?:passw(?:or)?d|secret|api[_-]?key|(?:access|account)[_-]?key|credential)s?["']?\s*[:=]\s*["']?([^\s"',;&]{4,}))re",
    // the same for tokens, of which training logs count many: a number is none
    R"re((?i)\b[\w.-]*tokens?["']?\s*[:=]\s*["']?([0-9.,]*[^\s"',;&0-9.][^\s"',;&]{3,}))re",
    // passwords in URLs, also in one that was cut before its end
    R"(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@]*:([^\s/@]+)(?:@|\.\.\.$))",
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
    R"(\b(eyJ[A-Za-z0-9_-]{14,}(?:\.[A-Za-z0-9_-]+)*))",
    // shared access signatures and signed URLs
    R"((?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature)=([^\s&]+))",
    // private keys in one line; see ApplyToBlock
    R"((-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*))",
};

bool HoldsKeyMark(const std::string& line, const char* mark) {
  const std::size_t at = line.find(mark);
  return at != std::string::npos && line.find("PRIVATE KEY-----", at) != std::string::npos;
}

// Whether a line ends in nothing but base64, as the lines of a key do.
bool EndsInBase64(const std::string& line) {
  const std::size_t begin = line.find_last_of(" \t") + 1;
  const std::size_t length = line.size() - begin;
  return length >= 16 && line.find_first_not_of(
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                             "0123456789+/=",
                             begin) == std::string::npos;
}

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

void Redaction::ApplyToBlock(std::vector<std::string>& lines) const {
  std::vector<bool> secret(lines.size(), false);
  bool in_key = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool begins = HoldsKeyMark(lines[i], "-----BEGIN ");
    const bool ends = HoldsKeyMark(lines[i], "-----END ");
    secret[i] = in_key || begins || ends;
    if (ends && !begins) {
      // Its beginning may be above the first line.
      for (std::size_t above = i; !in_key && above-- > 0 && EndsInBase64(lines[above]);) {
        secret[above] = true;
      }
    }
    in_key = (in_key || begins) && !ends;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = secret[i] ? kRedacted : Apply(std::move(lines[i]));
  }
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

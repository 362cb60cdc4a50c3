// SPDX-License-Identifier: Apache-2.0
// RE2 knows which literals ("atoms") a match needs, as a formula of ands and ors (FilteredRE2). Of
// that formula a set of atoms is taken without which it can't be true, preferring those that are
// rare in logs. Estimates of what is rare decide about speed only.
#include "engine/extract/required_literals.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "engine/rules/pattern.h"

namespace engine {
namespace {

// What Vectorscan looks at before it makes sure.
constexpr std::size_t kSeenBytes = 8;
constexpr std::size_t kMaxLiteralBytes = 32;

// Roughly from the most to the least frequent in logs; what is not among them is rarer.
constexpr std::string_view kByFrequency = " e0123456789taonisrl:dcmup./gfh-,_wbvky=()[]x|jqz";

std::size_t Rarity(char c) {
  const std::size_t at = kByFrequency.find(c);
  // Not far apart: two rare bytes tell less than eight middling ones.
  return at == std::string_view::npos ? 6 * kByFrequency.size() / 5 : 10 + at;
}

// Which say little in a log, since every other line of a failure has one of them.
constexpr std::string_view kCommonWords[] = {
    "exception", "runtimeerror", "error",  "fatal",   "failed", "failure", "warning", "warn",
    "info",      "checkpoint",   "device", "process", "torch",  "module",  "python",  "cuda",
    "nccl",      "nvidia",       "rank",   "version", "memory", "timeout", "connect", "kernel",
};

// Per byte, how much it tells that a line holds the atom: nothing in common words.
std::vector<std::size_t> Weights(std::string atom) {
  for (const std::string_view word : kCommonWords) {
    for (std::size_t at = atom.find(word); at != std::string::npos; at = atom.find(word)) {
      atom.replace(at, word.size(), word.size(), ' ');
    }
  }
  std::vector<std::size_t> weights;
  for (const char c : atom) weights.push_back(Rarity(c) - Rarity(' '));
  return weights;
}

std::size_t Weight(const std::string& atom) {
  const std::vector<std::size_t> weights = Weights(atom);
  return std::accumulate(weights.begin(), weights.end(), std::size_t{0});
}

// The literal matcher first looks at the last kSeenBytes of a literal, then makes sure of the rest:
// the atom is cut behind its rarest bytes, and to a moderate length.
std::string Cut(const std::string& atom) {
  if (atom.size() <= kSeenBytes) return atom;
  const std::vector<std::size_t> weights = Weights(atom);
  std::size_t best_end = kSeenBytes;
  std::size_t best_weight = 0;
  for (std::size_t end = kSeenBytes; end <= atom.size(); ++end) {
    const auto last = weights.begin() + static_cast<std::ptrdiff_t>(end);
    const std::size_t weight = std::accumulate(last - kSeenBytes, last, std::size_t{0});
    if (weight > best_weight) {
      best_end = end;
      best_weight = weight;
    }
  }
  const std::size_t begin = best_end - std::min(best_end, kMaxLiteralBytes);
  return atom.substr(begin, best_end - begin);
}

}  // namespace

std::vector<std::string> RequiredLiterals(const std::string& pattern) {
  re2::FilteredRE2 filter(static_cast<int>(kMinLiteralBytes));
  int id = 0;
  if (filter.Add(pattern, PatternOptions(), &id) != RE2::NoError) return {};
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  const auto possible_with = [&](const std::vector<int>& present) {
    std::vector<int> possible;
    filter.AllPotentials(present, &possible);
    return !possible.empty();
  };
  if (atoms.empty() || possible_with({})) return {};

  // `dropped`: together they do not make a match possible. What tells least is tried first.
  std::vector<std::size_t> weights;
  for (const std::string& atom : atoms) weights.push_back(Weight(atom));
  std::vector<int> order(atoms.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return weights[static_cast<std::size_t>(a)] < weights[static_cast<std::size_t>(b)];
  });
  std::vector<int> dropped;
  std::vector<std::string> literals;
  for (const int atom : order) {
    dropped.push_back(atom);
    if (!possible_with(dropped)) continue;
    dropped.pop_back();
    literals.push_back(Cut(atoms[static_cast<std::size_t>(atom)]));
  }
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  return literals;
}

}  // namespace engine

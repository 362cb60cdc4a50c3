// SPDX-License-Identifier: Apache-2.0
// For tests: same evidence, any order, any pieces, any number of threads: the same bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/case.h"

namespace engine {

struct WholeLog {
  Stream stream;
  std::string text;
};

// How evidence may arrive.
struct Arrival {
  unsigned seed = 0;
  std::size_t max_chunk = 0;  // 0: a log at a time, in one piece
  bool threads = false;
};

inline void Feed(Case& one, const WholeLog& log, const Arrival& arrival, unsigned seed) {
  std::mt19937 random(seed);
  std::string_view rest = log.text;
  while (!rest.empty()) {
    const std::size_t size =
        arrival.max_chunk == 0 ? rest.size() : random() % arrival.max_chunk + 1;
    // Opened again each time: it is the same stream.
    one.Ingest(one.Open(log.stream), rest.substr(0, size));
    rest.remove_prefix(std::min(size, rest.size()));
  }
  one.Close(one.Open(log.stream), Coverage::kComplete);
}

inline std::string VerdictOf(const std::shared_ptr<const Ruleset>& ruleset,
                             const Workload& workload, const std::vector<WholeLog>& logs,
                             const Arrival& arrival) {
  std::mt19937 random(arrival.seed);
  std::vector<const WholeLog*> order;
  for (const WholeLog& log : logs) order.push_back(&log);
  std::shuffle(order.begin(), order.end(), random);
  Case one(ruleset, workload);
  std::vector<std::jthread> threads;
  for (const WholeLog* log : order) {
    const auto seed = static_cast<unsigned>(random());
    if (arrival.threads) {
      threads.emplace_back([&one, log, &arrival, seed] { Feed(one, *log, arrival, seed); });
    } else {
      Feed(one, *log, arrival, seed);
    }
  }
  threads.clear();
  return ToJson(one.Attribute()).dump();
}

inline void ExpectTheSameInAnyOrder(const std::shared_ptr<const Ruleset>& ruleset,
                                    const Workload& workload, const std::vector<WholeLog>& logs,
                                    const std::string& what) {
  const auto verdict = [&](const Arrival& arrival) {
    return VerdictOf(ruleset, workload, logs, arrival);
  };
  const std::string expected = verdict({});
  for (unsigned seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(verdict({seed, 0, false}), expected) << what;
    EXPECT_EQ(verdict({seed, 3, false}), expected) << what;
    EXPECT_EQ(verdict({seed, 200, false}), expected) << what;
    EXPECT_EQ(verdict({seed, 50, true}), expected) << what;
  }
}

}  // namespace engine

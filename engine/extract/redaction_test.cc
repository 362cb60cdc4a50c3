// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/redaction.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(RedactionTest, SecretsGo) {
  const Redaction redaction;
  EXPECT_EQ(redaction.Apply("Authorization: Bearer abcdefgh.ijkl-123"),
            "Authorization: Bearer [redacted]");
  EXPECT_EQ(redaction.Apply("HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz run"),
            "HF_TOKEN=[redacted] run");
  EXPECT_EQ(redaction.Apply("clone https://me:s3cret@git.example/x"),
            "clone https://me:[redacted]@git.example/x");
  EXPECT_EQ(redaction.Apply("key AKIAABCDEFGHIJKLMNOP used"), "key [redacted] used");
  EXPECT_EQ(redaction.Apply("\"password\": \"hunter2\", \"user\": \"me\""),
            "\"password\": \"[redacted]\", \"user\": \"me\"");
}

TEST(RedactionTest, EvidenceStays) {
  const Redaction redaction;
  for (const char* line :
       {"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus.",
        "CUDA out of memory. Tried to allocate 2.00 GiB", "loaded 4096 tokens in 3 s",
        "https://pytorch.org/docs/stable/notes/cuda.html"}) {
    EXPECT_EQ(redaction.Apply(line), line);
  }
}

TEST(RedactionTest, MorePatternsCanBeGiven) {
  Redaction redaction;
  EXPECT_EQ(redaction.Add({"(x"}), "\"(x\": missing ): (x");
  EXPECT_EQ(redaction.Add({"project-[a-z]+"}), "");
  EXPECT_EQ(redaction.Apply("on project-apollo and project-zeus"), "on [redacted] and [redacted]");
}

}  // namespace
}  // namespace engine

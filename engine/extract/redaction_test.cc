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

TEST(RedactionTest, CloudsKeysGo) {
  const Redaction redaction;
  EXPECT_EQ(redaction.Apply("AccountName=a;AccountKey=abcdEFGH0123+/==;x"),
            "AccountName=a;AccountKey=[redacted];x");
  EXPECT_EQ(redaction.Apply("AWS_SECRET_ACCESS_KEY=abcdEFGH0123/x"),
            "AWS_SECRET_ACCESS_KEY=[redacted]");
  EXPECT_EQ(redaction.Apply("jwt eyJhbGciOiJSUzI1NiIsImtpZCI6.eyJpc3Mi.x_y."), "jwt [redacted].");
}

TEST(RedactionTest, WhatWasCutStillHasItsShape) {
  const Redaction redaction;
  EXPECT_EQ(redaction.Apply("jwt eyJhbGciOiJSUzI1NiIsImtpZC..."), "jwt [redacted]...");
  EXPECT_EQ(redaction.Apply("clone https://me:s3cr..."), "clone https://me:[redacted]...");
}

TEST(RedactionTest, PrivateKeysGoWithAllTheirLines) {
  const Redaction redaction;
  const auto apply = [&](std::vector<std::string> lines) {
    redaction.ApplyToBlock(lines);
    return lines;
  };
  const std::string body(64, 'M');
  EXPECT_EQ(apply({"key:", "-----BEGIN RSA PRIVATE KEY-----", body, "x y",
                   "Ma+/==", "-----END RSA PRIVATE KEY-----", "after"}),
            (std::vector<std::string>{"key:", "[redacted]", "[redacted]", "[redacted]",
                                      "[redacted]", "[redacted]", "after"}));
  EXPECT_EQ(apply({"-----BEGIN PRIVATE KEY-----", body}),
            (std::vector<std::string>{"[redacted]", "[redacted]"}))
      << "its end is not there";
  EXPECT_EQ(apply({"before", "INFO " + body, body, "-----END PRIVATE KEY-----", "after"}),
            (std::vector<std::string>{"before", "[redacted]", "[redacted]", "[redacted]", "after"}))
      << "its beginning is not there";
}

TEST(RedactionTest, EvidenceStays) {
  const Redaction redaction;
  for (const char* line :
       {"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus.",
        "CUDA out of memory. Tried to allocate 2.00 GiB", "loaded 4096 tokens in 3 s",
        "max_tokens=4096 tokens: 1234567.5", "https://pytorch.org/docs/stable/notes/cuda.html"}) {
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

// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/digest.h"

#include <openssl/sha.h>

#include <array>
#include <nlohmann/json.hpp>

namespace engine {
namespace {

using Json = nlohmann::ordered_json;

Json Names(const std::vector<Source>& sources) {
  Json list = Json::array();
  for (const Source source : sources) list.push_back(ToString(source));
  return list;
}

int Number(Scope scope) { return static_cast<int>(scope); }

Json CatalogJson(const CatalogEntry& entry) {
  return {entry.id,
          entry.title,
          ToString(entry.domain),
          ToString(entry.role),
          entry.scope,
          Names(entry.established_by),
          entry.workload_inducible,
          entry.taint,
          ToString(entry.result),
          entry.actor,
          entry.message,
          entry.actions};
}

Json ExtractorJson(const ExtractorRule& rule) {
  Json json = {rule.name, rule.symptom, rule.table, Names(rule.sources), rule.match, rule.unless};
  if (rule.record) {
    json.push_back({rule.record->continue_pattern, rule.record->require, rule.record->max_lines,
                    rule.record->max_seconds});
  }
  if (rule.counter) {
    json.push_back({rule.counter->increase_at_least, rule.counter->within_seconds,
                    Number(rule.counter->scope)});
  }
  return json;
}

Json RefinerJson(const RefinerRule& rule) {
  Json json = {rule.name};
  if (rule.explain) {
    json.push_back({"explain", rule.explain->cause, rule.explain->effects,
                    Number(rule.explain->scope), rule.explain->before_seconds,
                    rule.explain->after_seconds});
  }
  if (rule.combine) {
    json.push_back({"combine", rule.combine->all, rule.combine->none, Names(rule.combine->coverage),
                    rule.combine->all_but_one_rank, Number(rule.combine->scope),
                    rule.combine->within_seconds, rule.combine->result});
  }
  if (rule.escalate) {
    json.push_back({"escalate", rule.escalate->symptom, rule.escalate->at_least,
                    static_cast<int>(rule.escalate->distinct), Number(rule.escalate->scope),
                    rule.escalate->within_seconds, rule.escalate->result});
  }
  if (rule.prefer) {
    json.push_back({"prefer", rule.prefer->symptom, rule.prefer->over, Number(rule.prefer->scope)});
  }
  return json;
}

}  // namespace

std::string DigestOf(const RuleModel& model) {
  Json json = Json::array();
  for (const CatalogEntry& entry : model.catalog) json.push_back(CatalogJson(entry));
  for (const ExtractorRule& rule : model.extractors) json.push_back(ExtractorJson(rule));
  for (const TableRule& table : model.tables) json.push_back({table.name, table.rows});
  for (const RefinerRule& rule : model.refiners) json.push_back(RefinerJson(rule));
  for (const CollectorRule& rule : model.collectors) {
    json.push_back({rule.name, Names(rule.sources), rule.match, static_cast<int>(rule.take)});
  }
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex = "sha256:";
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 0xFU];
  }
  return hex;
}

}  // namespace engine

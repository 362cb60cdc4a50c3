// SPDX-License-Identifier: Apache-2.0
// What a real API server makes of the manifests: KUBECONFIG names a control plane that a test may
// write to.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "crds/attribution.h"
#include "crds/attribution_policy.h"
#include "crds/attribution_ruleset.h"
#include "crds/fields.h"
#include "crds/node_action_policy.h"
#include "crds/node_fault.h"
#include "kube/client.h"
#include "kube/config.h"
#include "kube/yaml.h"

namespace crds {
namespace {

const kube::Resource kCrds{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                           "CustomResourceDefinition", false};

struct Kind {
  std::string plural;
  std::string kind;
  bool namespaced;
  std::function<Json(const Json&)> through_type;

  kube::Resource resource() const {
    return {"attribution.dev", "v1alpha1", plural, kind, namespaced};
  }
};

template <typename T>
std::function<Json(const Json&)> Through() {
  return [](const Json& object) {
    T value;
    FromJson(object, value);
    return ToJson(value);
  };
}

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {
      {"attributions", "Attribution", true, Through<Attribution>()},
      {"nodefaults", "NodeFault", false, Through<NodeFault>()},
      {"attributionrulesets", "AttributionRuleset", false, Through<AttributionRuleset>()},
      {"attributionpolicies", "AttributionPolicy", false, Through<AttributionPolicy>()},
      {"nodeactionpolicies", "NodeActionPolicy", false, Through<NodeActionPolicy>()}};
  return kinds;
}

Json Load(const std::string& file) { return kube::JsonFromYaml(YAML::LoadFile(file)); }

class ApiServerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    client_ = kube::NewHttpClient(kube::LoadKubeconfig());
    for (const Kind& kind : Kinds()) {
      Json crd = Load("crds/" + kind.plural + ".yaml");
      client_->Patch(kCrds, {{}, kube::NameOf(crd)}, crd,
                     {.type = kube::PatchType::kApply, .field_manager = "test", .force = true});
    }
    for (const Kind& kind : Kinds()) {
      // Established and served within moments.
      for (int i = 0; i < 100; ++i) {
        try {
          client_->List(kind.resource(), {}, [](const kube::Json&) {});
          break;
        } catch (const kube::ApiError& error) {
          if (!error.IsNotFound()) throw;
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
      }
    }
  }
  static void TearDownTestSuite() { client_.reset(); }

  static Json Full(const Kind& kind) {
    Json object = Load("crds/testdata/" + kind.plural + ".yaml");
    return object;
  }

  static void Remove(const Kind& kind, const Json& object) {
    try {
      client_->Delete(kind.resource(), kube::KeyOf(object));
    } catch (const kube::ApiError& error) {
      if (!error.IsNotFound()) throw;
    }
  }

  // The server's words about a creation; empty: it was taken.
  static std::string Refusal(const Kind& kind, const Json& object) {
    try {
      client_->Create(kind.resource(), object);
      Remove(kind, object);
      return {};
    } catch (const kube::ApiError& error) {
      return error.what();
    }
  }

  inline static std::unique_ptr<kube::Client> client_;  // NOLINT(readability-identifier-naming)
};

TEST_F(ApiServerTest, AFullObjectOfEachKindComesBackWhole) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.kind);
    Json full = Full(kind);
    Remove(kind, full);
    const Json created = client_->Create(kind.resource(), full);
    Json update = created;
    update["status"] = full["status"];
    const Json stored = client_->UpdateStatus(kind.resource(), update);
    EXPECT_EQ(stored["spec"], full["spec"]);
    EXPECT_EQ(stored["status"], full["status"]);
    const Json again = kind.through_type(stored);
    EXPECT_EQ(again["spec"], full["spec"]);
    EXPECT_EQ(again["status"], full["status"]);
    Remove(kind, full);
  }
}

struct Broken {
  const char* plural;
  const char* pointer;
  Json value;  // discarded: removed
  const char* says;
};

TEST_F(ApiServerTest, EachRuleIsRefusedReadably) {
  const std::vector<Broken> all = {
      {"attributions", "/spec/workload/uid", Json(Json::value_t::discarded),
       "spec.workload.uid: Required"},
      {"attributions", "/spec/rulesets", Json::array({"a", "b", "c", "d", "e", "f", "g", "h", "i"}),
       "must have at most 8 items"},
      {"nodefaults", "/spec/device/type", "", "spec.device.type"},
      {"nodefaults", "/spec/release/reason", "", "spec.release.reason"},
      {"attributionrulesets", "/metadata/name", "builtin", "the name builtin is reserved"},
      {"attributionrulesets", "/spec/extractors/0/match", "a(b", "missing closing )"},
      {"attributionrulesets", "/spec/extractors/0/unless", "(?=x)", "error parsing regexp"},
      {"attributionrulesets", "/spec/extractors/0/table", "t", "exactly one of symptom and table"},
      {"attributionrulesets", "/spec/extractors/0/sources", Json::array({"Rumour"}),
       "Unsupported value: \"Rumour\""},
      {"attributionrulesets", "/spec/extractors/0/examples/match", Json::array(),
       "should have at least 1 items"},
      {"attributionrulesets", "/spec/extractors/0/match", std::string(1025, 'a'),
       "may not be more than 1024"},
      {"attributionrulesets", "/spec/catalog/0/id", "Xid 79", "spec.catalog[0].id"},
      {"attributionrulesets", "/spec/refiners/0/prefer",
       Json::parse(R"({"symptom": "a", "over": ["b"]})"),
       "exactly one of explain, combine, escalate and prefer"},
      {"attributionrulesets", "/spec/minEngineVersion", "one", "spec.minEngineVersion"},
      {"attributionpolicies", "/spec/precedence", 0, "greater than or equal to 1"},
      {"attributionpolicies", "/spec/evidence/redact", Json::array({"[a"}), "missing closing ]"},
      {"attributionpolicies", "/spec/evidence/maxBytesPerContainer", "much",
       "maxBytesPerContainer"},
      {"attributionpolicies", "/spec/triggers", Json::array({"Always"}), "Unsupported value"},
      {"nodeactionpolicies", "/spec/mode", "Try", "Unsupported value: \"Try\""},
      {"nodeactionpolicies", "/spec/taintEffect", "NoExecute", "Unsupported value: \"NoExecute\""},
      {"nodeactionpolicies", "/spec/maxUnavailable", "many", "neither a number nor a percentage"},
      {"nodeactionpolicies", "/spec/maxUnavailable", -1, "neither a number nor a percentage"},
  };
  for (const Broken& broken : all) {
    SCOPED_TRACE(std::string(broken.plural) + broken.pointer);
    const Kind* kind = nullptr;
    for (const Kind& one : Kinds()) {
      if (one.plural == broken.plural) kind = &one;
    }
    ASSERT_NE(kind, nullptr);
    Json object = Full(*kind);
    object.erase("status");
    const Json::json_pointer pointer(broken.pointer);
    if (broken.value.is_discarded()) {
      object.at(pointer.parent_pointer()).erase(pointer.back());
    } else {
      object[pointer] = broken.value;
    }
    EXPECT_NE(Refusal(*kind, object).find(broken.says), std::string::npos)
        << Refusal(*kind, object);
  }
}

TEST_F(ApiServerTest, ARequestDoesNotChange) {
  const Kind& kind = Kinds()[0];
  Json object = Full(kind);
  Remove(kind, object);
  object = client_->Create(kind.resource(), object);
  object["spec"]["workload"]["name"] = "another";
  try {
    client_->Update(kind.resource(), object);
    ADD_FAILURE() << "it was taken";
  } catch (const kube::ApiError& error) {
    EXPECT_EQ(error.reason, kube::ErrorReason::kInvalid);
    EXPECT_NE(std::string(error.what()).find("cannot be changed"), std::string::npos);
  }
  Remove(kind, object);
}

TEST_F(ApiServerTest, OnlyTheReleaseOfAFaultChangesAndIsFinal) {
  const Kind& kind = Kinds()[1];
  Json object = Full(kind);
  Remove(kind, object);
  object["spec"].erase("release");
  object = client_->Create(kind.resource(), object);
  const auto refused = [&](const Json& changed) {
    try {
      object = client_->Update(kind.resource(), changed);
      return std::string();
    } catch (const kube::ApiError& error) {
      return std::string(error.what());
    }
  };
  Json moved = object;
  moved["spec"]["nodeName"] = "another";
  EXPECT_NE(refused(moved).find("only release may be changed"), std::string::npos);
  Json released = object;
  released["spec"]["release"] = {{"reason", "replaced the GPU"}};
  EXPECT_EQ(refused(released), "");
  Json taken_back = object;
  taken_back["spec"].erase("release");
  EXPECT_NE(refused(taken_back).find("cannot be taken back"), std::string::npos);
  Remove(kind, object);
}

TEST_F(ApiServerTest, PeopleSelectBySymptomAndNode) {
  const Kind& kind = Kinds()[0];
  Json object = Full(kind);
  Remove(kind, object);
  Json update = client_->Create(kind.resource(), object);
  update["status"] = object["status"];
  client_->UpdateStatus(kind.resource(), update);
  int found = 0;
  client_->List(
      kind.resource(),
      {.field_selector = "status.verdict.symptom=symptom,status.verdict.culprit.node=node"},
      [&](const kube::Json&) { ++found; });
  EXPECT_EQ(found, 1);
  client_->List(kind.resource(), {.field_selector = "status.verdict.symptom=other"},
                [&](const kube::Json&) { ++found; });
  EXPECT_EQ(found, 1);
  Remove(kind, object);
}

}  // namespace
}  // namespace crds

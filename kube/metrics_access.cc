// SPDX-License-Identifier: Apache-2.0
#include "kube/metrics_access.h"

#include <nlohmann/json.hpp>

namespace kube {
namespace {

const Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false};
const Resource kSubjectAccessReviews{"authorization.k8s.io", "v1", "subjectaccessreviews",
                                     "SubjectAccessReview", false};
constexpr std::chrono::minutes kRemembered{1};
constexpr std::size_t kMaxKnown = 100;
constexpr std::chrono::seconds kDeadline{5};

}  // namespace

int MetricsAccess::Check(const std::string& authorization, std::string* problem) {
  constexpr std::string_view kBearer = "Bearer ";
  if (authorization.compare(0, kBearer.size(), kBearer) != 0) {
    *problem = "a bearer token is needed";
    return 401;
  }
  const std::string token = authorization.substr(kBearer.size());
  const auto now = std::chrono::steady_clock::now();
  const auto found = known_.find(token);
  if (found == known_.end() || now - found->second.asked > kRemembered) {
    if (known_.size() >= kMaxKnown) known_.clear();
    Answer answer = Ask(token);
    answer.asked = now;
    *problem = answer.problem;
    const int status = answer.status;
    if (status != 503) known_[token] = std::move(answer);
    return status;
  }
  *problem = found->second.problem;
  return found->second.status;
}

MetricsAccess::Answer MetricsAccess::Ask(const std::string& token) {
  try {
    const CallOptions call{.deadline = kDeadline};
    const Json review = client_.Create(kTokenReviews,
                                       {{"apiVersion", kTokenReviews.ApiVersion()},
                                        {"kind", kTokenReviews.kind},
                                        {"spec", {{"token", token}}}},
                                       call);
    const Json status = review.value("status", Json::object());
    if (!status.value("authenticated", false)) return {401, "the token is not valid", {}};
    const Json user = status.value("user", Json::object());
    const Json access =
        client_.Create(kSubjectAccessReviews,
                       {{"apiVersion", kSubjectAccessReviews.ApiVersion()},
                        {"kind", kSubjectAccessReviews.kind},
                        {"spec",
                         {{"user", StringAt(user, "/username")},
                          {"groups", user.value("groups", Json::array())},
                          {"uid", StringAt(user, "/uid")},
                          {"nonResourceAttributes", {{"path", "/metrics"}, {"verb", "get"}}}}}},
                       call);
    if (!access.value(Json::json_pointer("/status/allowed"), false)) {
      return {403, "may not get /metrics", {}};
    }
    return {200, {}, {}};
  } catch (const ApiError& error) {
    return {503, error.what(), {}};
  }
}

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
#include "engine/attribution.h"

namespace engine {

std::string_view ToString(Result value) {
  switch (value) {
    case Result::kFailed:
      return "Failed";
    case Result::kCancelled:
      return "Cancelled";
    case Result::kSucceeded:
      return "Succeeded";
    case Result::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

std::string_view ToString(Domain value) {
  switch (value) {
    case Domain::kUser:
      return "User";
    case Domain::kHardware:
      return "Hardware";
    case Domain::kNetwork:
      return "Network";
    case Domain::kStorage:
      return "Storage";
    case Domain::kPlatform:
      return "Platform";
    case Domain::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

std::string_view ToString(EvidenceLevel value) {
  switch (value) {
    case EvidenceLevel::kHypothesis:
      return "Hypothesis";
    case EvidenceLevel::kSupported:
      return "Supported";
    case EvidenceLevel::kEstablished:
      return "Established";
  }
  return "Hypothesis";
}

std::string_view ToString(Role value) {
  switch (value) {
    case Role::kRoot:
      return "Root";
    case Role::kAmbiguous:
      return "Ambiguous";
    case Role::kCascade:
      return "Cascade";
    case Role::kTeardown:
      return "Teardown";
    case Role::kBenign:
      return "Benign";
  }
  return "Root";
}

std::string_view ToString(Uncertainty value) {
  switch (value) {
    case Uncertainty::kNone:
      return "None";
    case Uncertainty::kNodeLogsMissing:
      return "NodeLogsMissing";
    case Uncertainty::kLogsRotated:
      return "LogsRotated";
    case Uncertainty::kOnlyEffects:
      return "OnlyEffects";
    case Uncertainty::kAmbiguous:
      return "Ambiguous";
    case Uncertainty::kNoEvidence:
      return "NoEvidence";
    case Uncertainty::kRemoteCluster:
      return "RemoteCluster";
  }
  return "None";
}

std::string_view ToString(NodeReport::NodeRole value) {
  switch (value) {
    case NodeReport::NodeRole::kCulprit:
      return "Culprit";
    case NodeReport::NodeRole::kSuspect:
      return "Suspect";
    case NodeReport::NodeRole::kVictim:
      return "Victim";
  }
  return "Victim";
}

std::string_view ToString(Fact::State value) {
  switch (value) {
    case Fact::State::kFound:
      return "Found";
    case Fact::State::kNotFound:
      return "NotFound";
    case Fact::State::kFailed:
      return "Failed";
  }
  return "NotFound";
}

}  // namespace engine

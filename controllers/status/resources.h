// SPDX-License-Identifier: Apache-2.0
// The resources that the controllers call the API server about.
#pragma once

#include "kube/object.h"
#include "kube/resource.h"

namespace controllers {

inline const kube::Resource kAttributions{"attribution.dev", "v1alpha1", "attributions",
                                          "Attribution", true};
inline const kube::Resource kNodeFaults{"attribution.dev", "v1alpha1", "nodefaults", "NodeFault",
                                        false};
inline const kube::Resource kAttributionRulesets{
    "attribution.dev", "v1alpha1", "attributionrulesets", "AttributionRuleset", false};
inline const kube::Resource kAttributionPolicies{"attribution.dev", "v1alpha1",
                                                 "attributionpolicies", "AttributionPolicy", false};
inline const kube::Resource kNodeActionPolicies{"attribution.dev", "v1alpha1", "nodeactionpolicies",
                                                "NodeActionPolicy", false};
inline const kube::Resource kNodes{"", "v1", "nodes", "Node", false};
inline const kube::Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const kube::Resource kControllerRevisions{"apps", "v1", "controllerrevisions",
                                                 "ControllerRevision", true};

// Who writes the operator's Events (reportingController).
inline constexpr char kOperatorName[] = "attribution.dev/operator";

// An object as an Event's `regarding` needs it: items of a list come without apiVersion and kind.
kube::Json Regarding(const kube::Resource& resource, const kube::Json& object);

}  // namespace controllers

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/object.h"

namespace YAML {  // NOLINT(readability-identifier-naming): its name
class Node;
}

namespace kube {

// A YAML 1.2 core document as the JSON that kubectl would send: quoted scalars are strings, plain
// ones null, booleans, integers or floats where they look like it. Throws YAML::Exception.
Json JsonFromYaml(const YAML::Node& node);

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
// How the types in this folder are read, written and walked. A type lists its fields once:
//
//   struct Culprit {
//     std::string node;
//     template <typename Self, typename Visit>
//     static void VisitFields(Self& self, Visit&& visit) { visit("node", self.node); }
//   };
//
// Members are std::string, std::int64_t, std::vector, std::map<std::string, ...>, std::optional of
// those, Json for what has no fixed shape, and other such types.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace crds {

using Json = nlohmann::json;

// A value that an object of the API server should not have; what() names the field.
class FieldError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsMap : std::false_type {};
template <typename T>
struct IsMap<std::map<std::string, T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
inline constexpr bool kIsScalar =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, Json>;

}  // namespace detail

// Empty strings, lists, maps and objects are left out, as are unset optionals; numbers never are.
template <typename T>
Json ToJson(const T& value) {
  if constexpr (detail::kIsScalar<T>) {
    return value;
  } else if constexpr (detail::IsOptional<T>::value) {
    return value ? ToJson(*value) : Json();
  } else if constexpr (detail::IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(ToJson(item));
    return list;
  } else if constexpr (detail::IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[key] = ToJson(item);
    return object;
  } else {
    Json object = Json::object();
    T::VisitFields(value, [&](const char* name, const auto& member) {
      using Member = std::decay_t<decltype(member)>;
      Json json = ToJson(member);
      const bool empty =
          json.is_null() ||
          (json.is_string() && json.template get_ref<const std::string&>().empty()) ||
          (json.is_structured() && json.empty());
      if (!empty || (detail::IsOptional<Member>::value && !json.is_null())) object[name] = json;
    });
    return object;
  }
}

// Fields that are absent or null keep their defaults; fields that the type doesn't have are passed
// over (the API server prunes what the schema doesn't have). Throws FieldError for a wrong type.
template <typename T>
void FromJson(const Json& json, T& value, const std::string& path = {}) {
  const auto expect = [&](bool good, const char* what) {
    if (!good) throw FieldError(path + ": expected " + what);
  };
  if (json.is_null()) return;
  if constexpr (std::is_same_v<T, Json>) {
    value = json;
  } else if constexpr (std::is_same_v<T, std::string>) {
    expect(json.is_string(), "a string");
    value = json.get<std::string>();
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    expect(json.is_number_integer(), "an integer");
    value = json.get<std::int64_t>();
  } else if constexpr (detail::IsOptional<T>::value) {
    FromJson(json, value.emplace(), path);
  } else if constexpr (detail::IsVector<T>::value) {
    expect(json.is_array(), "a list");
    value.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
      FromJson(json[i], value.emplace_back(), path + '[' + std::to_string(i) + ']');
    }
  } else if constexpr (detail::IsMap<T>::value) {
    expect(json.is_object(), "a map");
    value.clear();
    for (const auto& [key, item] : json.items()) FromJson(item, value[key], path + '.' + key);
  } else {
    expect(json.is_object(), "an object");
    T::VisitFields(value, [&](const char* name, auto& member) {
      const auto found = json.find(name);
      if (found == json.end()) return;
      FromJson(*found, member, path.empty() ? std::string(name) : path + '.' + name);
    });
  }
}

// Every field of a type with all below it, as "verdict.culprit.node", "symptoms[].id", "labels{}".
template <typename T>
void CollectPaths(const std::string& path, std::set<std::string>& paths) {
  if constexpr (detail::IsOptional<T>::value) {
    CollectPaths<typename T::value_type>(path, paths);
  } else if constexpr (detail::IsVector<T>::value) {
    CollectPaths<typename T::value_type>(path + "[]", paths);
  } else if constexpr (detail::IsMap<T>::value) {
    CollectPaths<typename T::mapped_type>(path + "{}", paths);
  } else if constexpr (detail::kIsScalar<T>) {
    paths.insert(path);
  } else {
    T value;
    T::VisitFields(value, [&](const char* name, auto& member) {
      CollectPaths<std::decay_t<decltype(member)>>(path.empty() ? name : path + '.' + name, paths);
    });
  }
}

}  // namespace crds

# SPDX-License-Identifier: Apache-2.0
# Writes the rule files as C++ string literals: cmake -DOUT=... "-DFILES=a;b" -P EmbedRules.cmake
set(text "// Made from config/rulesets/builtin.\n#include \"engine/ruleset.h\"\n\nnamespace engine {\n\n")
string(APPEND text "const std::vector<RulesetDocument>& Ruleset::BuiltinDocuments() {\n")
string(APPEND text "  static const std::vector<RulesetDocument> documents = {\n")
list(SORT FILES)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" content)
  string(APPEND text "    {\"${name}\", R\"EMBEDDED(${content})EMBEDDED\"},\n")
endforeach()
string(APPEND text "  };\n  return documents;\n}\n\n}  // namespace engine\n")
file(WRITE "${OUT}" "${text}")

// SPDX-License-Identifier: Apache-2.0
// Lines, records over several of them and counters: the same wherever the bytes are cut, and never
// longer than allowed.
#include <cstdlib>

#include "engine/extract/line_assembler.h"
#include "engine/extract/stream_reader.h"
#include "engine/rules/compiled_ruleset.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

constexpr char kRules[] = R"yaml(
catalog:
- {id: lost, title: Lost, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel]}
- {id: rise, title: Rise, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel]}
extractors:
- name: lost
  symptom: lost
  sources: [Kernel]
  match: '^GPU:(?P<pci>\S*)'
  unless: 'nono'
  record: {continue: '^ ', require: 'gone', maxLines: 3, maxSeconds: 2}
  examples: {match: ["GPU:\n gone"]}
- name: rise
  symptom: rise
  sources: [Kernel]
  match: 'errs=(?P<value>\d+)'
  counter: {increaseAtLeast: 2, withinSeconds: 60, scope: GPU}
  examples: {match: ['errs=1', 'errs=3']}
collectors:
- {name: last, sources: [Kernel], match: 'last=(?P<value>\w*)', take: Last}
)yaml";

constexpr std::size_t kLineBytes = 64;

const engine::CompiledRuleset& Rules() {
  static const auto ruleset = engine::Ruleset::Load({{"fuzz", kRules}}).ruleset;
  return engine::CompiledRuleset::From(*ruleset);
}

std::string Read(std::string_view bytes, std::size_t chunk) {
  engine::StreamReader reader(Rules(), {.id = "s", .source = engine::Source::kKernel},
                              {.line_bytes = kLineBytes});
  for (; !bytes.empty(); bytes.remove_prefix(std::min(chunk, bytes.size()))) {
    reader.Feed(bytes.substr(0, chunk));
  }
  reader.Finish();
  const engine::StreamContents contents = reader.Contents();
  std::string text = std::to_string(contents.lines) + "\n";
  for (const engine::Event& event : contents.events) {
    text += std::to_string(event.line_number) + "*" + std::to_string(event.count) + " " +
            event.symptom + " " + event.pci_address + " " + event.line + "\n";
    for (const std::string& line : event.before) text += "- " + line + "\n";
    for (const std::string& line : event.after) text += "+ " + line + "\n";
  }
  return text;
}

// The lines by the slowest way there is.
std::string Assembled(std::string_view bytes, std::size_t chunk) {
  std::string out;
  engine::LineAssembler assembler(kLineBytes, [&](std::string_view block) {
    if (block.empty() || (block.back() != '\n' && block.back() != '\r')) std::abort();
    out += block;
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(chunk, bytes.size()))) {
    assembler.Feed(bytes.substr(0, chunk));
  }
  assembler.Finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::Text(data, size);
  const std::string whole = Read(bytes, size + 1);
  if (Read(bytes, 1) != whole || Read(bytes, 5) != whole) std::abort();
  if (Assembled(bytes, 1) != Assembled(bytes, 3)) std::abort();
  return 0;
}

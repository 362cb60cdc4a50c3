// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/stream_reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "engine/extract/pci_address.h"
#include "engine/extract/visible_line.h"

namespace engine {
namespace {

constexpr std::size_t kContextLines = 5;
// What is kept of a line and what stands around it is more than is reported: a secret where the
// report cuts still has its shape.
constexpr std::size_t kContextBytes = 768;
constexpr std::size_t kLineBytes = 5120;
constexpr std::size_t kCaptureBytes = 1024;
// The longest name that Kubernetes gives to anything; a longer one is nobody's.
constexpr std::size_t kNameBytes = 253;
// Vectorscan counts in 32 bits, and what is found is held until the block is read.
constexpr std::size_t kMaxScanBytes = 1 << 20;
// Of one stream: a log that is nothing but symptoms must not fill the memory.
constexpr std::size_t kMaxEvents = 512;

std::optional<int> Integer(const std::string& text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> Number(const std::string& text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

std::string Captured(const Event& event, const char* name) {
  const auto at = event.captures.find(name);
  return at == event.captures.end() ? std::string() : at->second;
}

// Sources whose lines are about a node that only the line names.
bool NamesNodes(Source source) {
  return source == Source::kEvent || source == Source::kScheduler ||
         source == Source::kNodeCondition || source == Source::kPodStatus;
}

}  // namespace

StreamReader::StreamReader(const CompiledRuleset& ruleset, Stream stream, const Limits& limits)
    : ruleset_(ruleset),
      matchers_(ruleset.matchers().impl()),
      stream_(std::move(stream)),
      trust_(stream_.trust ? std::min(*stream_.trust, DefaultTrust(stream_.source))
                           : DefaultTrust(stream_.source)),
      line_bytes_(limits.line_bytes),
      assembler_(limits.line_bytes, [this](std::string_view block) { ReadBlock(block); }),
      recent_(stream_.first_failed ? std::max(limits.tail_lines, kContextLines) : kContextLines,
              stream_.framing == Framing::kKubernetesTimestamp),
      events_(limits.symptoms_per_kind, std::min(limits.symptoms, kMaxEvents)),
      candidates_(matchers_, stream_.source) {}

void StreamReader::Feed(std::string_view bytes) {
  bytes_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMaxScanBytes);
    assembler_.Feed(piece);
    bytes.remove_prefix(piece.size());
  }
}

void StreamReader::FeedLine(std::optional<Time> time, std::string_view message) {
  bytes_ += static_cast<std::int64_t>(message.size());
  ReadLineAlone(VisibleLine(CutLine(std::string(message.substr(0, line_bytes_ + 1)), line_bytes_)),
                time);
  ++lines_;
}

void StreamReader::Finish() {
  assembler_.Finish();
  for (const OpenRecord& record : std::exchange(records_, {})) CloseRecord(record);
  following_.clear();
}

StreamContents StreamReader::Contents() const {
  StreamContents contents;
  for (const Event* event : events_.All()) contents.events.push_back(*event);
  contents.matched = matched_;
  // A record that still may go on is evidence already: the next line may be hours away.
  for (const OpenRecord& record : records_) {
    auto event = EventOf(record);
    if (!event) continue;
    contents.matched.insert(record.pattern);
    if (!IsBeforeWindow(*event)) contents.events.push_back(*std::move(event));
  }
  contents.facts = facts_;
  contents.tail = recent_.All();
  contents.lines = lines_;
  contents.bytes = bytes_;
  return contents;
}

void StreamReader::ReadBlock(std::string_view block) {
  // Colour sequences can stand inside a literal.
  if (block.find('\x1b') != std::string_view::npos) {
    ReadBlockSlowly(block);
    return;
  }
  clock_.BeginBlock();
  hits_.clear();
  matchers_.Scan(block, hits_);
  std::size_t next_hit = 0;
  std::size_t position = 0;
  std::vector<int> atoms;
  while (position < block.size()) {
    std::size_t begin = position;
    if (!waiting()) {
      if (next_hit == hits_.size()) {
        lines_ +=
            std::count(block.begin() + static_cast<std::ptrdiff_t>(position), block.end(), '\n');
        break;
      }
      // To the line that holds the next hit; an end counts the byte behind it.
      begin = LineBegin(block, position, hits_[next_hit].end);
      lines_ += std::count(block.begin() + static_cast<std::ptrdiff_t>(position),
                           block.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    }
    std::string_view rest = block.substr(begin);
    char end_char = '\n';
    const std::string_view raw = TakeLine(rest, &end_char);
    position = block.size() - rest.size();
    atoms.clear();
    while (next_hit < hits_.size() && hits_[next_hit].end <= position) {
      atoms.push_back(hits_[next_hit++].atom);
    }
    const std::vector<int>& patterns = candidates_.PatternsFor(atoms);
    if (!raw.empty() && (waiting() || !patterns.empty())) {
      const std::string text = VisibleLine(raw);
      Line line{.text = text, .own_time = {}, .block = block, .begin = begin, .prefix = {}};
      ReadLine(line, patterns);
    }
    if (end_char == '\n') ++lines_;
  }
  clock_.Above(block, block.size(), [this](auto raw) { return TimeOf(raw); });
  recent_.AddBlock(block);
}

void StreamReader::ReadBlockSlowly(std::string_view block) {
  while (!block.empty()) {
    char end_char = '\n';
    const std::string_view raw = TakeLine(block, &end_char);
    if (!raw.empty()) ReadLineAlone(VisibleLine(raw), std::nullopt);
    if (end_char == '\n') ++lines_;
  }
}

void StreamReader::ReadLineAlone(std::string_view text, std::optional<Time> time) {
  hits_.clear();
  matchers_.Scan(text, hits_);
  std::vector<int> atoms;
  for (const AtomHit& hit : hits_) atoms.push_back(hit.atom);
  Line line{.text = text, .own_time = time, .block = {}, .begin = 0, .prefix = {}};
  ReadLine(line, candidates_.PatternsFor(atoms));
  Parse(line);
  if (line.time_is_floor) line.prefix.clock = Clock::kNone;
  clock_.See(line.prefix);
  recent_.AddLine(text);
}

void StreamReader::ReadLine(Line& line, const std::vector<int>& patterns) {
  if (!records_.empty()) ContinueRecords(line);
  if (!following_.empty()) AppendAfter(line.text);
  for (const int index : patterns) TryPattern(index, line);
}

Prefix StreamReader::FrontOf(std::string_view text) const {
  Prefix prefix;
  std::size_t offset = 0;
  std::optional<Time> kubelets;
  if (stream_.framing == Framing::kKubernetesTimestamp) {
    const std::size_t blank = text.find(' ');
    kubelets = ParseRfc3339(text.substr(0, blank));
    if (kubelets) offset = blank == std::string_view::npos ? text.size() : blank + 1;
  }
  if (stream_.framing != Framing::kBare) {
    prefix = ReadPrefix(text.substr(offset), stream_.source, about_);
  }
  prefix.message += offset;
  if (kubelets) {
    prefix.clock = Clock::kAbsolute;
    prefix.time = *kubelets;
  }
  return prefix;
}

Prefix StreamReader::TimeOf(std::string_view raw) const {
  return MayHaveTime(raw, stream_.source) ? FrontOf(VisibleLine(raw)) : Prefix();
}

void StreamReader::Parse(Line& line) {
  if (std::exchange(line.parsed, true)) return;
  line.prefix = FrontOf(line.text);
  if (line.own_time) {
    line.prefix.clock = Clock::kAbsolute;
    line.prefix.time = *line.own_time;
  }
  if (line.prefix.clock != Clock::kNone) return;
  const auto above =
      line.block ? clock_.Above(*line.block, line.begin, [this](auto raw) { return TimeOf(raw); })
                 : clock_.Above();
  if (!above) return;
  line.prefix.clock = above->clock;
  line.prefix.time = above->time;
  line.time_is_floor = true;
}

void StreamReader::TryPattern(int index, Line& line) {
  const CompiledPattern& pattern = matchers_.pattern(index);
  Parse(line);
  const std::string_view message = line.message();
  const int groups = pattern.match->NumberOfCapturingGroups();
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups) + 1);
  if (!pattern.match->Match(Piece(message), 0, message.size(), RE2::UNANCHORED, found.data(),
                            groups + 1)) {
    return;
  }
  if (matchers_.IsCollector(index)) {
    Collect(index, found.data(), line);
    return;
  }
  const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(index)];
  Event event = NewEvent(rule, pattern, found.data(), line);
  if (event.symptom.empty()) return;
  if (pattern.record_continue) {
    if (ruleset_.MayDecide(event.symptom)) event.before = LinesBefore(line);
    records_.push_back({index, std::move(event), std::string(message), 1});
  } else {
    Event* const kept = Admit(index, std::move(event), message);
    if (kept != nullptr) kept->before = LinesBefore(line);
  }
}

void StreamReader::Collect(int index, const re2::StringPiece* found, const Line& line) {
  Event at;
  at.clock = line.prefix.clock;
  at.time = line.prefix.time;
  at.source = stream_.source;
  at.stream = stream_.id;
  at.line_number = lines_ + 1;
  std::string value;
  for (const auto& [name, group] : matchers_.pattern(index).groups) {
    if (name == "value") value = std::string(found[group]);
  }
  facts_[static_cast<std::size_t>(matchers_.CollectorIndex(index))].Add(
      at, CutLine(std::move(value), kCaptureBytes));
}

Event StreamReader::NewEvent(const ExtractorRule& rule, const CompiledPattern& pattern,
                             const re2::StringPiece* found, const Line& line) const {
  Event event;
  event.symptom = rule.symptom;
  event.rule = rule.name;
  event.source = stream_.source;
  event.trust = trust_;
  event.stream = stream_.id;
  event.object = stream_.object;
  event.container = stream_.container;
  event.clock = line.prefix.clock;
  event.time = line.prefix.time;
  event.time_is_floor = line.time_is_floor;
  event.last_time = event.time;
  event.line_number = lines_ + 1;
  event.line = CutLine(std::string(line.message()), kLineBytes);
  for (const auto& [name, group] : pattern.groups) {
    const re2::StringPiece& piece = found[group];
    if (piece.data() != nullptr) {
      event.captures[name] = CutLine(std::string(piece), kCaptureBytes);
    }
  }
  SetPlace(event, line);
  if (!rule.table.empty()) {
    std::string key = Captured(event, "code");
    if (key.empty()) key = Captured(event, "exception");
    const TableRule* const table = ruleset_.FindTable(rule.table);
    const auto row = table->rows.find(key);
    event.symptom = row == table->rows.end() ? std::string() : row->second;
  }
  return event;
}

std::vector<std::string> StreamReader::LinesBefore(const Line& line) const {
  return recent_.Before(line.block.value_or(std::string_view()), line.begin, kContextLines,
                        kContextBytes);
}

// Where it happened, by the stream's word before the line's.
void StreamReader::SetPlace(Event& event, const Line& line) const {
  event.node = stream_.node;
  if (event.node.empty()) {
    event.node = line.prefix.node;
    if (event.node.empty() && stream_.source == Source::kAppLog) event.node = NcclHost(event.line);
    const std::string named = Captured(event, "node");
    if (NamesNodes(stream_.source) && !named.empty()) event.node = named;
    if (event.node.size() > kNameBytes) event.node.clear();
  }
  event.rank = line.prefix.rank;
  if (!event.rank) event.rank = Integer(Captured(event, "rank"));
  if (!event.rank) event.rank = stream_.rank;
  event.pci_address = NormalPciAddress(Captured(event, "pci"));
  event.gpu_uuid = Captured(event, "uuid");
  const std::string gpu = Captured(event, "gpu");
  if (gpu.starts_with("GPU-")) {
    event.gpu_uuid = gpu;
  } else {
    event.gpu_index = Integer(gpu);
  }
  if (event.gpu_uuid.size() > kNameBytes) event.gpu_uuid.clear();
}

// Yesterday's must not be folded over today's. A line without a time of its own may be younger than
// the one above it.
bool StreamReader::IsBeforeWindow(const Event& event) const {
  return event.has_time() && !event.time_is_floor && not_before_ && event.time < *not_before_;
}

Event* StreamReader::Admit(int pattern, Event event, std::string_view text) {
  const CompiledPattern& compiled = matchers_.pattern(pattern);
  if (compiled.unless && RE2::PartialMatch(Piece(text), *compiled.unless)) return nullptr;
  matched_.insert(pattern);
  if (IsBeforeWindow(event)) return nullptr;
  const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(pattern)];
  if (rule.counter) {
    const auto value = Number(Captured(event, "value"));
    if (!value || !counters_[pattern].Rises(*rule.counter, event, *value)) return nullptr;
  }
  std::string place = PlaceOf(event);
  const std::int64_t line_number = event.line_number;
  const bool wants_context = ruleset_.MayDecide(event.symptom);
  if (!events_.Add(std::move(event)) || !wants_context) return nullptr;
  Event* const kept = events_.Find(place);
  following_.push_back({std::move(place), line_number, static_cast<int>(kContextLines)});
  return kept;
}

void StreamReader::ContinueRecords(Line& line) {
  std::vector<OpenRecord> open = std::exchange(records_, {});
  Parse(line);
  for (OpenRecord& record : open) {
    const RecordRule& rule =
        *ruleset_.model().extractors[static_cast<std::size_t>(record.pattern)].record;
    const bool in_time =
        line.prefix.clock == Clock::kNone || record.event.clock != line.prefix.clock ||
        std::chrono::duration<double>(line.prefix.time - record.event.time).count() <=
            rule.max_seconds;
    if (in_time && record.lines < rule.max_lines &&
        RE2::PartialMatch(Piece(line.message()),
                          *matchers_.pattern(record.pattern).record_continue)) {
      record.text += '\n';
      record.text += line.message();
      ++record.lines;
      records_.push_back(std::move(record));
    } else {
      CloseRecord(record);
    }
  }
}

std::optional<Event> StreamReader::EventOf(const OpenRecord& record) const {
  const CompiledPattern& pattern = matchers_.pattern(record.pattern);
  if (pattern.record_require && !RE2::PartialMatch(record.text, *pattern.record_require)) {
    return std::nullopt;
  }
  if (pattern.unless && RE2::PartialMatch(record.text, *pattern.unless)) return std::nullopt;
  Event event = record.event;
  event.line = CutLine(record.text, kLineBytes);
  std::replace(event.line.begin(), event.line.end(), '\n', ' ');
  return event;
}

void StreamReader::CloseRecord(const OpenRecord& record) {
  if (auto event = EventOf(record)) Admit(record.pattern, *std::move(event), record.text);
}

void StreamReader::AppendAfter(std::string_view text) {
  for (Following& following : following_) {
    Event* const kept = events_.Find(following.place);
    // An earlier event may have taken its place meanwhile.
    if (kept != nullptr && kept->line_number == following.line_number) {
      kept->after.push_back(CutLine(std::string(recent_.Shown(text)), kContextBytes));
    }
    --following.left;
  }
  following_.erase(std::remove_if(following_.begin(), following_.end(),
                                  [](const Following& following) { return following.left <= 0; }),
                   following_.end());
}

}  // namespace engine

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
// Where a program's log tells when it began.
constexpr std::int64_t kFirstLines = 100;
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

std::optional<int> Integer(std::string_view text) {
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

// Empty: it did not take part, or the pattern has no such group. `found` may be null.
std::string_view Captured(const CompiledPattern& pattern, const re2::StringPiece* found,
                          std::string_view name) {
  if (found == nullptr) return {};
  for (const auto& [group_name, group] : pattern.match.groups()) {
    if (group_name == name) return {found[group].data(), found[group].size()};
  }
  return {};
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
      // Which container failed first may become known only when it has ended.
      recent_(stream_.first_failed || stream_.source == Source::kAppLog
                  ? std::max(limits.tail_lines, kContextLines)
                  : kContextLines,
              stream_.framing == Framing::kKubernetesTimestamp),
      events_(limits.symptoms_per_kind, std::min(limits.symptoms, kMaxEvents)) {}

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
  contents.first_time = first_time_;
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
  if (StripColours(block, stripped_block_)) block = stripped_block_;
  if (lines_ < kFirstLines) LookForFirstTime(block);
  clock_.BeginBlock();
  memo_ = matchers_.TakeMemo();
  hits_.clear();
  matchers_.Scan(stream_.source, block, hits_);
  std::size_t next_hit = 0;
  std::size_t position = 0;
  while (position < block.size()) {
    std::size_t begin = position;
    if (!waiting()) {
      if (next_hit == hits_.size()) {
        lines_ += CountLineFeeds(block.substr(position));
        break;
      }
      // To the line that holds the next hit; an end counts the byte behind it.
      begin = LineBegin(block, position, hits_[next_hit].end);
      lines_ += CountLineFeeds(block.substr(position, begin - position));
    }
    std::string_view rest = block.substr(begin);
    char end_char = '\n';
    const std::string_view raw = TakeLine(rest, &end_char);
    position = block.size() - rest.size();
    candidates_.clear();
    for (; next_hit < hits_.size() && hits_[next_hit].end <= position; ++next_hit) {
      matchers_.AddCandidates(stream_.source, hits_[next_hit].literal, candidates_);
    }
    if (!raw.empty()) {
      const std::string_view text = VisibleLine(raw, visible_line_);
      Line line{.text = text,
                .as_written = text.data() == raw.data(),
                .own_time = {},
                .block = block,
                .begin = begin,
                .prefix = {}};
      ReadLine(line);
    }
    if (end_char == '\n') ++lines_;
  }
  clock_.Above(block, block.size(), [this](auto raw) { return TimeOf(raw); });
  recent_.AddBlock(block);
  matchers_.GiveBack(std::move(memo_));
}

void StreamReader::LookForFirstTime(std::string_view block) {
  if (stream_.source != Source::kAppLog) return;
  for (std::int64_t line = lines_; line < kFirstLines && !first_time_ && !block.empty(); ++line) {
    char end_char = '\n';
    const Prefix prefix = TimeOf(TakeLine(block, &end_char));
    if (prefix.clock == Clock::kAbsolute) first_time_ = prefix.time;
  }
}

void StreamReader::ReadLineAlone(std::string_view text, std::optional<Time> time) {
  hits_.clear();
  matchers_.Scan(stream_.source, text, hits_);
  candidates_.clear();
  for (const LiteralHit& hit : hits_) {
    matchers_.AddCandidates(stream_.source, hit.literal, candidates_);
  }
  Line line{.text = text, .own_time = time, .block = {}, .begin = 0, .prefix = {}};
  ReadLine(line);
  Parse(line);
  if (line.time_is_floor) line.prefix.clock = Clock::kNone;
  if (stream_.source == Source::kAppLog && lines_ < kFirstLines && !first_time_ &&
      line.prefix.clock == Clock::kAbsolute) {
    first_time_ = line.prefix.time;
  }
  clock_.See(line.prefix);
  recent_.AddLine(text);
}

void StreamReader::ReadLine(Line& line) {
  if (!records_.empty()) ContinueRecords(line);
  if (!following_.empty()) AppendAfter(line.text);
  if (candidates_.empty()) return;
  Parse(line);
  FindMatches(line);
  if (matched_candidates_.empty()) return;
  Date(line);
  for (const int index : matched_candidates_) ReadMatch(index, line);
}

void StreamReader::FindMatches(const Line& line) {
  const std::string_view message = line.message();
  // Of a message's patterns each has a literal in it, whatever stands before it.
  const bool may_know = memo_ && line.as_written;
  if (may_know) {
    if (const auto* const known = memo_->Find(stream_.source, message)) {
      matched_candidates_ = *known;
      return;
    }
  }
  matched_candidates_.clear();
  for (const int index : candidates_) {
    // Whether it matches is quickly said; what its groups hold takes longer.
    if (matchers_.pattern(index).match.get().Match(Piece(message), 0, message.size(),
                                                   RE2::UNANCHORED, nullptr, 0)) {
      matched_candidates_.push_back(index);
    }
  }
  if (may_know) memo_->Put(stream_.source, message, matched_candidates_);
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
  // A launcher labels each line with its host.
  if (stream_.source == Source::kAppLog && !stream_.node.empty() && prefix.message == offset &&
      text.substr(offset).starts_with(stream_.node + ": ")) {
    const std::size_t label = stream_.node.size() + 2;
    prefix = ReadPrefix(text.substr(offset + label), stream_.source, about_);
    prefix.message += offset + label;
  }
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
}

void StreamReader::Date(Line& line) {
  Parse(line);
  if (std::exchange(line.dated, true) || line.prefix.clock != Clock::kNone) return;
  const auto above =
      line.block ? clock_.Above(*line.block, line.begin, [this](auto raw) { return TimeOf(raw); })
                 : clock_.Above();
  if (!above) return;
  line.prefix.clock = above->clock;
  line.prefix.time = above->time;
  line.time_is_floor = true;
}

void StreamReader::ReadMatch(int index, Line& line) {
  const CompiledPattern& pattern = matchers_.pattern(index);
  const std::string_view message = line.message();
  if (matchers_.IsCollector(index)) {
    FindGroups(pattern, message);
    Collect(index, found_.data(), line);
    return;
  }
  const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(index)];
  if (pattern.groups_locate) FindGroups(pattern, message);
  Locate(rule, pattern, line, located_);
  if (located_.symptom.empty() || IsDone(index, located_, message)) return;
  if (!pattern.groups_locate) FindGroups(pattern, message);
  Event event = located_;
  Describe(rule, pattern, line, event);
  if (!pattern.record_continue.none()) {
    if (ruleset_.MayDecide(event.symptom)) event.before = LinesBefore(line);
    records_.push_back({index, std::move(event), std::string(message), 1});
  } else {
    Event* const kept = Admit(index, std::move(event), message);
    if (kept != nullptr) kept->before = LinesBefore(line);
  }
}

void StreamReader::FindGroups(const CompiledPattern& pattern, std::string_view message) {
  const RE2& match = pattern.match.get();
  const int groups = match.NumberOfCapturingGroups();
  found_.resize(std::max(found_.size(), static_cast<std::size_t>(groups) + 1));
  match.Match(Piece(message), 0, message.size(), RE2::UNANCHORED, found_.data(), groups + 1);
}

bool StreamReader::IsDone(int index, const Event& event, std::string_view message) {
  const CompiledPattern& pattern = matchers_.pattern(index);
  const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(index)];
  if (!pattern.record_continue.none() || rule.counter) return false;
  if (!pattern.unless.none() && RE2::PartialMatch(Piece(message), pattern.unless.get())) {
    return true;
  }
  if (!IsBeforeWindow(event) && !events_.AddRepeat(event)) return false;
  matched_.insert(index);
  return true;
}

void StreamReader::Collect(int index, const re2::StringPiece* found, const Line& line) {
  Event at;
  at.clock = line.prefix.clock;
  at.time = line.prefix.time;
  at.source = stream_.source;
  at.stream = stream_.id;
  at.line_number = lines_ + 1;
  std::string value;
  for (const auto& [name, group] : matchers_.pattern(index).match.groups()) {
    if (name == "value") value = std::string(found[group]);
  }
  facts_[static_cast<std::size_t>(matchers_.CollectorIndex(index))].Add(
      at, CutLine(std::move(value), kCaptureBytes));
}

void StreamReader::Locate(const ExtractorRule& rule, const CompiledPattern& pattern,
                          const Line& line, Event& event) const {
  const re2::StringPiece* const found = pattern.groups_locate ? found_.data() : nullptr;
  event.symptom = rule.symptom;
  if (!rule.table.empty()) {
    std::string_view key = Captured(pattern, found, "code");
    if (key.empty()) key = Captured(pattern, found, "exception");
    const TableRule* const table = ruleset_.FindTable(rule.table);
    const auto row = table->rows.find(std::string(key.substr(0, kCaptureBytes)));
    if (row == table->rows.end()) return;
    event.symptom = row->second;
  }
  event.source = stream_.source;
  event.trust = trust_;
  event.clock = line.prefix.clock;
  event.time = line.prefix.time;
  event.time_is_floor = line.time_is_floor;
  event.last_time = event.time;
  event.stream = stream_.id;
  event.line_number = lines_ + 1;
  SetPlace(pattern, found, line, event);
}

void StreamReader::Describe(const ExtractorRule& rule, const CompiledPattern& pattern,
                            const Line& line, Event& event) const {
  event.rule = rule.name;
  event.object = stream_.object;
  event.container = stream_.container;
  event.line = CutLine(std::string(line.message()), kLineBytes);
  for (const auto& [name, group] : pattern.match.groups()) {
    const re2::StringPiece& piece = found_[static_cast<std::size_t>(group)];
    if (piece.data() != nullptr) {
      event.captures[name] = CutLine(std::string(piece), kCaptureBytes);
    }
  }
}

std::vector<std::string> StreamReader::LinesBefore(const Line& line) const {
  return recent_.Before(line.block.value_or(std::string_view()), line.begin, kContextLines,
                        kContextBytes);
}

// Where it happened, by the stream's word before the line's; a scheduler's log is kept on another
// node than those that it tells of.
void StreamReader::SetPlace(const CompiledPattern& pattern, const re2::StringPiece* found,
                            const Line& line, Event& event) const {
  const auto captured = [&](const char* name) { return Captured(pattern, found, name); };
  // A longer one is nobody's.
  const auto name = [](std::string_view text) {
    return text.size() > kNameBytes ? std::string_view() : text;
  };
  event.node = stream_.node;
  if (event.node.empty()) {
    event.node = line.prefix.node;
    if (event.node.empty() && stream_.source == Source::kAppLog) {
      event.node = NcclHost(line.message());
    }
    const std::string_view named = captured("node");
    if (NamesNodes(stream_.source) && !named.empty()) event.node = named;
    event.node = name(event.node);
  }
  if (stream_.source == Source::kScheduler && !captured("node").empty()) {
    event.node = name(captured("node"));
  }
  event.rank = line.prefix.rank;
  if (!event.rank) event.rank = Integer(captured("rank"));
  if (!event.rank) event.rank = stream_.rank;
  event.pci_address = NormalPciAddress(captured("pci").substr(0, kNameBytes));
  event.gpu_uuid = name(captured("uuid"));
  const std::string_view gpu = captured("gpu");
  event.gpu_index.reset();
  if (gpu.starts_with("GPU-")) {
    event.gpu_uuid = name(gpu);
  } else {
    event.gpu_index = Integer(gpu);
  }
}

// Yesterday's must not be folded over today's. A line without a time of its own may be younger than
// the one above it.
bool StreamReader::IsBeforeWindow(const Event& event) const {
  return event.has_time() && !event.time_is_floor && not_before_ && event.time < *not_before_;
}

Event* StreamReader::Admit(int pattern, Event event, std::string_view text) {
  const CompiledPattern& compiled = matchers_.pattern(pattern);
  if (!compiled.unless.none() && RE2::PartialMatch(Piece(text), compiled.unless.get())) {
    return nullptr;
  }
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
  Date(line);
  for (OpenRecord& record : open) {
    const RecordRule& rule =
        *ruleset_.model().extractors[static_cast<std::size_t>(record.pattern)].record;
    const bool in_time =
        line.prefix.clock == Clock::kNone || record.event.clock != line.prefix.clock ||
        std::chrono::duration<double>(line.prefix.time - record.event.time).count() <=
            rule.max_seconds;
    if (in_time && record.lines < rule.max_lines &&
        RE2::PartialMatch(Piece(line.message()),
                          matchers_.pattern(record.pattern).record_continue.get())) {
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
  if (!pattern.record_require.none() &&
      !RE2::PartialMatch(record.text, pattern.record_require.get())) {
    return std::nullopt;
  }
  if (!pattern.unless.none() && RE2::PartialMatch(record.text, pattern.unless.get())) {
    return std::nullopt;
  }
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

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
constexpr std::size_t kContextBytes = 512;
constexpr std::size_t kTailBytes = 1024;
// Vectorscan counts in 32 bits, and what is found is held until the block is read.
constexpr std::size_t kMaxScanBytes = 1 << 20;

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

bool IsTruth(Source source) {
  // Sources whose lines are about a node that only the line names.
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
      remembered_lines_(stream_.first_failed ? std::max(limits.tail_lines, kContextLines)
                                             : kContextLines),
      assembler_(limits.line_bytes, [this](std::string_view block) { ReadBlock(block); }),
      events_(limits.symptoms_per_kind) {}

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
  const std::string text = VisibleLine(message);
  hits_.clear();
  matchers_.Scan(text, hits_);
  std::vector<int> atoms;
  for (const AtomHit& hit : hits_) atoms.push_back(hit.atom);
  ReadLine(text, time, atoms, {}, 0);
  Remember(text);
  ++lines_;
}

void StreamReader::Finish() {
  assembler_.Finish();
  for (OpenRecord& record : records_) CloseRecord(record);
  records_.clear();
  following_.clear();
}

StreamContents StreamReader::Contents() const {
  StreamContents contents;
  for (const Event* event : events_.All()) contents.events.push_back(*event);
  for (const auto& [pattern, readings] : counters_) {
    const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(pattern)];
    for (Event& event : readings.Rises(*rule.counter)) contents.events.push_back(std::move(event));
  }
  contents.facts = facts_;
  contents.tail.assign(recent_.begin(), recent_.end());
  contents.lines = lines_;
  contents.bytes = bytes_;
  contents.matched = matched_;
  return contents;
}

void StreamReader::ReadBlock(std::string_view block) {
  // Colour sequences can stand inside a literal.
  if (block.find('\x1b') != std::string_view::npos) {
    ReadBlockSlowly(block);
    return;
  }
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
      const std::size_t before = block.find_last_of("\n\r", hits_[next_hit].end - 1);
      begin = before == std::string_view::npos ? 0 : std::max(position, before + 1);
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
    if (!raw.empty()) ReadLine(VisibleLine(raw), std::nullopt, atoms, block, begin);
    if (end_char == '\n') ++lines_;
  }
  RememberEnd(block);
}

void StreamReader::ReadBlockSlowly(std::string_view block) {
  while (!block.empty()) {
    char end_char = '\n';
    const std::string_view raw = TakeLine(block, &end_char);
    if (!raw.empty()) {
      const std::string text = VisibleLine(raw);
      hits_.clear();
      matchers_.Scan(text, hits_);
      std::vector<int> atoms;
      for (const AtomHit& hit : hits_) atoms.push_back(hit.atom);
      ReadLine(text, std::nullopt, atoms, {}, 0);
      Remember(text);
    }
    if (end_char == '\n') ++lines_;
  }
}

void StreamReader::ReadLine(std::string_view raw, std::optional<Time> time,
                            const std::vector<int>& atoms, std::string_view block,
                            std::size_t begin) {
  Line line{.text = raw, .message = 0, .own_time = time, .prefix = {}, .parsed = false};
  if (!following_.empty()) AppendAfter(raw);
  if (!records_.empty()) ContinueRecords(line);
  if (atoms.empty()) return;
  std::vector<int> sorted = atoms;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<int> patterns;
  matchers_.Candidates(sorted, patterns);
  for (const int index : patterns) {
    if ((matchers_.pattern(index).sources & SourceBit(stream_.source)) != 0) {
      TryPattern(index, line, block, begin);
    }
  }
}

void StreamReader::Parse(Line& line) {
  if (std::exchange(line.parsed, true)) return;
  Prefix& prefix = line.prefix;
  std::string_view text = line.text;
  std::size_t offset = 0;
  if (stream_.framing == Framing::kKubernetesTimestamp) {
    const std::size_t blank = text.find(' ');
    if (const auto time = ParseRfc3339(text.substr(0, blank))) {
      line.own_time = time;
      offset = blank == std::string_view::npos ? text.size() : blank + 1;
      text.remove_prefix(offset);
    }
  }
  if (stream_.framing != Framing::kBare) prefix = ReadPrefix(text, stream_.source, about_);
  line.message = offset + prefix.message;
  if (line.own_time) {
    prefix.clock = Clock::kAbsolute;
    prefix.time = *line.own_time;
  }
  if (prefix.clock == Clock::kNone) {
    // A line without a time takes its place behind the one before it.
    if (last_time_) {
      prefix.clock = last_time_->clock;
      prefix.time = last_time_->time;
    }
  } else {
    last_time_ = prefix;
  }
}

void StreamReader::TryPattern(int index, Line& line, std::string_view block, std::size_t begin) {
  const CompiledPattern& pattern = matchers_.pattern(index);
  Parse(line);
  const std::string_view message = line.text.substr(line.message);
  const int groups = pattern.match->NumberOfCapturingGroups();
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups) + 1);
  if (!pattern.match->Match(Piece(message), 0, message.size(), RE2::UNANCHORED, found.data(),
                            groups + 1)) {
    return;
  }
  if (matchers_.IsCollector(index)) {
    Event at;
    at.clock = line.prefix.clock;
    at.time = line.prefix.time;
    at.source = stream_.source;
    at.stream = stream_.id;
    at.line_number = lines_ + 1;
    std::string value;
    for (const auto& [name, group] : pattern.groups) {
      if (name == "value") value = std::string(found[static_cast<std::size_t>(group)]);
    }
    facts_[static_cast<std::size_t>(matchers_.CollectorIndex(index))].Add(
        at, CutLine(std::move(value), kContextBytes));
    return;
  }
  const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(index)];
  Event event = NewEvent(rule, pattern, found.data(), line);
  if (event.symptom.empty()) return;
  event.before = LinesBefore(block, begin);
  if (pattern.record_continue) {
    records_.push_back({index, std::move(event), std::string(message), rule.symptom, 1});
    return;
  }
  Admit(index, std::move(event), std::string(message));
}

Event StreamReader::NewEvent(const ExtractorRule& rule, const CompiledPattern& pattern,
                             const re2::StringPiece* found, Line& line) {
  Event event;
  event.symptom = rule.symptom;
  event.rule = rule.name;
  event.source = stream_.source;
  event.trust = trust_;
  event.stream = stream_.id;
  event.object = stream_.object;
  event.container = stream_.container;
  event.node = stream_.node;
  event.clock = line.prefix.clock;
  event.time = line.prefix.time;
  event.last_time = event.time;
  event.line_number = lines_ + 1;
  event.line = std::string(line.text.substr(line.message));
  for (const auto& [name, group] : pattern.groups) {
    const re2::StringPiece& piece = found[group];
    if (piece.data() != nullptr) event.captures[name] = std::string(piece);
  }
  const auto captured = [&](const char* name) -> std::string {
    const auto at = event.captures.find(name);
    return at == event.captures.end() ? std::string() : at->second;
  };
  if (event.node.empty()) {
    event.node = line.prefix.node;
    if (event.node.empty() && stream_.source == Source::kAppLog) event.node = NcclHost(event.line);
    if (IsTruth(stream_.source) && !captured("node").empty()) event.node = captured("node");
  }
  event.rank = line.prefix.rank;
  if (!event.rank) event.rank = Integer(captured("rank"));
  if (!event.rank) event.rank = stream_.rank;
  event.pci_address = NormalPciAddress(captured("pci"));
  event.gpu_uuid = captured("uuid");
  const std::string gpu = captured("gpu");
  if (gpu.starts_with("GPU-")) {
    event.gpu_uuid = gpu;
  } else {
    event.gpu_index = Integer(gpu);
  }
  if (!rule.table.empty()) {
    std::string key = captured("code");
    if (key.empty()) key = captured("exception");
    const TableRule* const table = ruleset_.FindTable(rule.table);
    const auto row = table->rows.find(key);
    event.symptom = row == table->rows.end() ? std::string() : row->second;
  }
  return event;
}

void StreamReader::Admit(int pattern, Event event, const std::string& text) {
  const CompiledPattern& compiled = matchers_.pattern(pattern);
  if (compiled.unless && RE2::PartialMatch(text, *compiled.unless)) return;
  matched_.insert(pattern);
  if (event.has_time() && not_before_ && event.time < *not_before_) return;
  const ExtractorRule& rule = ruleset_.model().extractors[static_cast<std::size_t>(pattern)];
  if (rule.counter) {
    const auto value = event.captures.find("value");
    const auto number = value == event.captures.end() ? std::nullopt : Number(value->second);
    if (number) counters_[pattern].Add(event, *number);
    return;
  }
  const std::string place = PlaceOf(event);
  const std::string symptom = event.symptom;
  const std::int64_t line_number = event.line_number;
  if (events_.Add(std::move(event))) {
    following_.push_back({symptom, place, line_number, static_cast<int>(kContextLines)});
  }
}

void StreamReader::ContinueRecords(Line& line) {
  std::vector<OpenRecord> open = std::move(records_);
  records_.clear();
  for (OpenRecord& record : open) {
    Parse(line);
    const std::string_view message = line.text.substr(line.message);
    const RecordRule& rule =
        *ruleset_.model().extractors[static_cast<std::size_t>(record.pattern)].record;
    const bool in_time =
        line.prefix.clock == Clock::kNone || record.event.clock != line.prefix.clock ||
        std::chrono::duration<double>(line.prefix.time - record.event.time).count() <=
            rule.max_seconds;
    if (in_time && record.lines < rule.max_lines &&
        RE2::PartialMatch(Piece(message), *matchers_.pattern(record.pattern).record_continue)) {
      record.text += '\n';
      record.text += message;
      ++record.lines;
      if (record.lines < rule.max_lines) {
        records_.push_back(std::move(record));
        continue;
      }
    }
    CloseRecord(record);
  }
}

void StreamReader::CloseRecord(OpenRecord& record) {
  const CompiledPattern& pattern = matchers_.pattern(record.pattern);
  if (pattern.record_require && !RE2::PartialMatch(record.text, *pattern.record_require)) return;
  std::string line = record.text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  record.event.line = std::move(line);
  Admit(record.pattern, std::move(record.event), record.text);
}

void StreamReader::AppendAfter(std::string_view text) {
  for (Following& following : following_) {
    Event* const kept = events_.Find(following.symptom, following.place);
    // An earlier event may have taken its place meanwhile.
    if (kept != nullptr && kept->line_number == following.line_number) {
      kept->after.push_back(CutLine(std::string(Shown(text)), kContextBytes));
    }
    --following.left;
  }
  following_.erase(std::remove_if(following_.begin(), following_.end(),
                                  [](const Following& following) { return following.left <= 0; }),
                   following_.end());
}

std::vector<std::string> StreamReader::LinesBefore(std::string_view block,
                                                   std::size_t begin) const {
  std::vector<std::string> lines;  // nearest first
  std::string_view before = block.substr(0, begin);
  while (!before.empty() && lines.size() < kContextLines) {
    before.remove_suffix(1);  // the line's end
    const std::size_t end = before.find_last_of("\n\r");
    const std::string_view line = end == std::string_view::npos ? before : before.substr(end + 1);
    before = end == std::string_view::npos ? std::string_view() : before.substr(0, end + 1);
    if (!line.empty()) lines.push_back(CutLine(VisibleLine(Shown(line)), kContextBytes));
  }
  for (auto recent = recent_.rbegin(); recent != recent_.rend() && lines.size() < kContextLines;
       ++recent) {
    lines.push_back(CutLine(*recent, kContextBytes));
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

// A line as people are shown it: the time that the kubelet put in front is not the program's.
std::string_view StreamReader::Shown(std::string_view line) const {
  if (stream_.framing != Framing::kKubernetesTimestamp) return line;
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || !ParseRfc3339(line.substr(0, blank))) return line;
  return line.substr(blank + 1);
}

void StreamReader::RememberEnd(std::string_view block) {
  std::vector<std::string_view> lines;  // nearest first
  while (!block.empty() && lines.size() < remembered_lines_) {
    block.remove_suffix(1);
    const std::size_t end = block.find_last_of("\n\r");
    const std::string_view line = end == std::string_view::npos ? block : block.substr(end + 1);
    block = end == std::string_view::npos ? std::string_view() : block.substr(0, end + 1);
    if (!line.empty()) lines.push_back(line);
  }
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) Remember(VisibleLine(*line));
}

void StreamReader::Remember(std::string_view text) {
  recent_.push_back(CutLine(std::string(Shown(text)), kTailBytes));
  if (recent_.size() > remembered_lines_) recent_.pop_front();
}

}  // namespace engine

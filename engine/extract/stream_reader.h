// SPDX-License-Identifier: Apache-2.0
// One stream of evidence on its way from bytes to events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/case.h"
#include "engine/extract/collector.h"
#include "engine/extract/counter.h"
#include "engine/extract/event.h"
#include "engine/extract/line_assembler.h"
#include "engine/extract/line_clock.h"
#include "engine/extract/matchers_impl.h"
#include "engine/extract/recent_lines.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {

// What a stream holds at some moment.
struct StreamContents {
  std::vector<Event> events;
  std::map<std::size_t, CollectedFact> facts;  // by the collector's index
  std::vector<std::string> tail;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
  std::set<int> matched;           // extractors that something matched, folded or not
  std::optional<Time> first_time;  // of a program's log: the earliest near its beginning
};

// Used by one thread at a time.
class StreamReader {
 public:
  // `ruleset` must outlive it. `about`: a time near the evidence's, for times without a year.
  // `not_before`: what is certainly older never becomes an event (yesterday's repeats would be
  // folded over today's).
  StreamReader(const CompiledRuleset& ruleset, Stream stream, const Limits& limits);

  void SetTimes(std::optional<Time> about, std::optional<Time> not_before) {
    about_ = about;
    not_before_ = not_before;
  }

  void SetFirstFailed() { stream_.first_failed = true; }

  void Feed(std::string_view bytes);
  void FeedLine(std::optional<Time> time, std::string_view message);
  void Finish();

  const Stream& stream() const { return stream_; }
  StreamContents Contents() const;

 private:
  // The line that is being read.
  struct Line {
    std::string_view text;                  // as rules see it: visible
    bool as_written = false;                // nothing had to be made visible
    std::optional<Time> own_time;           // given with it
    std::optional<std::string_view> block;  // that it stands in; unset: it came alone
    std::size_t begin = 0;                  // where in the block
    Prefix prefix;                          // set by Parse(), its time by Date()
    bool parsed = false;
    bool dated = false;
    bool time_is_floor = false;  // set by Date()
    std::string_view message() const { return text.substr(prefix.message); }
  };
  // A record that may go on in the next line.
  struct OpenRecord {
    int pattern = 0;
    Event event;
    std::string text;
    int lines = 1;
  };
  // An event that still wants the lines that follow it.
  struct Following {
    std::string place;
    std::int64_t line_number = 0;
    int left = 0;
  };

  void ReadBlock(std::string_view block);
  void ReadLineAlone(std::string_view text, std::optional<Time> time);
  void LookForFirstTime(std::string_view block);
  // Tries `candidates_` on it.
  void ReadLine(Line& line);
  Prefix FrontOf(std::string_view text) const;
  // Of a line of which only the time is wanted.
  Prefix TimeOf(std::string_view raw) const;
  void Parse(Line& line);
  // Parses it, and gives it the time above it if it has none.
  void Date(Line& line);
  // Those of `candidates_` that match the message, into matched_candidates_.
  void FindMatches(const Line& line);
  void ReadMatch(int index, Line& line);
  void Collect(int index, const re2::StringPiece* found, const Line& line);
  // Into found_.
  void FindGroups(const CompiledPattern& pattern, std::string_view message);
  // What is the symptom, when and where; empty: the table doesn't have it.
  void Locate(const ExtractorRule& rule, const CompiledPattern& pattern, const Line& line,
              Event& event) const;
  // The rest.
  void Describe(const ExtractorRule& rule, const CompiledPattern& pattern, const Line& line,
                Event& event) const;
  void SetPlace(const CompiledPattern& pattern, const re2::StringPiece* found, const Line& line,
                Event& event) const;
  // Whether all that is to be done with the located event has been done: most are repeats.
  bool IsDone(int index, const Event& event, std::string_view message);
  bool IsBeforeWindow(const Event& event) const;
  std::vector<std::string> LinesBefore(const Line& line) const;
  // The event where it is kept, if what stands around it is worth keeping too; else null.
  Event* Admit(int pattern, Event event, std::string_view text);
  void ContinueRecords(Line& line);
  // The record's event, if it is one as far as it goes.
  std::optional<Event> EventOf(const OpenRecord& record) const;
  void CloseRecord(const OpenRecord& record);
  void AppendAfter(std::string_view text);
  bool waiting() const { return !following_.empty() || !records_.empty(); }

  const CompiledRuleset& ruleset_;
  const Matchers::Impl& matchers_;
  Stream stream_;
  const Trust trust_;
  const std::size_t line_bytes_;
  LineAssembler assembler_;
  std::optional<Time> about_;
  std::optional<Time> not_before_;
  std::int64_t lines_ = 0;  // line breaks so far
  std::int64_t bytes_ = 0;
  RecentLines recent_;  // before the block that is being read
  LineClock clock_;
  EventSet events_;
  std::map<int, CounterReadings> counters_;  // by pattern
  std::map<std::size_t, CollectedFact> facts_;
  std::set<int> matched_;
  std::optional<Time> first_time_;
  std::vector<OpenRecord> records_;
  std::vector<Following> following_;
  // All that follows is reused.
  std::vector<LiteralHit> hits_;
  std::vector<int> candidates_;
  std::vector<int> matched_candidates_;
  std::unique_ptr<MatchMemo> memo_;  // while a block is read
  std::vector<re2::StringPiece> found_;
  std::string stripped_block_;
  std::string visible_line_;
  Event located_;
};

}  // namespace engine

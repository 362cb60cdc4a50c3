// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/success.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

class SuccessTest : public RefinementFixture {
 protected:
  // What was said last in one log has the highest line.
  static Event Line(Event event, std::int64_t line) {
    event.line_number = line;
    event.clock = Clock::kNone;
    return event;
  }
  static Event Completed(double second) {
    Event event = App("job-done", "", second);
    event.source = Source::kEvent;
    event.stream = "events";
    return event;
  }
  bool Succeeded(std::vector<Event> events) {
    return SuccessOf(Refine("", std::move(events))) >= 0;
  }
};

TEST_F(SuccessTest, NobodySaidSo) {
  EXPECT_FALSE(Succeeded({}));
  EXPECT_FALSE(Succeeded({At("root", "n1", 100)}));
}

TEST_F(SuccessTest, TheJobsCompletionOvercomesWhatWasBefore) {
  EXPECT_TRUE(Succeeded({Completed(200)}));
  EXPECT_TRUE(Succeeded({At("root", "n1", 100), App("user", "n2", 150), Completed(200)}));
  EXPECT_FALSE(Succeeded({Completed(200), At("root", "n1", 300)})) << "came later";
}

TEST_F(SuccessTest, AProgramsWordHoldsForItsOwnLog) {
  EXPECT_TRUE(Succeeded({Line(App("user", "n1", 0), 10), Line(App("program-done", "n1", 0), 20)}));
  EXPECT_FALSE(Succeeded({Line(App("program-done", "n1", 0), 20), Line(App("user", "n1", 0), 30)}));
  EXPECT_TRUE(Succeeded({Line(App("program-done", "n1", 0), 20), Line(App("effect", "n1", 0), 30)}))
      << "a peer that has gone already";
  EXPECT_FALSE(Succeeded({Line(App("program-done", "n1", 0), 20), Line(App("user", "n2", 0), 10)}))
      << "another program's failure";
  EXPECT_TRUE(Succeeded({App("program-done", "n1", 200), At("root", "n1", 100)}));
  Event gave_up = App("effect", "", 201);
  gave_up.source = Source::kScheduler;
  gave_up.stream = "job";
  EXPECT_FALSE(Succeeded({App("program-done", "n1", 200), gave_up}));
}

TEST_F(SuccessTest, AControllersWordIsNotOverruled) {
  workload_.outcome = Outcome::kFailed;
  EXPECT_FALSE(Succeeded({Completed(200)}));
}

}  // namespace
}  // namespace engine

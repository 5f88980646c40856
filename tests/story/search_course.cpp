/// How a search that learns went, round after round.

#include "core/story/search_course.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace nestwright::search_course_test {

SelectedCandidate picked(PickReason reason) {
  SelectedCandidate candidate;
  candidate.selection = reason;
  return candidate;
}

ModelUpdated learned(int round, std::size_t programs, double recall) {
  ModelUpdated update;
  update.round = round;
  update.programs = programs;
  update.averageRecall = recall;
  return update;
}

PlanLog plan(double epsilon) {
  PlanLog plan;
  plan.epsilon = epsilon;
  return plan;
}

/// Round 1 is random, round 2 planned; both belong to task 5, round 3 to task 6.
std::vector<Event> told() {
  using enum PickReason;
  return {CandidatesSelected{5, 1, {picked(Random), picked(Random)}},
          learned(1, 2, 0.5),
          ConfigsPlanned{5, 2, plan(0.25)},
          CandidatesSelected{5,
                             2,
                             {picked(BestPredicted), picked(Diversity), picked(BestPredicted),
                              picked(EpsilonGreedy)}},
          learned(2, 6, 0.75),
          CandidatesSelected{6, 3, {picked(None)}},
          learned(3, 1, 0)};
}

/// As the session itself tells a round's phases.
RoundStory storyOf(int round, std::vector<SearchPhase> finished) {
  RoundStory story;
  TaskChosen chosen;
  chosen.task = 5;
  chosen.round = round;
  story.apply(chosen);
  for (const SearchPhase phase : finished)
    story.apply(PhaseFinished{5, round, phase, false, 0, "done"});
  return story;
}

class SearchCourseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void roundsAreTold();
  void orderDoesNotMatter();
  void theFutureIsNotTold();
};

void SearchCourseTest::roundsAreTold() {
  SearchCourse course;
  for (const Event& event : told())
    QVERIFY(course.apply(event));
  QVERIFY(!course.apply(NaiveMeasured{5, 1}));
  const std::vector<CourseRound>& rounds = course.rounds();
  QCOMPARE(rounds.size(), std::size_t(3));
  QCOMPARE(rounds[0].randomShare(), 1.0);
  QVERIFY(!rounds[0].plan);
  QCOMPARE(rounds[1].task, RowId(5));
  QCOMPARE(rounds[1].atRandom, 1);
  QCOMPARE(rounds[1].randomShare(), 0.25);
  QCOMPARE(rounds[1].plan->epsilon, 0.25);
  QCOMPARE(rounds[1].recall.value(), 0.75);
  QCOMPARE(rounds[1].learned, std::size_t(6));
  QVERIFY(!rounds[2].recall); // its model tells none
  QCOMPARE(course.of(5).size(), std::size_t(2));
  QCOMPARE(course.of(0).size(), std::size_t(3));
  QCOMPARE(plansOf(course, 5).size(), std::size_t(1));
  QCOMPARE(plansOf(course, 6).size(), std::size_t(0));
  QVERIFY(std::isnan(CourseRound().randomShare()));
}

/// What is read kind by kind, and what is told once more, ends in the same.
void SearchCourseTest::orderDoesNotMatter() {
  std::vector<Event> events = told();
  std::ranges::stable_partition(
      events, [](const Event& event) { return std::holds_alternative<CandidatesSelected>(event); });
  events.push_back(events.front());
  SearchCourse course;
  for (const Event& event : events)
    course.apply(event);
  QCOMPARE(course.rounds().size(), std::size_t(3));
  QCOMPARE(course.rounds()[1].randomShare(), 0.25);
  QCOMPARE(course.rounds()[1].task, RowId(5));
  QCOMPARE(course.rounds()[2].task, RowId(6));
}

void SearchCourseTest::theFutureIsNotTold() {
  using enum SearchPhase;
  SearchCourse whole;
  for (const Event& event : told())
    whole.apply(event);
  QCOMPARE(whole.until(RoundStory()).rounds().size(), std::size_t(0));
  // Round 2 has begun, then planned, then picked, then learned.
  QCOMPARE(whole.until(storyOf(2, {Sketches})).rounds().size(), std::size_t(1));
  const SearchCourse planned = whole.until(storyOf(2, {Sketches, Sampling, Evolution}));
  QCOMPARE(planned.rounds().size(), std::size_t(2));
  QVERIFY(planned.rounds()[1].plan && !planned.rounds()[1].programs);
  const SearchCourse selected = whole.until(storyOf(2, {Sketches, Sampling, Evolution, Selection}));
  QCOMPARE(selected.rounds()[1].programs.value(), 4);
  QVERIFY(!selected.rounds()[1].recall);
  const SearchCourse done =
      whole.until(storyOf(2, {Sketches, Sampling, Evolution, Selection, Measuring, Training}));
  QCOMPARE(done.rounds().size(), std::size_t(2));
  QCOMPARE(done.rounds()[1].recall.value(), 0.75);
  QCOMPARE(whole.until(storyOf(4, {})).rounds().size(), std::size_t(3));
}

NW_TEST_APPLESS(SearchCourseTest)

} // namespace nestwright::search_course_test

#include "search_course.moc"

/// Programs of sketches as lines across their decisions, the most important first.

#include "core/story/decisions/decision_lines.h"

#include "core/schedule/bounds.h"
#include "core/session/run/row_contents.h"
#include "core/space/annotation.h"
#include "core/story/decisions/knob_brush.h"
#include "core/story/tuning_history.h"
#include "core/support/random.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <set>

namespace nestwright::decision_lines_test {

/// Sampled programs of a product.
struct Programs {
  ComputeDag dag = test::matmul(64, 64, 64);
  std::vector<Steps> all;

  explicit Programs(int count) {
    const SpaceOptions options;
    const std::vector<Sketch> sketches = generateSketches(dag, options);
    Random random(3);
    while (std::ssize(all) < count)
      if (auto sample = sampleProgram(sketches, options, random); sample.state)
        all.push_back(sample.state->steps());
  }

  /// Times follow from what the decision of this name is.
  std::vector<KnobTrial> timedBy(const std::string& name) const {
    std::vector<KnobTrial> trials;
    for (std::size_t i = 0; i < all.size(); ++i) {
      KnobTrial& trial = trials.emplace_back();
      trial.record = trial.trial = static_cast<RowId>(i + 1);
      trial.task = 1;
      trial.steps = std::make_shared<const Steps>(all[i]);
      trial.seconds = 1e-3;
      for (const ProgramDecision& decision : decisionsOf(dag, all[i]))
        if (decision.name == name) trial.seconds *= static_cast<double>(2 + decision.ordered);
    }
    return trials;
  }
};

const KnobAxis* axisOf(const KnobLines& lines, const std::string& name) {
  const auto found = std::ranges::find(lines.knobs, name, &KnobAxis::knob);
  return found == lines.knobs.end() ? nullptr : &*found;
}

class DecisionLinesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void decisionsAreThoseOfTheSteps();
  void theLastOfOneNameCounts();
  void stepsThatDoNotReplayHaveNone();
  void theyAreCalledAsByAPolish();
  void readsRecordsOfSketches();
  void sharesAreExplained();
  void equalTimesExplainNothing();
  void theMostImportantDecisionComesFirst();
  void whatAPolishFoundOutCounts();
  void programsOfOtherSketchesLackDecisions();
  void whatDoesNotReplayIsCounted();
  void rangesFollowTheirAxes();
  void thousandsAreRead();
};

void DecisionLinesTest::decisionsAreThoseOfTheSteps() {
  const Steps steps{SplitStep{2, 0, 64, {4}, true},
                    SplitStep{2, 2, 64, {8, 2}, true},
                    SplitStep{2, 5, 64, {16}, true},
                    ReorderStep{2, {0, 2, 5, 6, 1, 3, 4}},
                    FuseStep{2, {0, 1}},
                    AnnotationStep{2, 0, Annotation::Parallel},
                    AnnotationStep{2, 5, Annotation::Vectorize},
                    PragmaStep{2, 0, "auto_unroll_max_step$64"}};
  std::string words;
  for (const ProgramDecision& decision : decisionsOf(test::matmul(64, 64, 64), steps))
    words += decision.name + " = " + decision.value + "\n";
  QCOMPARE(QString::fromStdString(words),
           QString("i.0 of C = 16\ni.1 of C = 4\nj.0 of C = 4\nj.1 of C = 8\nj.2 of C = 2\n"
                   "k.0 of C = 4\nk.1 of C = 16\nparallel loops of C = 2 loops\n"
                   "vector of C = 1 loop\nunroll of C = 64\n"));
}

/// A decision that is made twice is one, in its first place, as it was made last.
void DecisionLinesTest::theLastOfOneNameCounts() {
  const Steps steps{PragmaStep{2, 0, "auto_unroll_max_step$16"}, SplitStep{2, 0, 64, {4}, true},
                    PragmaStep{2, 0, "auto_unroll_max_step$64"}};
  std::string words;
  for (const ProgramDecision& decision : decisionsOf(test::matmul(64, 64, 64), steps))
    words += decision.name + " = " + decision.value + "\n";
  QCOMPARE(QString::fromStdString(words),
           QString("unroll of C = 64\ni.0 of C = 16\ni.1 of C = 4\n"));
}

/// Whatever is wrong with them, and wherever: an imported log may say anything.
void DecisionLinesTest::stepsThatDoNotReplayHaveNone() {
  const ComputeDag dag = test::matmul(64, 64, 64);
  const Step good = SplitStep{2, 0, 64, {4}, true};
  for (const Step& bad : std::vector<Step>{
           SplitStep{2, 1 << 20, 64, {4}, true}, SplitStep{1 << 20, 0, 64, {4}, true},
           ComputeAtStep{2, 1 << 20, 0}, AnnotationStep{1 << 20, 0, Annotation::Parallel},
           PragmaStep{1 << 20, 0, "auto_unroll_max_step$16"}})
    QVERIFY_THROWS_EXCEPTION(IllegalSchedule, decisionsOf(dag, {good, bad}));
}

/// Else what it found out would belong to no axis.
void DecisionLinesTest::theyAreCalledAsByAPolish() {
  const Programs programs(8);
  std::set<DecisionKind> kinds;
  for (const Steps& steps : programs.all) {
    std::set<std::string> names;
    for (const ProgramDecision& decision : decisionsOf(programs.dag, steps))
      names.insert(decision.decision);
    for (const Neighbour& neighbour :
         neighboursOf(withBounds(State::replay(programs.dag, steps)), {})) {
      if (neighbour.kind == DecisionKind::TilePair) continue; // of two decisions
      kinds.insert(neighbour.kind);
      QVERIFY2(names.contains(neighbour.decision), neighbour.decision.c_str());
    }
  }
  QVERIFY(kinds.contains(DecisionKind::TileSize) && kinds.contains(DecisionKind::Unroll) &&
          kinds.contains(DecisionKind::Parallel));
}

void DecisionLinesTest::readsRecordsOfSketches() {
  const Programs programs(1);
  Record record;
  record.id = 7, record.task = 2, record.trial = 5;
  QVERIFY(!sketchTrialOf(record)); // without steps
  record.steps = programs.all.front();
  record.result.seconds = {2e-3, 1e-3, 3e-3};
  std::optional<KnobTrial> trial = sketchTrialOf(record); // of a log, which tells no origin
  QVERIFY(trial && *trial->steps == record.steps && !trial->polished);
  QCOMPARE(trial->seconds, 2e-3);
  Trace trace;
  trace.round = 3;
  trace.origin = Origin::Polish;
  record.trace = toJson(trace).dump();
  trial = sketchTrialOf(record);
  QVERIFY(trial && trial->polished);
  QCOMPARE(trial->round, 3);
  record.result.verdict = Verdict::RunTimeout;
  QCOMPARE(sketchTrialOf(record)->seconds, kUnknown);
  record.original = 3; // measured once more
  QVERIFY(!sketchTrialOf(record));
}

void DecisionLinesTest::sharesAreExplained() {
  Random random(1);
  std::vector<std::size_t> groups;
  std::vector<double> follows, chance;
  for (std::size_t i = 0; i < 400; ++i) {
    groups.push_back(i % 8);
    follows.push_back(1e-3 * static_cast<double>(1 + groups.back()));
    chance.push_back(1e-3 * (1 + random.unit()));
  }
  QVERIFY(explainedShare(groups, follows) > 0.999);
  QVERIFY2(explainedShare(groups, chance) < 0.05,
           qPrintable(QString::number(explainedShare(groups, chance))));
  // Many small groups explain a quarter of it by chance alone.
  std::vector<std::size_t> many;
  for (std::size_t i = 0; i < 400; ++i)
    many.push_back(i % 100);
  QVERIFY2(explainedShare(many, chance) < 0.1,
           qPrintable(QString::number(explainedShare(many, chance))));
  // A group a program explains everything, and says nothing.
  std::vector<std::size_t> each(400);
  std::iota(each.begin(), each.end(), std::size_t(0));
  QCOMPARE(explainedShare(each, chance), 0.0);
  // Programs that failed do not count.
  for (std::size_t i = 0; i < 400; i += 3)
    follows[i] = kUnknown;
  QVERIFY(explainedShare(groups, follows) > 0.999);
  QCOMPARE(explainedShare({}, {}), 0.0);
}

/// Rounding is no variation, and what little there is beside it is found.
void DecisionLinesTest::equalTimesExplainNothing() {
  std::vector<std::size_t> groups;
  std::vector<double> equal, nearly;
  for (std::size_t i = 0; i < 1000; ++i) {
    groups.push_back(i < 300 ? 0 : 1);
    equal.push_back(1.1e-4);
    nearly.push_back(1.1e-4 * (1 + 1e-9 * static_cast<double>(groups.back())));
  }
  QCOMPARE(explainedShare(groups, equal), 0.0);
  QVERIFY(explainedShare(groups, nearly) > 0.999);
}

void DecisionLinesTest::theMostImportantDecisionComesFirst() {
  const Programs programs(150);
  const std::vector<KnobTrial> trials = programs.timedBy("j.3 of C");
  KnownDecisions known;
  const DecisionLines all = decisionLines(programs.dag, trials, {}, 0, known);
  QCOMPARE(all.by, ImportanceBy::Variation);
  QCOMPARE(all.lines.lines.size(), std::size_t(150));
  QCOMPARE(known.size(), std::size_t(150));
  QCOMPARE(all.lines.knobs.size(), all.decisions);
  QCOMPARE(all.lines.knobs.front().knob, std::string("j.3 of C"));
  QVERIFY(*all.lines.knobs.front().importance > 0.9);
  for (std::size_t i = 1; i < all.lines.knobs.size(); ++i) {
    QVERIFY(*all.lines.knobs[i].importance <= *all.lines.knobs[i - 1].importance);
    QVERIFY(all.lines.knobs[i].values.size() > 1); // or it would be no decision
  }
  // Sizes are in their order, not in that of their digits.
  std::vector<int> sizes;
  for (const std::string& value : axisOf(all.lines, "j.3 of C")->values)
    if (value != "–") sizes.push_back(std::stoi(value));
  QVERIFY(sizes.size() > 3 && std::ranges::is_sorted(sizes));
  for (const KnobLine& line : all.lines.lines) {
    QCOMPARE(line.places.size(), all.lines.axes());
    const KnobAxis& axis = all.lines.knobs.front();
    std::string wanted = "–";
    for (const ProgramDecision& decision : *known.at(line.trial.record))
      if (decision.name == axis.knob) wanted = decision.value;
    QCOMPARE(axis.values[axis.valueAt(line.places.front())], wanted);
  }
  QCOMPARE(all.lines.fastest()->share(), 1.0);
  // Those that are shown are the most important.
  const DecisionLines few = decisionLines(programs.dag, trials, {}, 3, known);
  QCOMPARE(few.lines.knobs.size(), std::size_t(3));
  QCOMPARE(few.decisions, all.decisions);
  QCOMPARE(few.lines.knobs.front().knob, std::string("j.3 of C"));
  QCOMPARE(few.lines.axes(), std::size_t(4));
}

void DecisionLinesTest::whatAPolishFoundOutCounts() {
  const Programs programs(100);
  const std::vector<KnobTrial> trials = programs.timedBy("j.3 of C");
  KnownDecisions known;
  const std::vector<DecisionImportance> polished{{"unroll of C", {}, 1.5, 0.1},
                                                 {"tiles of i of C", {}, 1.1, 0}};
  const DecisionLines lines = decisionLines(programs.dag, trials, polished, 0, known);
  QCOMPARE(lines.by, ImportanceBy::Polish);
  QCOMPARE(lines.lines.knobs.front().knob, std::string("unroll of C"));
  QCOMPARE(*lines.lines.knobs.front().importance, 1.0);
  // All loops of one split have what was found of it.
  const KnobAxis* tiles = axisOf(lines.lines, "i.3 of C");
  QVERIFY(tiles);
  QVERIFY(std::abs(*tiles->importance - std::log(1.1) / std::log(1.5)) < 1e-9);
  QCOMPARE(axisOf(lines.lines, "j.3 of C")->importance, std::optional(0.0));
}

void DecisionLinesTest::programsOfOtherSketchesLackDecisions() {
  const Programs programs(20);
  std::vector<KnobTrial> trials = programs.timedBy("j.3 of C");
  trials.push_back(trials.front());
  trials.back().record = 99;
  trials.back().steps =
      std::make_shared<const Steps>(Steps{AnnotationStep{2, 0, Annotation::Parallel}});
  KnownDecisions known;
  const DecisionLines lines = decisionLines(programs.dag, trials, {}, 0, known);
  const KnobAxis* axis = axisOf(lines.lines, "j.3 of C");
  QVERIFY(axis);
  QCOMPARE(axis->values.front(), std::string("–"));
  const KnobLine* other = lines.lines.find(99);
  QVERIFY(other);
  QCOMPARE(other->places[static_cast<std::size_t>(axis - lines.lines.knobs.data())], 0.0);
  // Programs that do not differ at all are no picture.
  const std::vector<KnobTrial> same(3, trials.back());
  QVERIFY(decisionLines(programs.dag, same, {}, 0, known).lines.lines.empty());
}

void DecisionLinesTest::whatDoesNotReplayIsCounted() {
  const Programs programs(10);
  std::vector<KnobTrial> trials = programs.timedBy("j.3 of C");
  trials.push_back(trials.front());
  trials.back().record = 99;
  trials.back().steps = std::make_shared<const Steps>(Steps{SplitStep{7, 0, 64, {4}, true}});
  KnownDecisions known;
  for (int again = 0; again < 2; ++again) { // read anew and as known
    const DecisionLines lines = decisionLines(programs.dag, trials, {}, 0, known);
    QCOMPARE(lines.unreadable, std::size_t(1));
    QCOMPARE(lines.lines.lines.size(), std::size_t(10));
  }
}

/// More programs bring another order of the axes, and more values to some.
void DecisionLinesTest::rangesFollowTheirAxes() {
  const auto lines = [](std::vector<KnobAxis> axes) {
    KnobLines lines;
    lines.knobs = std::move(axes);
    return lines;
  };
  const KnobLines before = lines({{"a", {"1", "2", "4"}}, {"b", {"1", "8"}}, {"c", {"1", "2"}}});
  const KnobLines now = lines({{"c", {"1", "2"}}, {"a", {"1", "2", "3", "4", "5"}}});
  const std::vector<KnobBrush> brushes{
      snapped(before, {0, 0.5, 1}), snapped(before, {1, 0, 0.2}), {3, 0.5, 0.9}};
  const std::vector<KnobBrush> carried = carriedOver(brushes, before, now);
  QCOMPARE(carried.size(), std::size_t(2)); // "b" is no axis any more
  QCOMPARE(carried[0].axis, std::size_t(1));
  QCOMPARE(valuesWithin(now, carried[0]), (std::pair<std::size_t, std::size_t>(1, 3)));
  QCOMPARE(carried[1], (KnobBrush{2, 0.5, 0.9})); // of the throughput
  QCOMPARE(carriedAxis(2, before, now), std::optional<std::size_t>(0));
  QCOMPARE(carriedAxis(3, before, now), std::optional<std::size_t>(2));
  QCOMPARE(carriedAxis(1, before, now), std::nullopt);
}

/// How long that takes is only told: no time decides a test.
void DecisionLinesTest::thousandsAreRead() {
  const Programs programs(2000);
  const std::vector<KnobTrial> trials = programs.timedBy("j.3 of C");
  KnownDecisions known;
  for (const char* how : {"read", "known"}) {
    QElapsedTimer timer;
    timer.start();
    const DecisionLines lines = decisionLines(programs.dag, trials, {}, 12, known);
    qInfo("2000 programs %s: %.1f ms, %d decisions, %d ways", how,
          static_cast<double>(timer.nsecsElapsed()) * 1e-6, int(lines.decisions),
          int(lines.lines.ways.size()));
    QCOMPARE(lines.lines.lines.size(), std::size_t(2000));
    // However many programs there are, few ways are drawn.
    QVERIFY(lines.lines.ways.size() < 6000);
  }
}

NW_TEST_APPLESS(DecisionLinesTest)

} // namespace nestwright::decision_lines_test

#include "decision_lines.moc"

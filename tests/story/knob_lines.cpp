/// Configurations of a template as lines across its knobs, and plans of them.

#include "core/story/decisions/knob_brush.h"

#include "core/session/run/row_contents.h"
#include "core/story/plan_story.h"
#include "core/story/tuning_history.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <set>

namespace nestwright::knob_lines_test {

TaskTemplate productTemplate() {
  TaskTemplates found = templatesFor(test::matmul(16, 64, 64));
  if (found.fitting.empty()) qFatal("%s", found.whyNone.c_str());
  return std::move(found.fitting.front());
}

KnobTrial trialOf(const TaskTemplate& of, RowId record, std::int64_t config, double seconds) {
  KnobTrial trial;
  trial.record = trial.trial = record;
  trial.task = 1;
  trial.seconds = seconds;
  trial.config = std::make_shared<const TemplateConfig>(
      TemplateConfig{of.kind->name, of.version, of.space.at(config)});
  return trial;
}

/// Configurations 0, 7, 14, ... of which every fifth failed; the first is the fastest.
std::vector<KnobTrial> trialsOf(const TaskTemplate& of, int count) {
  std::vector<KnobTrial> trials;
  for (int i = 0; i < count; ++i)
    trials.push_back(
        trialOf(of, 10 + i, (7 * i) % of.space.size(), i % 5 == 4 ? kUnknown : 1e-3 * (1 + i)));
  return trials;
}

bool isNeverFaint(const KnobLine&) {
  return false;
}

class KnobLinesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readsRecordsOfTemplatesAlone();
  void placesAreThoseOfTheValues();
  void linesComeByThroughput();
  void foreignConfigurationsAreCounted();
  void aConfigurationsFastestLineCounts();
  void labelsAreSpread();
  void brushesSelectValues();
  void rangesHaveNoGaps();
  void segmentsAreDrawnOnce();
  void theNearestLineIsFound();
  void plansTellWhatBecameOfThem();
  void annealingsBecomeCurves();
};

void KnobLinesTest::readsRecordsOfTemplatesAlone() {
  const TaskTemplate of = productTemplate();
  Record record;
  record.id = 7, record.task = 2, record.trial = 5;
  record.result.verdict = Verdict::Ok;
  record.result.seconds = {2e-3, 1e-3, 3e-3};
  Trace trace;
  trace.round = 3;
  trace.selection = PickReason::Diversity;
  trace.predictedScore = 0.5;
  trace.predictedDeviation = 0.25;
  record.trace = toJson(trace).dump();
  QVERIFY(!knobTrialOf(record)); // a sketch's program
  trace.config = TemplateConfig{of.kind->name, of.version, of.space.at(11)};
  record.trace = toJson(trace).dump();
  const std::optional<KnobTrial> trial = knobTrialOf(record);
  QVERIFY(trial);
  QCOMPARE(trial->round, 3);
  QCOMPARE(trial->seconds, 2e-3);
  QCOMPARE(trial->reason, PickReason::Diversity);
  QCOMPARE(trial->deviation.value(), 0.25);
  QVERIFY(*trial->config == *trace.config);
  record.result.verdict = Verdict::RunTimeout;
  QCOMPARE(knobTrialOf(record)->seconds, kUnknown);
  record.original = 3; // measured once more
  QVERIFY(!knobTrialOf(record));
}

void KnobLinesTest::placesAreThoseOfTheValues() {
  const TaskTemplate of = productTemplate();
  const KnobLines lines = knobLines(of, trialsOf(of, 20));
  QCOMPARE(lines.knobs.size(), of.space.knobs().size());
  QCOMPARE(lines.axes(), of.space.knobs().size() + 1);
  for (const KnobLine& line : lines.lines) {
    const std::vector<std::size_t> digits = of.space.digits(line.config);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      QCOMPARE(lines.knobs[i].valueAt(line.places[i]), digits[i]);
      QVERIFY(line.places[i] >= 0 && line.places[i] <= 1);
    }
    QCOMPARE(of.space.indexOf(line.trial.config->entities), line.config);
  }
  KnobAxis axis{"one", {"a"}};
  QCOMPARE(axis.place(0), 0.5);
  axis.values = {"a", "b", "c"};
  QCOMPARE(axis.place(0), 0.0);
  QCOMPARE(axis.place(1), 0.5);
  QCOMPARE(axis.place(2), 1.0);
  QCOMPARE(axis.valueAt(0.7), std::size_t(1));
  QCOMPARE(axis.valueAt(9), std::size_t(2));
}

void KnobLinesTest::linesComeByThroughput() {
  const TaskTemplate of = productTemplate();
  const KnobLines lines = knobLines(of, trialsOf(of, 20));
  QCOMPARE(lines.lines.size(), std::size_t(20));
  for (std::size_t i = 1; i < lines.lines.size(); ++i)
    QVERIFY(lines.lines[i - 1].share() <= lines.lines[i].share());
  QVERIFY(lines.lines.front().failed());
  QCOMPARE(lines.fastest()->trial.record, RowId(10));
  QCOMPARE(lines.fastest()->share(), 1.0);
  QCOMPARE(lines.find(11)->share(), 0.5);
  QVERIFY(!lines.find(99));
  QCOMPARE(lines.ofConfig(14)->trial.record, RowId(12));
  const std::vector<KnobTrial> failed{trialOf(of, 1, 0, kUnknown)};
  QVERIFY(!knobLines(of, failed).fastest());
}

void KnobLinesTest::foreignConfigurationsAreCounted() {
  const TaskTemplate of = productTemplate();
  std::vector<KnobTrial> trials = trialsOf(of, 4);
  TemplateConfig other = *trials[1].config;
  other.kind = "another.x86";
  trials[1].config = std::make_shared<const TemplateConfig>(other);
  TemplateConfig none = *trials[2].config;
  none.entities.front().entity = SplitEntity{{-1, 12345}};
  trials[2].config = std::make_shared<const TemplateConfig>(none);
  const KnobLines lines = knobLines(of, trials);
  QCOMPARE(lines.foreign, std::size_t(2));
  QCOMPARE(lines.lines.size(), std::size_t(2));
  // The fastest of all is foreign: the share is of those that are there.
  trials[0].config = std::make_shared<const TemplateConfig>(other);
  const KnobLines rest = knobLines(of, trials);
  QCOMPARE(rest.lines.size(), std::size_t(1));
  QCOMPARE(rest.fastest()->trial.record, trials[3].record);
  QCOMPARE(rest.fastest()->share(), 1.0);
}

void KnobLinesTest::aConfigurationsFastestLineCounts() {
  const TaskTemplate of = productTemplate();
  const std::vector<KnobTrial> trials{trialOf(of, 1, 5, 3e-3), trialOf(of, 2, 5, 1e-3),
                                      trialOf(of, 3, 5, kUnknown), trialOf(of, 4, 6, 2e-3)};
  const KnobLines lines = knobLines(of, trials);
  QCOMPARE(lines.ofConfig(5)->trial.record, RowId(2));
  QCOMPARE(lines.ofConfig(6)->trial.record, RowId(4));
  QVERIFY(!lines.ofConfig(7));
  PlanLog plan;
  plan.picks = {{5, PickReason::BestPredicted, 0.75}};
  QCOMPARE(planned(plan, of, lines)[0].trial.value().record, RowId(2));
}

void KnobLinesTest::labelsAreSpread() {
  KnobAxis axis{"many", {}};
  for (int i = 0; i < 21; ++i)
    axis.values.push_back(std::to_string(i));
  QCOMPARE(axis.labelled(5), (std::vector<std::size_t>{0, 5, 10, 15, 20}));
  QCOMPARE(axis.labelled(0), (std::vector<std::size_t>{0, 20}));
  axis.values.resize(2);
  QCOMPARE(axis.labelled(5), (std::vector<std::size_t>{0, 1}));
  axis.values.resize(1);
  QCOMPARE(axis.labelled(5), (std::vector<std::size_t>{0}));
}

/// Whatever is selected, it is exactly the lines with these values.
void KnobLinesTest::brushesSelectValues() {
  const TaskTemplate of = productTemplate();
  const KnobLines lines = knobLines(of, trialsOf(of, 60));
  const KnobAxis& axis = lines.knobs[1];
  QVERIFY(axis.values.size() > 3);
  const KnobBrush brush = snapped(lines, {1, axis.place(2) - 1e-3, axis.place(1) + 1e-3});
  std::set<RowId> wanted, all;
  for (const KnobLine& line : lines.lines) {
    const std::size_t value = of.space.digits(line.config)[1];
    if (value == 1 || value == 2) wanted.insert(line.trial.record);
    all.insert(line.trial.record);
  }
  QVERIFY(!wanted.empty() && wanted != all);
  const std::vector<KnobBrush> one{brush};
  const std::vector<RowId> records = recordsWithin(lines, one);
  QVERIFY(std::ranges::is_sorted(records));
  QCOMPARE(std::set<RowId>(records.begin(), records.end()), wanted);
  QCOMPARE(valuesWithin(lines, brush), (std::pair<std::size_t, std::size_t>{1, 2}));
  // And the fast half of them.
  const std::vector<KnobBrush> both{brush, {lines.knobs.size(), 0.05, 1}};
  for (const RowId record : recordsWithin(lines, both))
    QVERIFY(wanted.contains(record) && lines.find(record)->share() >= 0.05);
  QVERIFY(recordsWithin(lines, both).size() < records.size());
  QCOMPARE(recordsWithin(lines, {}).size(), all.size());
}

void KnobLinesTest::rangesHaveNoGaps() {
  using Ranges = std::vector<std::pair<RowId, RowId>>;
  QCOMPARE(rangesOf({}), Ranges());
  QCOMPARE(rangesOf({3, 4, 5, 9, 11, 12}), (Ranges{{3, 5}, {9, 9}, {11, 12}}));
}

void KnobLinesTest::segmentsAreDrawnOnce() {
  const TaskTemplate of = productTemplate();
  // The same configuration three times, and one that differs in the first knob alone.
  const std::vector<KnobTrial> trials{trialOf(of, 1, 0, 4e-3), trialOf(of, 2, 0, 2e-3),
                                      trialOf(of, 3, 0, 4e-3), trialOf(of, 4, 1, 1e-3)};
  const KnobLines lines = knobLines(of, trials);
  const std::vector<KnobSegment> segments = segmentsOf(lines, isNeverFaint);
  const std::size_t knobs = lines.knobs.size();
  // Between two knobs: one way from the first to the second for each of the configurations, one
  // way further on; to the throughput one for each that there is.
  QCOMPARE(segments.size(), 2 + (knobs - 2) + 3);
  for (std::size_t i = 1; i < segments.size(); ++i)
    QVERIFY(segments[i - 1].share <= segments[i].share);
  for (const KnobSegment& segment : segments)
    if (segment.axis > 0 && segment.axis + 1 < knobs) QCOMPARE(segment.share, 1.0);
  // Faint ones are on their own, and below.
  const std::vector<KnobSegment> parted =
      segmentsOf(lines, [](const KnobLine& line) { return line.trial.record == 4; });
  QVERIFY(parted.front().faint && !parted.back().faint);
  QCOMPARE(std::ranges::count_if(parted, &KnobSegment::faint), std::ptrdiff_t(knobs));
}

void KnobLinesTest::theNearestLineIsFound() {
  const TaskTemplate of = productTemplate();
  const KnobLines lines = knobLines(of, trialsOf(of, 30));
  const auto knobs = static_cast<double>(lines.knobs.size());
  for (const KnobLine& line : lines.lines) {
    if (line.failed()) continue;
    // On the axis of the throughput all of these are apart.
    const KnobLine* found = lineAt(lines, isNeverFaint, knobs, line.share(), 0.05);
    QVERIFY(found);
    QCOMPARE(found->share(), line.share());
  }
  const KnobLine* middle =
      lineAt(lines, isNeverFaint, 0.5,
             (lines.fastest()->places[0] + lines.fastest()->places[1]) / 2, 1e-6);
  QCOMPARE(middle, lines.fastest());
  QVERIFY(!lineAt(lines, isNeverFaint, -0.5, 0.5, 1));
  QVERIFY(!lineAt(lines, isNeverFaint, knobs + 0.5, 0.5, 1));
  QVERIFY(!lineAt(
      lines, [](const KnobLine&) { return true; }, 0.5, 0.5, 1));
  QVERIFY(!lineAt(KnobLines(), isNeverFaint, 0, 0.5, 1));
}

void KnobLinesTest::plansTellWhatBecameOfThem() {
  const TaskTemplate of = productTemplate();
  const std::vector<KnobTrial> trials{trialOf(of, 9, 5, 1e-3)};
  const KnobLines lines = knobLines(of, trials);
  PlanLog plan;
  plan.picks = {{5, PickReason::BestPredicted, 0.75},
                {6, PickReason::EpsilonGreedy, {}},
                {of.space.size(), PickReason::Diversity, 0.5}};
  const std::vector<PlannedLine> planned = nestwright::planned(plan, of, lines);
  QCOMPARE(planned.size(), std::size_t(3));
  QCOMPARE(planned[0].trial.value().record, RowId(9));
  QVERIFY(planned[0].words.find(of.space.knobs()[0].name + " = ") != std::string::npos);
  QCOMPARE(planned[0].pick.energy.value(), 0.75);
  QVERIFY(!planned[1].trial && !planned[1].pick.energy);
  QVERIFY(!planned[2].trial); // none of this space, and told by its number
  QVERIFY(planned[2].words.find(std::to_string(of.space.size())) != std::string::npos);
}

void KnobLinesTest::annealingsBecomeCurves() {
  PlanLog plan;
  plan.byScore = 2;
  plan.leastEnergy = 0.25;
  plan.moments = {{0, 1, 0.75, -kUnknown, -kUnknown, 0.1, 0.5}, {40, 0.5, 0.25, 0.3, 0.2, 0.4, 1}};
  const AnnealingCurves curves = annealingCurves(plan);
  QCOMPARE(curves.steps, (std::vector<double>{0, 40}));
  QCOMPARE(curves.accepted, (std::vector<double>{0.75, 0.25}));
  QVERIFY(std::isnan(curves.threshold[0]) && std::isnan(curves.low[0]));
  QCOMPARE(curves.threshold[1], 0.3);
  QCOMPARE(thresholdOf(plan).value(), 0.25);
  plan.byScore = 0; // all at random
  QVERIFY(!thresholdOf(plan));
}

NW_TEST_APPLESS(KnobLinesTest)

} // namespace nestwright::knob_lines_test

#include "knob_lines.moc"

/// Evaluators: when they stop and what time comes of it is what the public code and the paper give
/// (tests/data/search-oracle.json); workers obey, and what they stored can be computed again.

#include "core/measure/micro_batches.h"
#include "core/measure/protocol.h"
#include "core/support/error.h"
#include "tests/measure/faulty_workers.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <nlohmann/json.hpp>

#include <deque>

namespace nestwright::evaluators_test {

using namespace nestwright::test;
using nlohmann::json;

const json& traces() {
  static const json read = [] {
    std::ifstream file(NESTWRIGHT_TEST_DATA "/search-oracle.json");
    return json::parse(file).at("adaptive_evaluator");
  }();
  return read;
}

/// A clock that is made up: runs take what the script says for one of them, in its order.
struct ScriptedRuns {
  std::deque<double> script;
  std::vector<int> asked = {};

  double operator()(int runs) {
    asked.push_back(runs);
    const double seconds = script.front();
    if (script.size() > 1) script.pop_front();
    return runs * seconds;
  }
};

Timing timed(const std::string& evaluator, ScriptedRuns& runs, double best = 0) {
  TimingOptions options;
  options.evaluator = evaluatorFromText(evaluator);
  options.bestSeconds = best;
  Timing timing;
  timeBatches(options, std::ref(runs), timing);
  return timing;
}

MeasureOptions evaluatedBy(const std::string& text) {
  MeasureOptions options = quickOptions();
  options.evaluator = evaluatorFromText(text);
  return options;
}

class Evaluators : public FaultyWorkers {
  Q_OBJECT

 private Q_SLOTS:
  void tracesAreThoseOfThePublicCodeAndThePaper_data() {
    QTest::addColumn<QString>("evaluator");
    QTest::addColumn<QString>("oracle");
    QTest::newRow("published code") << "adaptive"
                                    << "published_code";
    QTest::newRow("paper, at least 2") << "adaptive:least=2,speed=cumulative"
                                       << "paper_cumulative_at_least_2";
    QTest::newRow("paper, at least 3") << "adaptive:speed=cumulative"
                                       << "paper_cumulative_at_least_3";
  }
  void tracesAreThoseOfThePublicCodeAndThePaper() {
    QFETCH(QString, evaluator);
    QFETCH(QString, oracle);
    const Evaluator rule = evaluatorFromText(evaluator.toStdString());
    QCOMPARE(traces().size(), std::size_t(5));
    for (const json& trace : traces()) {
      const auto times = trace.at("micro_batch_means").get<std::vector<double>>();
      const json& wanted = trace.at(oracle.toStdString());
      const ReplayedBatches made = replayBatches(rule, times, rule.batch);
      const std::string name = trace.at("name");
      QVERIFY2(made.batches == wanted.at("batches").get<std::size_t>(), name.c_str());
      QCOMPARE(made.stopped,
               made.batches == times.size() ? StopReason::AllRuns : StopReason::Steady);
      const double seconds = evaluatedSeconds(rule.speed, std::span(times).first(made.batches));
      QVERIFY2(std::abs(seconds / wanted.at("seconds").get<double>() - 1) < 1e-6, name.c_str());
    }
  }

  void textsComeBack_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("whole");
    const auto row = [](const char* given, const char* whole) {
      QTest::newRow(given) << given << (*whole ? whole : given);
    };
    row("fixed", "");
    row("fixed:runs=500", "fixed:runs=500,batch=50");
    row("fixed:runs=500,batch=50,seconds=2", "");
    row("fixed:hopeless=1.5", "fixed:runs=500,batch=50,hopeless=1.5");
    row("adaptive", "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch");
    row("adaptive:runs=100,batch=10,cv=0.05,least=2,speed=cumulative,seconds=0.3,hopeless=2", "");
  }
  void textsComeBack() {
    QFETCH(QString, given);
    QFETCH(QString, whole);
    const Evaluator evaluator = evaluatorFromText(given.toStdString());
    QCOMPARE(QString::fromStdString(toText(evaluator)), whole);
    QVERIFY(evaluatorFromText(whole.toStdString()) == evaluator);
    MeasureOptions options;
    options.evaluator = evaluator;
    QVERIFY(measureOptionsFromJson(toJson(options)).evaluator == evaluator);
    RunWork work;
    work.timing.evaluator = evaluator;
    work.timing.bestSeconds = 0.1;
    const RunWork arrived = runWork(toFrame(work));
    QVERIFY(arrived.timing.evaluator == evaluator);
    QCOMPARE(arrived.timing.bestSeconds, 0.1);
  }
  /// Sessions of before have repeats.
  void withoutAnEvaluatorThereAreRepeats() {
    json old = toJson(MeasureOptions());
    QCOMPARE(old.at("evaluator"), json("fixed"));
    old.erase("evaluator");
    QVERIFY(!measureOptionsFromJson(old).evaluator.hasBatches());
    QVERIFY_EXCEPTION_THROWN(measureOptionsFromJson({{"evaluator", 3}}), InputError);
  }

  void whatIsWrongIsSaid_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* text, const char* why) { QTest::newRow(text) << text << why; };
    row("", "there is no evaluator \"\"; known are: fixed, adaptive");
    row("quick:runs=3", "there is no evaluator \"quick\"; known are: fixed, adaptive");
    row("fixed:cv=0.1", "the evaluator fixed has no option \"cv\"; its options are runs, batch, "
                        "seconds and hopeless");
    row("adaptive:patience=2", "the evaluator adaptive has no option \"patience\"; its options are "
                               "runs, batch, cv, least, speed, seconds and hopeless");
    row("adaptive:runs", "\"runs\" is no option of an evaluator; write for example "
                         "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch");
    row("adaptive:", "\"\" is no option of an evaluator; write for example "
                     "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch");
    row("fixed:runs=0", "runs of an evaluator is a whole number from 1 to 1000000, not \"0\"");
    row("fixed:runs=1.5", "runs of an evaluator is a whole number from 1 to 1000000, not \"1.5\"");
    row("fixed:runs=20,batch=50",
        "a micro-batch of 50 runs is more than the 20 runs of the whole evaluator");
    row("adaptive:cv=0", "cv of an evaluator is a number above 0, not \"0\"");
    row("adaptive:cv=nan", "cv of an evaluator is a number above 0, not \"nan\"");
    row("adaptive:least=0", "least of an evaluator is a whole number from 1 to 1000000, not \"0\"");
    row("adaptive:least=11", "least=11: all runs make only 10 micro-batches of 50");
    row("adaptive:speed=mean", "speed of an evaluator is batch or cumulative, not \"mean\"");
    row("adaptive:hopeless=1", "hopeless of an evaluator is a number above 1, not \"1\"");
    row("fixed:seconds=-2", "seconds of an evaluator is a number above 0, not \"-2\"");
  }
  void whatIsWrongIsSaid() {
    QFETCH(QString, text);
    QFETCH(QString, why);
    QVERIFY_EXCEPTION_THROWN(evaluatorFromText(text.toStdString()), UsageError);
    QCOMPARE(QString::fromStdString(messageOf([&] { evaluatorFromText(text.toStdString()); })),
             why);
  }

  /// A run first, and then micro-batches as one interval each.
  void microBatchesAreTimedTogether() {
    ScriptedRuns runs{{0.5, 1e-3, 2e-3, 1e-3, 1.2e-3, 1e-3, 1e-3}};
    const Timing timing = timed("adaptive:runs=80,batch=10", runs);
    QCOMPARE(runs.asked, (std::vector<int>{1, 10, 10, 10, 10, 10}));
    QCOMPARE(timing.warmups, 1);
    QCOMPARE(timing.runsPerRepeat, 10);
    QVERIFY(timing.stopped == StopReason::Steady);
    QCOMPARE(timing.seconds.size(), std::size_t(5)); // of five speeds the slow one does not count
  }
  void aProgramThatIsFarSlowerEndsAtOnce() {
    ScriptedRuns slow{{1e-3}}, fast{{1e-3}}, first{{1e-3}};
    QVERIFY(timed("adaptive:hopeless=1.5", slow, 0.6e-3).stopped == StopReason::Hopeless);
    QCOMPARE(slow.asked, (std::vector<int>{1, 50}));
    QVERIFY(timed("adaptive:hopeless=1.5", fast, 0.7e-3).stopped == StopReason::Steady);
    QVERIFY(timed("adaptive:hopeless=1.5", first).stopped == StopReason::Steady); // no best yet
  }
  void theSecondsAreKept() {
    // 50 runs of 10 ms take half a second: four of ten micro-batches fit.
    ScriptedRuns several{{0.01}};
    const Timing cut = timed("fixed:seconds=2.1", several);
    QVERIFY(cut.stopped == StopReason::SecondsSpent);
    QCOMPARE(several.asked, (std::vector<int>{1, 50, 50, 50, 50}));
    // Of a slower one they are shorter, so that a few fit.
    ScriptedRuns slow{{0.1}};
    QVERIFY(timed("fixed:seconds=2", slow).stopped == StopReason::SecondsSpent);
    QCOMPARE(slow.asked, (std::vector<int>{1, 6, 6, 6}));
    // As many of those as there were to be are fewer runs.
    ScriptedRuns shorter{{0.01}};
    QVERIFY(timed("fixed:runs=200,batch=100,seconds=2", shorter).stopped ==
            StopReason::SecondsSpent);
    QCOMPARE(shorter.asked, (std::vector<int>{1, 66, 66}));
    // And one that takes all the seconds has run once.
    ScriptedRuns single{{3}};
    const Timing once = timed("fixed:seconds=2", single);
    QCOMPARE(single.asked, std::vector<int>{1});
    QCOMPARE(once.seconds, std::vector<double>{3});
    QCOMPARE(once.runsPerRepeat, 1);
    QCOMPARE(once.warmups, 0);
    QVERIFY(once.stopped == StopReason::SecondsSpent);
  }

  /// What was recorded serves other evaluators, as far as it goes.
  void recordedMicroBatchesServeOtherEvaluators() {
    const std::vector<double> times{1e-3, 1.01e-3, 0.99e-3, 1e-3};
    const auto replayed = [&](const char* text, int runs, double best = 0) {
      const ReplayedBatches made = replayBatches(evaluatorFromText(text), times, runs, best);
      return fmt::format("{} {}", made.batches, name(made.stopped));
    };
    QCOMPARE(replayed("adaptive", 50), std::string("3 steady"));
    QCOMPARE(replayed("adaptive:cv=0.0001", 50), std::string("4 recording ended"));
    QCOMPARE(replayed("fixed:runs=100", 50), std::string("2 all runs made"));
    QCOMPARE(replayed("fixed:runs=500", 50), std::string("4 recording ended"));
    QCOMPARE(replayed("fixed:runs=500,seconds=0.11", 50), std::string("2 seconds spent"));
    QCOMPARE(replayed("fixed:runs=500,hopeless=1.5", 50, 0.5e-3), std::string("1 hopeless"));
    QCOMPARE(replayed("fixed:runs=100,batch=10", 50), std::string("2 all runs made"));
  }

  /// The rule makes of the stored times what the worker made of them while it timed.
  void workersObeyTheRule_data() {
    QTest::addColumn<QString>("evaluator");
    QTest::newRow("all runs") << "fixed:runs=120,batch=20";
    QTest::newRow("adaptive") << "adaptive:runs=120,batch=20";
    QTest::newRow("cumulative") << "adaptive:runs=120,batch=20,least=1,speed=cumulative";
  }
  void workersObeyTheRule() {
    QFETCH(QString, evaluator);
    const MeasureOptions options = evaluatedBy(evaluator.toStdString());
    Measurer measurer(options, faultyWorker());
    const MeasureResult result = measureOne(measurer, request("fine"));
    QVERIFY2(result.verdict == Verdict::Ok && result.checked, result.error.c_str());
    QVERIFY(result.evaluation.has_value());
    QCOMPARE(result.runsPerRepeat, 20);
    QVERIFY(result.warmups >= 1);
    QCOMPARE(result.evaluation->batches, int(result.seconds.size()));
    const ReplayedBatches made =
        replayBatches(options.evaluator, result.seconds, result.runsPerRepeat);
    QCOMPARE(made.batches, result.seconds.size());
    QCOMPARE(result.evaluation->stopped, made.stopped);
    QCOMPARE(result.latency(), evaluatedSeconds(options.evaluator.speed, result.seconds));
    if (options.evaluator.kind == EvaluatorKind::Fixed) QCOMPARE(made.batches, std::size_t(6));
    if (options.evaluator.least == 1) QCOMPARE(made.batches, std::size_t(1));
  }

  /// A time that settled a claim is of repeats alone, whatever the evaluator made of it before.
  void repeatsBehindMicroBatchesCountAlone() {
    MeasureResult result;
    result.seconds = {1e-3, 1e-3, 7e-3, 1e-3};
    result.evaluation = Evaluation{.batches = 4};
    QCOMPARE(result.latency(), 1e-3);
    for (const double repeat : {2e-3, 3e-3, 8e-3})
      result.seconds.push_back(repeat);
    QCOMPARE(result.latency(), 3e-3);
  }

  /// The naive program, a claim that is settled and a mere check have repeats as ever.
  void yardsticksHaveRepeats() {
    Measurer measurer(evaluatedBy("adaptive:runs=40,batch=10"), faultyWorker());
    MeasureRequest naive = request("fine", 0), claim = request("fine", 1),
                   check = request("fine", 2);
    naive.naive = check.onlyCheck = true;
    claim.repeats = 3;
    const std::vector<MeasureResult> results = measureAll(measurer, {naive, claim, check});
    for (const MeasureResult& result : results) {
      QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
      QVERIFY(!result.evaluation);
    }
    QCOMPARE(results[1].seconds.size(), std::size_t(3));
    QCOMPARE(results[2].seconds.size(), std::size_t(1));
  }

  /// 2,000 runs of 30 ms would take a minute: the worker ends in time, and has a time.
  void slowKernelsEndBeforeTheirTimeOut() {
    MeasureOptions options = evaluatedBy("fixed:runs=2000,batch=1000");
    options.runTimeoutSeconds = kShort;
    Measurer measurer(options, faultyWorker());
    const MeasureResult result = measureOne(measurer, request("run_slow"));
    QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
    QCOMPARE(result.evaluation->stopped, StopReason::SecondsSpent);
    QVERIFY(result.runsPerRepeat >= 1 && result.runsPerRepeat <= 13); // a third of 0.8 of 1.5 s
  }

  void hopelessProgramsAreLeftAlone() {
    Measurer measurer(evaluatedBy("fixed:runs=100,batch=10,hopeless=1.5"), faultyWorker());
    MeasureRequest slow = request("fine");
    slow.bestSeconds = 1e-12;
    const MeasureResult result = measureOne(measurer, slow);
    QCOMPARE(result.verdict, Verdict::Ok);
    QCOMPARE(result.seconds.size(), std::size_t(1));
    QCOMPARE(result.evaluation->stopped, StopReason::Hopeless);
    QCOMPARE(measureOne(measurer, request("fine")).seconds.size(), std::size_t(10));
  }

  /// In a micro-batch a run finds what the one before left in the caches.
  void flushedCachesGoWithRepeats() {
    MeasureOptions options = evaluatedBy("adaptive");
    options.flushCache = true;
    QVERIFY_EXCEPTION_THROWN(Measurer(options, faultyWorker()), InputError);
  }

  void reasonsThatCannotBeAreRefused() {
    Timing timing;
    timing.seconds = {1e-3};
    timing.stopped = StopReason::Hopeless;
    Frame ran = ranFrame(timing);
    QVERIFY(ranTiming(ran, 1).stopped == StopReason::Hopeless);
    ran.header["stopped"] = "bored";
    QVERIFY_EXCEPTION_THROWN(ranTiming(ran, 1), BadFrame);
    timing.stopped.reset();
    QVERIFY(!ranTiming(ranFrame(timing), 1).stopped);
  }

  void itIsToldInWords() {
    MeasureResult result;
    result.seconds = {1e-3, 1.1e-3, 1.05e-3};
    result.runsPerRepeat = 50;
    result.evaluation =
        Evaluation{EvaluatorKind::Adaptive, SpeedEstimate::Batch, StopReason::Steady, 3};
    QCOMPARE(evaluationText(result),
             std::string("150 runs in 3 micro-batches of 50 (adaptive): steady, their speeds vary "
                         "by 3.9 %"));
    QCOMPARE(result.latency(), 1.05e-3);
    const json told = evaluationJson(result);
    QCOMPARE(told.at("runs"), json(150));
    QCOMPARE(told.at("stopped"), json("steady"));
    // Repeats behind them, of a claim, count as much.
    result.seconds.insert(result.seconds.end(), {9e-4, 9e-4, 9e-4, 9e-4});
    QCOMPARE(result.latency(), 9e-4);
    QCOMPARE(evaluationJson(result).at("micro_batches"), json(3));
  }
};

NW_TEST_GUILESS(Evaluators)

} // namespace nestwright::evaluators_test

#include "evaluators.moc"

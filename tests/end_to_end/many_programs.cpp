/// \file Random and evolved programs of all kinds of tasks, built and run by worker processes as in
/// a session, give what the naive program gives (C11).
///
/// NESTWRIGHT_MANY_PROGRAMS  how many (a few hundred unless set; thousands at night)
/// NESTWRIGHT_MANY_SEED      the seed of all choices
/// NESTWRIGHT_MANY_CASE      only this case: repeats a failure

#include "core/measure/measure.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/end_to_end/program_cases.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <chrono>

namespace nestwright::many_programs_test {

constexpr int kPrograms = 240;
constexpr int kProgramsPerCase = 6;
constexpr std::size_t kProgramsPerBatch = 48;
constexpr std::uint64_t kSeed = 20261121;
constexpr int kShownFailures = 20;

std::uint64_t setting(const char* name, std::uint64_t byDefault) {
  bool given = false;
  const auto value = qEnvironmentVariable(name).toULongLong(&given);
  return given ? value : byDefault;
}

MeasureOptions measureOptions(int threads) {
  MeasureOptions options;
  options.threads = threads;
  options.warmups = 1; // a second run on the same memory: nothing may be left from the first
  options.repeats = 1;
  options.minRepeatSeconds = 0;
  options.buildTimeoutSeconds = 120; // the machine may be busy; slow is not wrong
  options.runTimeoutSeconds = 120;
  return options;
}

struct Program {
  ProgramCase origin;
  Candidate candidate;
};

/// What is needed to repeat a failure by itself.
std::string describe(const Program& program, const std::string& problem) {
  const ProgramCase& c = program.origin;
  std::string nest;
  try {
    nest = printLoopNest(State::replay(c.dag, program.candidate.steps));
  } catch (const Error& error) {
    nest = error.what();
  }
  return fmt::format(
      "{}\n  task {}, rules {}, {} thread(s), {}\n  repeat with: "
      "NESTWRIGHT_MANY_SEED={} NESTWRIGHT_MANY_CASE={} tests_end_to_end many_programs\n"
      "  steps: {}\n{}",
      problem, c.task, c.rules, c.threads, name(program.candidate.trace.origin), c.seed, c.index,
      toJson(program.candidate.steps).dump(), nest);
}

/// What is wrong with a result; empty when the program agreed with the naive one.
std::string problem(const MeasureResult& result) {
  if (result.verdict != Verdict::Ok)
    return fmt::format("{}: {}", name(result.verdict), result.error);
  if (!result.checked) return "not compared: " + result.uncheckedReason;
  return {};
}

class ManyPrograms : public QObject {
  Q_OBJECT

 public:
  static void initMain() {
    // Qt Test ends a function after five minutes unless told otherwise; a night is longer.
    if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
      qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(24 * 3600 * 1000));
  }

 private Q_SLOTS:
  void agreeWithTheNaiveProgram() {
    const std::uint64_t seed = setting("NESTWRIGHT_MANY_SEED", kSeed);
    const std::uint64_t only = setting("NESTWRIGHT_MANY_CASE", ~0ull);
    const std::uint64_t cases =
        (setting("NESTWRIGHT_MANY_PROGRAMS", kPrograms) + kProgramsPerCase - 1) / kProgramsPerCase;
    qInfo("seed %llu, %llu cases", static_cast<unsigned long long>(seed),
          static_cast<unsigned long long>(only == ~0ull ? cases : 1));
    if (only != ~0ull) {
      add(drawCase(seed, only));
    } else {
      for (std::uint64_t index = 0; index < cases; ++index)
        add(drawCase(seed, index));
    }
    for (const int threads : {1, 2})
      compareAll(threads);
    for (const auto& [operation, count] : operations_)
      qInfo("%5d by %s", count, operation.c_str());
    qInfo("%5d with operands packed into panels", panels_);
    qInfo("%d programs compared, %d failures", compared_, failures_);
    QVERIFY(compared_ > 0);
    QCOMPARE(failures_, 0);
  }

 private:
  /// Proposes programs of the case; compares them when a batch is full.
  void add(const ProgramCase& drawn) {
    std::vector<Candidate> candidates;
    try {
      candidates = proposePrograms(drawn, kProgramsPerCase);
    } catch (const std::exception& error) {
      fail({drawn, {}}, fmt::format("no programs could be proposed: {}", error.what()));
      return;
    }
    if (candidates.empty()) fail({drawn, {}}, "no valid program was proposed");
    std::vector<Program>& batch = waiting_[drawn.threads];
    for (Candidate& candidate : candidates) {
      ++operations_[name(candidate.trace.origin)];
      for (const Step& step : candidate.steps)
        if (std::holds_alternative<CacheReadStep>(step)) {
          ++panels_;
          break;
        }
      batch.push_back({drawn, std::move(candidate)});
    }
    if (batch.size() >= kProgramsPerBatch) compareAll(drawn.threads);
  }

  void compareAll(int threads) {
    const std::vector<Program> batch = std::move(waiting_[threads]);
    waiting_[threads].clear();
    std::vector<MeasureRequest> requests;
    for (const Program& program : batch) {
      MeasureRequest request;
      request.id = requests.size();
      request.dag = print(program.origin.dag);
      request.steps = program.candidate.steps;
      request.check = true;
      requests.push_back(std::move(request));
    }
    auto& measurer = measurers_[threads];
    if (!measurer)
      measurer = std::make_unique<Measurer>(
          measureOptions(threads), WorkerLaunch{{NESTWRIGHT_BINARIES "/nestwright", "worker"}});
    measurer->measure(requests, [&](const MeasureResult& result) {
      ++compared_;
      const std::string wrong = problem(result);
      if (!wrong.empty()) fail(batch[result.id], wrong);
    });
  }

  void fail(const Program& program, const std::string& problem) {
    if (failures_++ < kShownFailures) qWarning("%s", describe(program, problem).c_str());
  }

  std::map<int, std::vector<Program>> waiting_;        // by number of threads
  std::map<int, std::unique_ptr<Measurer>> measurers_; // likewise
  std::map<std::string, int> operations_;
  int compared_ = 0, failures_ = 0, panels_ = 0;
};

NW_TEST_APPLESS(ManyPrograms)

} // namespace nestwright::many_programs_test

#include "many_programs.moc"

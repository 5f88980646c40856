/// New bests on a noisy machine (C31).

#include "core/session/run/best_claim.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/random.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <map>

namespace nestwright::best_claim_test {

constexpr double kNoise = 0.05;

/// One standard normal number.
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += random.unit();
  return sum;
}

/// A program that ran and whose answer was compared.
MeasureResult ran(const MeasureRequest& request, std::vector<double> seconds) {
  MeasureResult result;
  result.id = request.id;
  result.checked = true;
  result.seconds = std::move(seconds);
  return result;
}

/// A machine on which every measurement is off by some percent, all of its repeats alike: the
/// spread within a measurement does not tell.
class NoisyMachine {
 public:
  /// The true time of a program, from a number that it alone decides.
  using Truth = std::function<double(std::uint64_t program)>;

  NoisyMachine(std::uint64_t seed, Truth truth) : random_(seed), truth_(std::move(truth)) {}

  void operator()(const std::vector<MeasureRequest>& requests,
                  const std::function<void(const MeasureResult&)>& onResult,
                  const std::atomic<bool>*) {
    for (const MeasureRequest& request : requests) {
      const double truth = request.naive ? 1.0 : truth_(hash64(recordText(toJson(request.steps))));
      onResult(ran(request, std::vector<double>(
                                3, truth * (1 + kNoise * std::clamp(normal(random_), -4.0, 4.0)))));
    }
  }

 private:
  Random random_;
  Truth truth_;
};

/// A machine on which a program's time follows from how many others came before it, 0 for the
/// first, and from whether it was measured before. Repeats differ as `repeats` say.
class CountingMachine {
 public:
  using Truth = std::function<double(std::size_t number, bool first)>;

  CountingMachine(std::vector<double> repeats, Truth truth)
      : repeats_(std::move(repeats)), truth_(std::move(truth)) {}

  void operator()(const std::vector<MeasureRequest>& requests,
                  const std::function<void(const MeasureResult&)>& onResult,
                  const std::atomic<bool>*) {
    for (const MeasureRequest& request : requests) {
      double seconds = 1;
      int times = 0;
      if (!request.naive) {
        const std::size_t number =
            order_.try_emplace(idOf(request.steps), order_.size()).first->second;
        times = times_[number]++;
        seconds = truth_(number, times == 0);
      }
      std::vector<double> all;
      for (const double repeat : repeats_) // no two measurements are the same
        all.push_back(seconds * (repeat + 1e-4 * (times % 7)));
      onResult(ran(request, std::move(all)));
    }
  }
  std::size_t numberOf(const Record& record) const { return order_.at(idOf(record.steps)); }

 private:
  static std::uint64_t idOf(const Steps& steps) { return hash64(recordText(toJson(steps))); }

  const std::vector<double> repeats_;
  const Truth truth_;
  std::map<std::uint64_t, std::size_t> order_;
  std::map<std::size_t, int> times_;
};

/// A machine that is slow for twelve candidates and fast for the next twelve, also while their
/// claims are settled, on which all programs are equal but for what is left to chance.
class DriftingMachine {
 public:
  explicit DriftingMachine(std::uint64_t seed) : random_(seed) {}

  void operator()(const std::vector<MeasureRequest>& requests,
                  const std::function<void(const MeasureResult&)>& onResult,
                  const std::atomic<bool>*) {
    constexpr int kPhase = 12;
    for (const MeasureRequest& request : requests) {
      const bool isCandidate = !request.naive && request.repeats == 0;
      const double moment = candidates_ / kPhase % 2 == 0 ? 1.0 : 0.9;
      candidates_ += isCandidate;
      std::vector<double> seconds(3, 1.0);
      if (!request.naive)
        for (double& repeat : seconds)
          repeat = 1e-3 * moment * (1 + 5e-3 * normal(random_));
      onResult(ran(request, std::move(seconds)));
    }
  }

 private:
  Random random_;
  int candidates_ = 0;
};

RowId makeSession(const QString& path, std::uint64_t seed, int trials, bool confirm, int polish = 0,
                  int repeats = 3) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  const TargetFacts facts = hostTarget(1);
  const RowId target = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
  const ComputeDag dag = parseDag("A = PLACEHOLDER [64, 64]\nB = PLACEHOLDER [64, 64]\n"
                                  "C(i, j) += (A[i, k]*B[k, j])\n");
  const RowId task =
      store.tasks().add({0, 0, target, 0, workloadKey(dag), "matmul", print(dag), 1.0, flops(dag)});
  SessionConfig config;
  config.policy = "random";
  config.scheduler = "round-robin";
  config.trials = trials;
  config.seed = seed;
  config.confirmBest = confirm;
  config.polish = polish;
  config.measure.repeats = repeats;
  SessionRow row;
  row.config = toJson(config).dump();
  const RowId session = store.sessions().add(row);
  store.sessions().setTasks(session, {task});
  return session;
}

class TestBestClaim : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void claimsAreJudgedByTheirPairs_data() {
    using Times = std::vector<double>; // of the claimant; the best takes 1
    QTest::addColumn<Times>("claimant");
    QTest::addColumn<ClaimVerdict>("verdict");
    QTest::newRow("one pair") << Times{0.9} << ClaimVerdict::Open;
    QTest::newRow("one lost pair") << Times{1.1} << ClaimVerdict::Open;
    QTest::newRow("one lost of three, faster on average")
        << Times{0.9, 1.02, 0.9} << ClaimVerdict::Open;
    QTest::newRow("three as clear as can be") << Times{0.9, 0.9, 0.9} << ClaimVerdict::Open;
    QTest::newRow("all lost") << Times{1.01, 1.02, 1.01} << ClaimVerdict::Rejected;
    QTest::newRow("slower on average") << Times{0.9, 1.2, 1.0} << ClaimVerdict::Rejected;
    QTest::newRow("equal") << Times{1.0, 1.0, 1.0} << ClaimVerdict::Rejected;
    QTest::newRow("clear") << Times{0.90, 0.91, 0.90, 0.89, 0.90, 0.91} << ClaimVerdict::Confirmed;
    QTest::newRow("vague") << Times{0.99, 0.8, 0.999, 0.7, 0.99, 0.9} << ClaimVerdict::Open;
    QTest::newRow("hopeless") << Times{0.99, 1.1, 0.9, 1.1, 0.88, 1.0} << ClaimVerdict::Rejected;
    const Times vague = {0.9, 0.8, 0.9999, 0.8, 0.9, 0.8, 0.9999, 0.8, 1.2, 0.8, 0.9, 0.8};
    QTest::newRow("vague at twelve") << vague << ClaimVerdict::Open;
    QTest::newRow("vague to the end") << [&] {
      Times all = vague;
      all.insert(all.end(), 12, 1.0);
      return all;
    }() << ClaimVerdict::Rejected;
    QTest::newRow("hopeless at twelve")
        << Times{0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 0.9, 0.9, 1.0}
        << ClaimVerdict::Rejected;
    QTest::newRow("clear in spite of a lost pair")
        << Times{0.90, 0.91, 1.01, 0.89, 0.90, 0.92, 0.90, 0.88, 0.90, 0.90, 0.91, 0.90}
        << ClaimVerdict::Confirmed;
  }
  void claimsAreJudgedByTheirPairs() {
    QFETCH(std::vector<double>, claimant);
    QFETCH(ClaimVerdict, verdict);
    QCOMPARE(judgeClaim({claimant, std::vector<double>(claimant.size(), 1.0)}), verdict);
  }

  /// The order of the two in a pair matters, and so does what each pair has in common: drift does
  /// not decide.
  void pairsCancelWhatTheyShare() {
    const std::vector<double> best = {1.0, 1.3, 0.8, 1.1, 2.0, 1.4};
    std::vector<double> claimant;
    for (const double time : best)
      claimant.push_back((0.97 + 0.001 * static_cast<double>(claimant.size())) * time);
    QCOMPARE(judgeClaim({claimant, best}), ClaimVerdict::Confirmed);
    QCOMPARE(judgeClaim({best, claimant}), ClaimVerdict::Rejected);
    QCOMPARE(firstPairs({claimant, best}, 2).best.size(), std::size_t{2});
    QCOMPARE(firstPairs({claimant, best}, 9).claimant, claimant);
  }

  void clearTimesNeedNoPairs() {
    QVERIFY(isClearlyFaster({0.7, 0.74}, 1.0));
    QVERIFY(!isClearlyFaster({0.7, 0.76}, 1.0));
  }

  /// What the header says of the claims' outcome and price, on a machine with 5 % noise.
  void claimsAreSettledCheaply_data() {
    QTest::addColumn<double>("claimantSeconds");
    QTest::addColumn<double>("leastConfirmed");
    QTest::addColumn<double>("mostConfirmed");
    QTest::addColumn<double>("mostPairs"); // on average
    QTest::newRow("equal") << 1.0 << 0.0 << 0.006 << 6.1;
    QTest::newRow("slower") << 1.1 << 0.0 << 0.001 << 3.3;
    QTest::newRow("10 % faster") << 0.90 << 0.95 << 1.0 << 14.0;
    QTest::newRow("25 % faster") << 0.75 << 0.999 << 1.0 << 7.0;
  }
  void claimsAreSettledCheaply() {
    QFETCH(double, claimantSeconds);
    QFETCH(double, leastConfirmed);
    QFETCH(double, mostConfirmed);
    QFETCH(double, mostPairs);
    constexpr int kClaims = 20000;
    Random random(1);
    const auto noisy = [&](double seconds) { return seconds * (1 + kNoise * normal(random)); };
    int confirmed = 0, pairs = 0;
    for (int claim = 0; claim < kClaims; ++claim) {
      PairedTimes times;
      for (const ClaimStage& stage : kClaimStages) {
        while (static_cast<int>(times.best.size()) < stage.pairs) {
          times.claimant.push_back(noisy(claimantSeconds));
          times.best.push_back(noisy(1.0));
        }
        const ClaimVerdict verdict = judgeClaim(times);
        confirmed += verdict == ClaimVerdict::Confirmed;
        if (verdict != ClaimVerdict::Open) break;
        QVERIFY(stage.pairs < std::end(kClaimStages)[-1].pairs);
      }
      pairs += static_cast<int>(times.best.size());
    }
    const double share = static_cast<double>(confirmed) / kClaims;
    const double average = static_cast<double>(pairs) / kClaims;
    QVERIFY2(share >= leastConfirmed && share <= mostConfirmed, qPrintable(QString::number(share)));
    QVERIFY2(average <= mostPairs, qPrintable(QString::number(average)));
  }

  /// C31: with 100 identical programs fewer than one run in twenty announces a false best.
  void identicalProgramsStayEqual_data() {
    QTest::addColumn<bool>("confirm");
    QTest::newRow("confirmed") << true;
    QTest::newRow("first measurement counts") << false;
  }
  void identicalProgramsStayEqual() {
    QFETCH(bool, confirm);
    constexpr int kRuns = 60;
    int falseBests = 0, claims = 0;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      const QString path = folder_.filePath(QStringLiteral("%1-%2.nwdb").arg(confirm).arg(seed));
      const RowId id = makeSession(path, seed, 100, confirm);
      int bests = 0;
      NoisyMachine machine(seed, [](std::uint64_t) { return 1e-3; });
      Session session(
          path.toStdString(), id,
          [&](const Event& event) {
            bests += std::holds_alternative<NewBest>(event);
            claims += std::holds_alternative<ClaimSettled>(event);
          },
          std::ref(machine));
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
      falseBests += bests > 1;
      const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      const std::vector<std::string> problems = store.check();
      QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().c_str());
    }
    if (confirm) {
      QVERIFY(claims > kRuns);
      QVERIFY2(falseBests < kRuns / 20, qPrintable(QString::number(falseBests)));
    } else {
      QVERIFY(falseBests > kRuns / 2); // what the measuring again is for
    }
  }

  /// A program that is truly faster by more than the noise is found, and its record says how.
  void trueBestsAreFound_data() {
    QTest::addColumn<double>("share");
    QTest::newRow("20 % faster") << 0.8;
    QTest::newRow("13 % faster") << 0.87;
  }
  void trueBestsAreFound() {
    QFETCH(double, share);
    int close = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const QString path = folder_.filePath(QStringLiteral("true-%1-%2.nwdb").arg(share).arg(seed));
      const RowId id = makeSession(path, seed, 200, true);
      const auto truth = [share](std::uint64_t program) {
        return program % 8 == 0 ? share * 1e-3 : 1e-3;
      };
      NoisyMachine machine(seed, truth);
      double announced = 0;
      Session session(
          path.toStdString(), id,
          [&](const Event& event) {
            if (const auto* best = std::get_if<NewBest>(&event)) announced = best->seconds;
          },
          std::ref(machine));
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
      const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      const TaskRow task = store.sessions().tasks(id).front();
      const Record best = *store.records().best(task.id);
      QCOMPARE(best.result.latency(), announced);
      QCOMPARE(best.result.latency(), store.tasks().summary(task.id).bestSeconds);
      QVERIFY(best.best && !best.contested);
      close += truth(hash64(recordText(toJson(best.steps)))) < 1e-3;
      QVERIFY(store.check().empty());
    }
    QVERIFY2(close >= 18, qPrintable(QString::number(close)));
  }

  /// A round settles its boldest claim. Another one of it, which holds, must not wait for ever
  /// because later rounds make none.
  void noClaimWaitsForEver() {
    const QString path = folder_.filePath(QStringLiteral("waits.nwdb"));
    const RowId id = makeSession(path, 1, 96, true);
    CountingMachine machine({1.0, 1.04, 0.96}, [](std::size_t number, bool first) {
      return number == 0    ? (first ? 0.90e-3 : 1.00e-3) // the best so far, lucky
             : number == 20 ? (first ? 0.86e-3 : 1.00e-3) // bolder, and no better
             : number == 21 ? (first ? 0.87e-3 : 0.80e-3) // truly better
                            : 2e-3;
    });
    Session session(
        path.toStdString(), id, [](const Event&) {}, std::ref(machine));
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const Record best = *store.records().best(store.sessions().tasks(id).front().id);
    QCOMPARE(machine.numberOf(best), std::size_t(21));
  }

  /// A kernel that takes long is measured with fewer repeats than the session has: what was judged
  /// of it does not show in their number, and a session that goes on knows it all the same.
  void slowProgramsAreJudgedOnce() {
    const QString path = folder_.filePath(QStringLiteral("once.nwdb"));
    const RowId id = makeSession(path, 1, 192, true, 0, 5);
    // Faster in two of three turns and much slower in the third: rejected, and still below the best
    // in the middle of its times.
    std::map<std::uint64_t, int> times;
    const auto machine = [&](const std::vector<MeasureRequest>& requests, const auto& onResult,
                             const std::atomic<bool>*) {
      for (const MeasureRequest& request : requests) {
        const std::uint64_t program = hash64(recordText(toJson(request.steps)));
        const int time = request.naive || program % 16 != 0 ? 0 : ++times[program];
        const double seconds = request.naive   ? 1.0
                               : time == 0     ? 1e-3
                               : time == 1     ? 0.95e-3
                               : time % 3 == 0 ? 1.2e-3
                                               : 0.99e-3;
        onResult(ran(request, {seconds}));
      }
    };
    std::map<RowId, int> judged;
    int trials = 0;
    for (SessionStatus status = SessionStatus::Paused; status != SessionStatus::Finished;) {
      std::atomic<Session*> self{nullptr};
      Session session(
          path.toStdString(), id,
          [&](const Event& event) {
            if (const auto* claim = std::get_if<ClaimSettled>(&event)) ++judged[claim->record];
            if (std::holds_alternative<Measured>(event) && ++trials % 50 == 0)
              self.load()->post(Pause{});
          },
          machine);
      self = &session;
      session.post(Start{});
      status = session.wait();
    }
    QVERIFY2(judged.size() > 2, qPrintable(QString::number(judged.size())));
    for (const auto& [record, times] : judged)
      QCOMPARE(times, 1);
  }

  /// The best was measured at a slow moment. What is faster than that, and no faster than it is
  /// now, is no claim; what is faster is still found.
  void aSlowMomentMakesNoClaim() {
    const QString path = folder_.filePath(QStringLiteral("slow.nwdb"));
    const RowId id = makeSession(path, 1, 192, true);
    constexpr std::size_t kBetter = 150;
    CountingMachine machine({1.0, 1.001, 0.999}, [](std::size_t number, bool first) {
      return number == 0 ? (first ? 1.10e-3 : 1.00e-3) : number == kBetter ? 0.97e-3 : 1.05e-3;
    });
    std::vector<ClaimSettled> settled;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          if (const auto* claim = std::get_if<ClaimSettled>(&event)) settled.push_back(*claim);
        },
        std::ref(machine));
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    QCOMPARE(settled.size(), std::size_t(1));
    QVERIFY(settled.front().confirmed);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const Record best = *store.records().best(store.sessions().tasks(id).front().id);
    QCOMPARE(machine.numberOf(best), kBetter);
  }

  /// Of a polish the neighbours are as fast as their parent, and seem faster than it was whenever
  /// the machine is: they are compared with what it takes beside them.
  void driftMakesFewClaims() {
    constexpr int kTrials = 100;
    std::int64_t claims = 0, confirmed = 0, trials = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const QString path = folder_.filePath(QStringLiteral("drift%1.nwdb").arg(seed));
      const RowId id = makeSession(path, seed, kTrials, true, kTrials - 16);
      Session session(
          path.toStdString(), id,
          [&](const Event& event) {
            if (const auto* claim = std::get_if<ClaimSettled>(&event)) {
              ++claims;
              confirmed += claim->confirmed;
            }
          },
          DriftingMachine(seed));
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
      trials += RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().total();
    }
    qInfo("%lld claims of %lld programs, %lld confirmed", static_cast<long long>(claims),
          static_cast<long long>(trials), static_cast<long long>(confirmed));
    QVERIFY(trials > 240);
    QVERIFY(claims * 4 < trials); // 0.17 and 0.20 of them were seen, by other neighbours
  }

  /// A claim that cannot be measured again would be the boldest for ever.
  void aClaimThatNoLongerRunsIsGivenUp() {
    const QString path = folder_.filePath(QStringLiteral("fails.nwdb"));
    const RowId id = makeSession(path, 1, 64, true);
    constexpr std::size_t kBold = 20; // the number of the program that runs once
    std::map<std::uint64_t, std::size_t> order;
    int tried = 0;
    const auto machine = [&](const std::vector<MeasureRequest>& requests, const auto& onResult,
                             const std::atomic<bool>*) {
      for (const MeasureRequest& request : requests) {
        MeasureResult result;
        result.id = request.id;
        result.checked = true;
        const std::uint64_t program = hash64(recordText(toJson(request.steps)));
        const bool bold =
            !request.naive && order.try_emplace(program, order.size()).first->second == kBold;
        const double seconds = request.naive ? 1.0 : bold ? 0.95e-3 : 1e-3;
        result.seconds = {seconds, seconds * 1.04, seconds * 0.96};
        // A session that does not give up ends, too.
        if (bold && ++tried > 1 && tried < 50) {
          result.verdict = Verdict::RunError;
          result.error = "segmentation fault (signal 11)";
          result.seconds.clear();
        }
        onResult(result);
      }
    };
    Session session(
        path.toStdString(), id, [](const Event&) {}, machine);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    QVERIFY2(tried >= 2 && tried < 5, qPrintable(QString::number(tried)));
  }

 private:
  // In memory where there is such a place: thousands of durable commits are not what is tested.
  QTemporaryDir folder_{QDir(QStringLiteral("/dev/shm")).exists()
                            ? QStringLiteral("/dev/shm/best_claim-XXXXXX")
                            : QDir::tempPath() + QStringLiteral("/best_claim-XXXXXX")};
};

NW_TEST_GUILESS(TestBestClaim)

} // namespace nestwright::best_claim_test

#include "best_claim.moc"

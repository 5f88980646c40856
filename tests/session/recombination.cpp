/// Recombinations with a made-up machine: what is drawn, what is claimed, through pauses and
/// failures.

#include "core/backend/device_error.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/session/recombination/live_recombination.h"
#include "core/session/run/session_lock.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "core/tensor/text.h"
#include "tests/network/tiny_networks.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <mutex>

namespace nestwright::recombination_test {

/// A machine on which a network takes 10 ms, and each program its share more or less.
class Machine {
 public:
  /// `share` of a program by its name, "task.rank"; 0 for all others.
  std::map<std::string, double> share;
  std::set<std::string> crashing;
  double noise = 0;           // relative, uniform on both sides
  std::atomic<int> calls = 0; // told on the recombination's thread

  NetworkMeasure measure() {
    return [this](const NetworkRequest& request, const std::atomic<bool>* stop) {
      ++calls;
      NetworkResult result;
      if (*stop) result.verdict = Verdict::Cancelled;
      for (const NetworkPrograms& programs : request.networks)
        for (const NetworkProgram& program : programs)
          if (crashing.contains(program.program)) {
            result.verdict = Verdict::RunError;
            result.error = "the network crashed: segmentation fault (signal 11)";
          }
      if (result.verdict != Verdict::Ok) return result;
      for (const NetworkPrograms& programs : request.networks)
        result.seconds.push_back(rounds(programs, request.rounds));
      return result;
    };
  }

 private:
  std::vector<std::vector<double>> rounds(const NetworkPrograms& programs, int count) {
    double seconds = 10e-3;
    for (const NetworkProgram& program : programs)
      if (share.contains(program.program)) seconds *= 1 + share.at(program.program);
    std::vector<std::vector<double>> all;
    for (int i = 0; i < count; ++i) {
      // A machine is slow or fast for a while: repeats of one round share most of their error.
      const double luck = 1 + noise * (2 * random_.unit() - 1);
      all.push_back({seconds * luck, seconds * luck * 1.001, seconds * luck * 1.002});
    }
    return all;
  }
  Random random_{7};
};

/// A network, and a file that knows its first task alone.
struct NetworkFile {
  Partition parts = partition(tinyResnet());
  QTemporaryDir folder;
  RecordStore store =
      RecordStore::open(folder.filePath(QStringLiteral("a.nwdb")).toStdString(), OpenMode::Create);
  samples::Ground ground = samples::fill(store);

  NetworkFile() {
    const Task& task = parts.tasks.front();
    ground.tasks = {store.tasks().add(
        {0, ground.network, ground.target, 9, task.key, task.description, print(task.dag), 1, 1})};
  }
};

/// A file with a recombination over `tasks` tasks of `k` candidates each, named "task.rank".
struct File {
  QTemporaryDir folder;
  std::string path = folder.filePath(QStringLiteral("a.nwdb")).toStdString();
  samples::Ground ground;
  RowId id = 0;

  File(int tasks, int k, int samples, std::uint64_t seed = 1, int baselineEvery = 10) {
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    store.transaction([&] { fill(store, tasks, k, samples, seed, baselineEvery); });
  }

  void fill(RecordStore& store, int tasks, int k, int samples, std::uint64_t seed,
            int baselineEvery) {
    ground = samples::fill(store, tasks);
    RecombinationState state;
    std::int64_t trial = 0;
    for (int task = 0; task < tasks; ++task) {
      const RowId row = ground.tasks[static_cast<std::size_t>(task)];
      TaskCandidates candidates{task, row, fmt::format("task {}", task), 1, {}};
      for (int rank = 0; rank < k; ++rank) {
        const RowId record =
            store.records().add(samples::record(ground, ++trial, 1e-3 * (1 + rank), row));
        candidates.programs.push_back({record, fmt::format("{}.{}", task, rank), 1e-3});
      }
      state.candidates.push_back(candidates);
    }
    RecombinationConfig config;
    config.network = "resnet18:batch=1";
    config.k = k;
    config.samples = samples;
    config.seed = seed;
    config.baselineEvery = baselineEvery;
    id = store.recombinations().add({0, ground.network, ground.target, toJson(config).dump(),
                                     toText(state), SessionStatus::Ready, 1, 1, 0, "test"});
  }

  RecordStore store() const { return RecordStore::open(path, OpenMode::ReadOnly); }
  std::vector<SampleRow> samples() const { return store().recombinations().samples(id); }
  RecombinationState state() const {
    return recombinationStateFromText(store().recombinations().one(id)->state);
  }
  RecombinationSummary summary() const { return summarise(samples(), state().claims); }

  SessionStatus run(Machine& machine, Recombination::Observer observer = {}) const {
    if (!observer) observer = [](const RecombinationEvent&) {};
    Recombination recombination(path, id, observer, machine.measure());
    recombination.post(Start{});
    return recombination.wait();
  }
};

std::vector<Choice> choices(const std::vector<SampleRow>& samples) {
  std::vector<Choice> result;
  for (const SampleRow& sample : samples)
    result.push_back(sample.choice);
  return result;
}

class RecombinationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void beginsWithTheBestsAndNeverRepeatsACombination() {
    const File file(4, 3, 40);
    Machine machine;
    QCOMPARE(file.run(machine), SessionStatus::Finished);
    const std::vector<SampleRow> samples = file.samples();
    QVERIFY(isBaseline(samples.front()));
    QCOMPARE(samples.front().choice, Choice(4, 0));
    std::set<Choice> drawn;
    int baselines = 0;
    for (const SampleRow& sample : samples) {
      if (isBaseline(sample))
        ++baselines;
      else
        QVERIFY(drawn.insert(sample.choice).second);
    }
    QCOMPARE(drawn.size(), std::size_t(40));
    QVERIFY(!drawn.contains(Choice(4, 0)));
    QCOMPARE(baselines, 4); // at 0, 10, 20, 30
    QCOMPARE(file.store().recombinations().one(file.id)->status, SessionStatus::Finished);
  }

  void seedsDecide() {
    Machine machine;
    const File one(4, 3, 20, 1), same(4, 3, 20, 1), other(4, 3, 20, 2);
    for (const File* file : {&one, &same, &other})
      file->run(machine);
    QCOMPARE(choices(one.samples()), choices(same.samples()));
    QVERIFY(choices(one.samples()) != choices(other.samples()));
  }

  void ranksAreDrawnEvenly() {
    const File file(6, 3, 200);
    Machine machine;
    file.run(machine);
    std::map<int, int> counts;
    for (const SampleRow& sample : file.samples())
      if (!isBaseline(sample))
        for (const int rank : sample.choice)
          ++counts[rank];
    QCOMPARE(counts.size(), std::size_t(3));
    for (const auto& [rank, count] : counts) // 400 of 1200, give or take five deviations
      QVERIFY2(std::abs(count - 400) < 85, qPrintable(QString::number(count)));
  }

  void findsAndConfirmsACombinationThatIsFaster() {
    const File file(4, 3, 60);
    Machine machine;
    machine.noise = 0.01;
    machine.share = {{"1.2", -0.05}, {"2.1", -0.04}, {"3.1", +0.05}};
    QCOMPARE(file.run(machine), SessionStatus::Finished);
    const RecombinationSummary summary = file.summary();
    QVERIFY(summary.winner.has_value());
    const Choice winner = file.samples().at(static_cast<std::size_t>(*summary.winner)).choice;
    QCOMPARE(winner[1], 2);
    QCOMPARE(winner[2], 1);
    const double real = 1 / (0.95 * 0.96);
    QVERIFY(summary.gain->low < real && real < summary.gain->high);
    QVERIFY(summary.gain->low > 1);
    RecordStore store = RecordStore::open(file.path);
    keepSample(store, file.id, *summary.winner);
    const NetworkChoice kept = *store.choices().of(file.ground.network, file.ground.target);
    QCOMPARE(kept.programs.size(), std::size_t(4));
    QCOMPARE(kept.programs[1].record, file.state().candidates[1].programs[2].record);
    QCOMPARE(kept.gain, summary.gain->ratio);
    QVERIFY_THROWS_EXCEPTION(InputError, keepSample(store, file.id, 999));
  }

  /// C31: on a machine with 5 % noise and programs that are all the same.
  void noiseIsNoWinner() {
    int falseWinners = 0, claims = 0;
    Machine machine;
    machine.noise = 0.05;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const File file(2, 3, 7, seed);
      file.run(machine);
      claims += !file.state().claims.empty();
      falseWinners += file.summary().winner.has_value();
    }
    QVERIFY(claims > 80); // something nearly always looks faster
    QVERIFY2(falseWinners < 5, qPrintable(QString::number(falseWinners)));
  }

  void endsWhenThereAreNoMoreCombinations() {
    const File file(2, 2, 80);
    Machine machine;
    std::string reason;
    QCOMPARE(file.run(machine,
                      [&](const RecombinationEvent& event) {
                        if (const auto* status = std::get_if<RecombinationStatusChanged>(&event))
                          reason = status->reason;
                      }),
             SessionStatus::Finished);
    QCOMPARE(file.summary().samples, 3);
    QVERIFY2(reason.find("there are no more") != std::string::npos, reason.c_str());
  }

  void aCrashCostsOneSampleAndItsProgramIsLeftOut() {
    const File file(3, 3, 24);
    Machine machine;
    machine.crashing = {"1.2"};
    QCOMPARE(file.run(machine), SessionStatus::Finished);
    const std::vector<SampleRow> samples = file.samples();
    QCOMPARE(culprits(samples), (std::set<CandidateId>{{1, 2}}));
    const RecombinationSummary summary = file.summary();
    QVERIFY(summary.failed > 0 && summary.failed < 6);
    QVERIFY(samples.back().verdict == Verdict::Ok);
    for (const SampleRow& sample : samples)
      if (sample.verdict != Verdict::Ok) {
        QVERIFY(sample.error.find("signal 11") != std::string::npos);
        RecordStore store = RecordStore::open(file.path);
        QVERIFY_THROWS_EXCEPTION(InputError, keepSample(store, file.id, sample.sample));
      }
    QCOMPARE(summary.samples - summary.failed, 17); // all combinations without it but the bests
  }

  void withoutABaselineItFails() {
    const File file(3, 3, 24);
    Machine machine;
    machine.crashing = {"0.0"};
    std::string reason;
    QCOMPARE(file.run(machine,
                      [&](const RecombinationEvent& event) {
                        if (const auto* status = std::get_if<RecombinationStatusChanged>(&event))
                          reason = status->reason;
                      }),
             SessionStatus::Failed);
    QVERIFY2(reason.find("signal 11") != std::string::npos, reason.c_str());
    QVERIFY(file.samples().empty());
    machine.crashing.clear();
    QCOMPARE(file.run(machine), SessionStatus::Finished);
  }

  void pausedAndGoneOnWithIsTheSame() {
    const File whole(4, 3, 30), parts(4, 3, 30);
    Machine machine;
    machine.share = {{"1.2", -0.05}};
    whole.run(machine);
    int pauses = 0;
    while (true) {
      std::unique_ptr<Recombination> running;
      std::atomic<bool> reached{false};
      running = std::make_unique<Recombination>(
          parts.path, parts.id,
          [&](const RecombinationEvent& event) {
            const auto* sample = std::get_if<SampleMeasured>(&event);
            if (sample && sample->row.sample % 7 == 3) reached = true;
          },
          machine.measure());
      running->post(Start{});
      while (!reached && running->wait() != SessionStatus::Finished) {
      }
      running->post(Pause{});
      if (running->wait() == SessionStatus::Finished || ++pauses > 100) break;
    }
    QCOMPARE(choices(parts.samples()), choices(whole.samples()));
    QCOMPARE(parts.summary().winner, whole.summary().winner);
  }

  /// C24: what is told is in the file.
  void toldIsStored() {
    const File file(3, 3, 12);
    Machine machine;
    int told = 0;
    file.run(machine, [&](const RecombinationEvent& event) {
      if (const auto* sample = std::get_if<SampleMeasured>(&event)) {
        ++told;
        QCOMPARE(file.samples().back().sample, sample->row.sample);
      }
    });
    QCOMPARE(told, 14); // 12, and the bests twice
  }

  /// What is told makes of the file at first what is read from it at last.
  void whatIsToldGrowsWhatIsKnown() {
    const File file(4, 3, 60);
    LiveRecombination live = readRecombination(file.store(), file.ground.network);
    QVERIFY(live.exists() && live.samples.empty());
    Machine machine;
    machine.noise = 0.01;
    machine.share = {{"1.2", -0.05}};
    std::vector<RecombinationEvent> told;
    file.run(machine, [&](const RecombinationEvent& event) { told.push_back(event); });
    live.apply(told);
    const int winner = *live.summary.winner;
    RecordStore store = RecordStore::open(file.path);
    keepSample(store, file.id, winner);
    const LiveRecombination read = readRecombination(store, file.ground.network);
    QCOMPARE(live.samples.size(), read.samples.size());
    QCOMPARE(toText(live.state), toText(read.state));
    QCOMPARE(live.summary.gain->ratio, read.summary.gain->ratio);
    QCOMPARE(live.status, SessionStatus::Finished);
    QCOMPARE(read.status, SessionStatus::Finished);
    QVERIFY(!live.isKept(winner)); // nobody has told it
    QVERIFY(read.isKept(winner) && !read.isKept(0));
  }

  void aPauseDropsTheSampleInFlight() {
    const File file(3, 3, 12);
    std::atomic<bool> inFlight{false};
    Recombination recombination(
        file.path, file.id, [](const RecombinationEvent&) {},
        [&](const NetworkRequest&, const std::atomic<bool>* stop) {
          inFlight = true;
          while (!*stop)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          NetworkResult result;
          result.verdict = Verdict::Cancelled;
          return result;
        });
    recombination.post(Start{});
    QTRY_VERIFY(inFlight);
    recombination.post(Pause{});
    QCOMPARE(recombination.wait(), SessionStatus::Paused);
    QVERIFY(file.samples().empty());
    QCOMPARE(file.store().recombinations().one(file.id)->status, SessionStatus::Paused);
  }

  void aStopEndsItWithWhatThereIs_data() {
    QTest::addColumn<bool>("paused");
    QTest::newRow("while it runs") << false;
    QTest::newRow("after a pause, by another window") << true;
  }

  void aStopEndsItWithWhatThereIs() {
    QFETCH(bool, paused);
    const File file(3, 3, 12);
    Machine machine;
    std::atomic<int> told{0};
    const NetworkMeasure measure = machine.measure();
    const auto make = [&] {
      return std::make_unique<Recombination>(
          file.path, file.id,
          [&](const RecombinationEvent& event) {
            told += std::holds_alternative<SampleMeasured>(event);
          },
          [&](const NetworkRequest& request, const std::atomic<bool>* stop) {
            while (told >= 4 && !*stop) // the fifth never ends by itself
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return measure(request, stop);
          });
    };
    std::unique_ptr<Recombination> recombination = make();
    recombination->post(Start{});
    QTRY_COMPARE(told.load(), 4);
    if (paused) {
      recombination->post(Pause{});
      QCOMPARE(recombination->wait(), SessionStatus::Paused);
      recombination.reset();
      recombination = make();
    }
    recombination->post(Stop{});
    QTRY_COMPARE(recombination->status(), SessionStatus::Finished);
    QCOMPARE(file.samples().size(), std::size_t(4));
    QCOMPARE(file.store().recombinations().one(file.id)->status, SessionStatus::Finished);
  }

  void waitsForASessionThatIsTuned() {
    const File file(3, 3, 6);
    {
      RecordStore store = RecordStore::open(file.path);
      SessionRow session = *store.sessions().one(file.ground.session);
      session.status = SessionStatus::Running;
      store.sessions().update(session);
    }
    QVERIFY(!runningSession(file.store())); // it says so, but nobody holds it
    auto lock = std::make_unique<SessionLock>(file.path, file.ground.session);
    QVERIFY(runningSession(file.store()).has_value());
    Machine machine;
    std::mutex mutex;
    std::string phase;
    Recombination recombination(
        file.path, file.id,
        [&](const RecombinationEvent& event) {
          const std::lock_guard guard(mutex);
          if (const auto* told = std::get_if<RecombinationPhase>(&event)) phase = told->text;
        },
        machine.measure());
    const auto waits = [&] {
      const std::lock_guard guard(mutex);
      return phase.find("waits, because session 1 (first) is being tuned by this program") !=
             std::string::npos; // and not by a process with a number: that would be this one
    };
    recombination.post(Start{});
    QTRY_VERIFY(waits());
    QCOMPARE(machine.calls, 0);
    lock.reset();
    QCOMPARE(recombination.wait(), SessionStatus::Finished);
    QVERIFY(file.samples().size() > 6);
  }

  /// Others take the device before the fifth measurement: nothing is stored of that, and it goes
  /// on.
  void aMissingDevicePausesIt() {
    const File file(4, 3, 12);
    Machine machine;
    const NetworkMeasure measure = machine.measure();
    bool gone = true;
    std::mutex mutex;
    PauseCause cause = PauseCause::None;
    Recombination recombination(
        file.path, file.id,
        [&](const RecombinationEvent& event) {
          const std::lock_guard guard(mutex);
          if (const auto* told = std::get_if<RecombinationStatusChanged>(&event))
            cause = told->cause;
        },
        [&](const NetworkRequest& request, const std::atomic<bool>* stop) {
          if (machine.calls == 4 && std::exchange(gone, false))
            throw DeviceError(DeviceFault::Absent, "", "another process has the device");
          return measure(request, stop);
        });
    recombination.post(Start{});
    QCOMPARE(recombination.wait(), SessionStatus::Paused);
    {
      const std::lock_guard guard(mutex);
      QCOMPARE(cause, PauseCause::Device);
    }
    QCOMPARE(file.samples().size(), std::size_t(4));
    recombination.post(Start{});
    QCOMPARE(recombination.wait(), SessionStatus::Finished);
    const auto drawn = std::ranges::count_if(
        file.samples(), [](const SampleRow& sample) { return !isBaseline(sample); });
    QCOMPARE(drawn, 12);
  }

  void twoProcessesDoNotRunTheSame() {
    const File file(3, 3, 6);
    Machine machine;
    const SessionLock lock(file.path, file.id, SessionLock::What::Recombination);
    QCOMPARE(file.run(machine), SessionStatus::Paused); // it goes on elsewhere
  }

  void candidatesAreTheFastestDistinctPrograms() {
    NetworkFile file;
    auto& [parts, folder, store, ground] = file;
    const auto add = [&](int trial, const char* program, double seconds, bool verified) {
      Record record = samples::record(ground, trial, seconds);
      record.program = program;
      record.verified = verified;
      record.implausible = record.program == "too fast";
      return store.records().add(record);
    };
    add(1, "slow", 4e-3, true);
    const RowId best = add(2, "best", 2e-3, true);
    add(3, "unverified", 1e-3, false); // faster, but not the best: it may take part
    add(4, "best", 2.1e-3, false);     // the best once more
    add(5, "too fast", 1e-9, false);
    add(6, "middle", 3e-3, false);
    const std::vector<TaskCandidates> found = topCandidates(parts, store, ground.target, 3);
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found[0].position, 0);
    QStringList programs;
    for (const RankedProgram& program : found[0].programs)
      programs.append(QString::fromStdString(program.program));
    QCOMPARE(programs.join(' '), QStringLiteral("best unverified middle"));
    QCOMPARE(found[0].programs[0].record, best);
    QVERIFY(topCandidates(parts, store, ground.target + 1, 3).empty());
    // As it is stored.
    const RecombinationState back =
        recombinationStateFromText(toText({found, {{4, {{1, 2}, {3, 4}}, ClaimVerdict::Open}}}));
    QCOMPARE(toJson(back.candidates).dump(), toJson(found).dump());
    QCOMPARE(back.claims[0].pairs.best, (std::vector<double>{3, 4}));
  }

  void roundingProgramsTakePartWhereTheyMay() {
    NetworkFile file;
    auto& [parts, folder, store, ground] = file;
    const RowId exact = store.records().add(samples::record(ground, 1, 2e-3));
    Record rounding = samples::record(ground, 2, 1e-3);
    rounding.steps = {PragmaStep{2, 0, "tensor_instruction$mma_m16n8k8_tf32"}};
    const RowId faster = store.records().add(rounding);
    const auto candidates = [&](bool tf32) {
      std::vector<RowId> records;
      for (const TaskCandidates& of : topCandidates(parts, store, ground.target, 3, tf32))
        for (const RankedProgram& program : of.programs)
          records.push_back(program.record);
      return records;
    };
    QCOMPARE(candidates(false), (std::vector<RowId>{exact}));
    QCOMPARE(candidates(true), (std::vector<RowId>{faster, exact}));
  }

  void damageIsToldAsSuch() {
    for (const char* text : {"", "{}", "{\"candidates\":3,\"claims\":[]}",
                             "{\"candidates\":[],\"claims\":[{\"sample\":1,\"claimant\":[],"
                             "\"best\":[],\"verdict\":\"perhaps\"}]}",
                             "{\"candidates\":[],\"claims\":[{\"sample\":1,\"claimant\":[],"
                             "\"best\":[0.5],\"verdict\":\"open\"}]}"})
      QVERIFY_THROWS_EXCEPTION(InputError, recombinationStateFromText(text));
    QVERIFY_THROWS_EXCEPTION(InputError, recombinationConfigFromJson(nlohmann::json::object()));
  }

  void gainsHaveTheirInterval() {
    const Gain gain = pairedGain({{1.0, 1.1, 0.9, 1.0, 1.0}, {1.1, 1.21, 0.99, 1.1, 1.1}});
    QVERIFY(std::abs(gain.ratio - 1.1) < 1e-9);
    QVERIFY(gain.low > 1.0999 && gain.high < 1.1001);
    const Gain noisy = pairedGain({{1.0, 1.2, 0.8}, {1.1, 1.0, 1.0}});
    QVERIFY(noisy.low < 1 && noisy.high > 1);
  }

  void arraysTravelInFrames() {
    NetworkWork work;
    work.kind = NetworkWork::Kind::Measure;
    work.network = "resnet18";
    work.networks = {{{3, "abc", {AnnotationStep{1, 0, Annotation::Parallel}}}}, {}};
    work.rounds = 5;
    work.reference = {{{2, 2}, std::vector<float>{1, 2, 3, 4}},
                      {{3}, std::vector<std::int64_t>{5, 6, 7}}};
    const NetworkWork back = networkWork(toFrame(work));
    QCOMPARE(back.networks.size(), std::size_t(2));
    QCOMPARE(back.networks[0][0].steps, work.networks[0][0].steps);
    QCOMPARE(back.rounds, 5);
    QCOMPARE(back.reference[0].floats(), work.reference[0].floats());
    QCOMPARE(back.reference[1].ints(), work.reference[1].ints());
    Frame cut = toFrame(work);
    cut.payload.pop_back();
    QVERIFY_THROWS_EXCEPTION(InputError, networkWork(cut));
    cut.header["type"] = "fly";
    QVERIFY_THROWS_EXCEPTION(InputError, networkWork(cut));
  }
};

NW_TEST_GUILESS(RecombinationTest)

} // namespace nestwright::recombination_test

#include "recombination.moc"

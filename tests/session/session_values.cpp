#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/part_clock.h"
#include "core/session/run/session.h"
#include "core/session/run/subject.h"
#include "core/session/run/tuning_state.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <limits>
#include <set>

namespace nestwright::session_values_test {

template <std::size_t... index>
std::vector<Command> oneOfEach(std::index_sequence<index...>) {
  return {std::variant_alternative_t<index, Command>{}...};
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<TaskProgress> threeTasks() {
  std::vector<TaskProgress> tasks(3);
  for (int i = 0; i < 3; ++i) {
    tasks[i].task = i + 1;
    tasks[i].weights = {i == 0 ? 4.0 : 1.0};
  }
  return tasks;
}

/// The tasks chosen by `rounds` choices.
QList<int> choices(std::vector<TaskProgress> tasks, int rounds) {
  QList<int> result;
  const RoundRobinScheduler scheduler;
  for (int i = 0; i < rounds; ++i) {
    const TaskChoice choice = scheduler.next(tasks, i);
    result.append(choice.index);
    if (choice.index >= 0) ++tasks[choice.index].rounds;
  }
  return result;
}

class SessionValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// C12: whatever calls whatever, the parts make up the time that passed.
  void partsMakeUpTheTime() {
    double now = 100;
    PartClock clock([&] { return now; });
    const auto passes = [&](double seconds) { now += seconds; };
    passes(1);
    {
      const InPart measuring(clock, RoundPart::Measuring);
      passes(2);
      {
        const InPart storing(clock, RoundPart::Storing);
        passes(4);
      }
      passes(8);
      try {
        const InPart training(clock, RoundPart::Training);
        passes(16);
        throw InputError("in the middle");
      } catch (const InputError&) {
        passes(32);
      }
    }
    passes(64);
    QCOMPARE(clock.of(RoundPart::Choosing), 65.0);
    QCOMPARE(clock.of(RoundPart::Measuring), 42.0);
    QCOMPARE(clock.of(RoundPart::Storing), 4.0);
    QCOMPARE(clock.of(RoundPart::Training), 16.0);
    QCOMPARE(clock.total(), 127.0);
    QCOMPARE(clock.total(), now - 100);
    clock.restart();
    passes(3);
    QCOMPARE(clock.total(), 3.0);
  }

  void eventsSurviveTheFile_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::variant_size_v<Event>; ++i)
      QTest::addRow("%zu", i) << static_cast<int>(i);
  }
  void eventsSurviveTheFile() {
    const std::vector<Event> events{
        StateChanged{SessionStatus::Paused, "by the user"},
        TaskChosen{3,
                   7,
                   "its turn",
                   {{3, 1, -0.5, -0.25, kInfinity, -0.3, 2, 4}},
                   true,
                   true,
                   5,
                   "the budget leaves no more"},
        NaiveMeasured{3, 0.25},
        Measured{11, 3, 5, Verdict::RunTimeout, kInfinity, 1.5, "took longer than 10 s"},
        NewBest{3, 11, 5, 0.001, kInfinity, kInfinity, 2.5},
        RoundFinished{3, 7, 16, 0.1, 2, 1.5, 0.4, 0.01, 2.2, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07},
        ImportanceChanged{3, 0.5},
        TaskExhausted{3, "no valid program"},
        Progress{5, 1, 100, 3.5, 2.5, 4, kInfinity, kInfinity, 1.25, -1.5, {{kInfinity, 2, 1}}},
        ModelUpdated{7, 112, "incremental", "16 new programs", true, 0.75, 16, 0.2, 0.5, 2, 0.25,
                     "base + local", "the model knows no such steps: SA (3)"},
        ClaimSettled{3, 11, 5, 10, true, 0.9, 0.95, 1.0},
        TaskModeChanged{3, TaskMode::Paused, "24 of its last 32 programs failed"},
        SettingsChanged{"trial budget 5", "{}", "{\"trials\": 4}"},
        SeedChanged{3, 11, "abc", false},
        MeasureDemanded{3, 0, "abc"},
        RecordsForgotten{{3, 4}, false},
        CommandRefused{SeedWith{3, {11, {}}, false}, "it is illegal"},
        PhaseFinished{3, 7, SearchPhase::Evolution, true, 0.5, "no model yet"},
        CandidatesSelected{3,
                           7,
                           {{"abc", Origin::Crossover, PickReason::BestPredicted, 0.5},
                            {"def", Origin::RandomSample, PickReason::Random, {}}}},
        SteppingChanged{true},
        EnvironmentChecked{{{EnvironmentKind::Load, "3.0 programs were busy", "End them."},
                            {EnvironmentKind::Gpu, "a", ""}}},
        AnswersCompared{3, {0, -1}, 7, {11, 12}, {4, 5}},
        CommandObeyed{SetImportance{3, 0.5}, Sender::Signal, false},
        ConfigsPlanned{
            3,
            7,
            {64,
             211,
             {{0, 1, 0.75, -kInfinity, -kInfinity, -1, 0.5}, {210, 0.5, 0.25, 1, 0, 1, 2}},
             0.25,
             40,
             8,
             16,
             2,
             1,
             {{17, PickReason::Diversity, 1.5}, {4, PickReason::EpsilonGreedy, {}}}}},
        PolicyTalked{3,
                     {7,
                      "mine",
                      {{false, "{\"type\": \"ask\"}"}, {true, "{\"a\": \"\u00e9\"}"}},
                      41,
                      "[{}]",
                      16,
                      3,
                      "it ended",
                      {"refused: so"},
                      "Traceback\nlast"}},
        ProposalDropped{3, 8, "the settings were changed"}};
    QCOMPARE(events.size(), std::variant_size_v<Event>);
    QFETCH(int, index);
    const Event& event = events[index];
    QCOMPARE(static_cast<int>(event.index()), index);
    const nlohmann::json json = nlohmann::json::parse(toJson(event).dump());
    const Event again = eventFromJson(kind(event), json);
    QCOMPARE(again.index(), event.index());
    QCOMPARE(toJson(again).dump(), json.dump());
    if (const auto* talked = std::get_if<PolicyTalked>(&again))
      QVERIFY(talked->talk == std::get<PolicyTalked>(event).talk);
  }

  /// Every kind, with what it is when it is made, and those with members that are more than
  /// numbers.
  void commandsSurviveTheFile() {
    std::vector<Command> commands =
        oneOfEach(std::make_index_sequence<std::variant_size_v<Command>>());
    commands.insert(
        commands.end(),
        {RunPhase{SearchPhase::Selection}, PauseAfterPhases{false}, SetImportance{3, 0.125},
         SetTaskMode{3, TaskMode::Pinned}, SetTrialBudget{70}, SetTimeBudget{3600.5},
         SetObjective{{ObjectiveKind::LatencyRequirement, {0.5, 0}, 7}},
         SetSearchOptions{{"evolutionary", "gradient", 4, 0.25, 64, 3, 0.125}},
         MeasureProgram{3, {11, {}}},
         MeasureProgram{
             3,
             {0,
              {AnnotationStep{2, 0, Annotation::Parallel}},
              Trace{Origin::Crossover, {"abc", "def"}, 7, 1, 0.5, PickReason::Random, 2}}},
         SeedWith{3, {0, {AnnotationStep{2, 0, Annotation::Parallel}}}, false},
         Forget{{4, 5}, false}});
    for (const Command& command : commands) {
      const std::string text = toJson(command).dump();
      const Command again = commandFromJson(nlohmann::json::parse(text));
      QVERIFY2(again == command, text.c_str());
      QVERIFY(isCommandName(name(command)));
    }
  }

  void commandsHaveNamesOfTheirOwn() {
    std::set<std::string> names;
    for (const Command& command :
         oneOfEach(std::make_index_sequence<std::variant_size_v<Command>>()))
      names.insert(name(command));
    QCOMPARE(names.size(), std::variant_size_v<Command>);
  }

  void damagedCommandsAreRefused() {
    for (const char* text : {"3", "{}", R"({"command": 3})", R"({"command": "of the future"})",
                             R"({"command": "importance", "task": 3})",
                             R"({"command": "importance", "task": "x", "importance": 1})",
                             R"({"command": "task mode", "task": 3, "mode": "asleep"})",
                             R"({"command": "objective", "objective": {}})",
                             R"({"command": "measure", "task": 3, "program": {}})"})
      QVERIFY_EXCEPTION_THROWN(commandFromJson(nlohmann::json::parse(text)), InputError);
  }

  void unknownEventsAreRefused() {
    QVERIFY_EXCEPTION_THROWN(eventFromJson("of the future", {}), InputError);
  }

  void impossibleSettingsAreRefused() {
    for (const char* name : {"trials_per_round", "population", "generations", "trials"}) {
      nlohmann::json json = toJson(SessionConfig{});
      json[name] = -1;
      QVERIFY_EXCEPTION_THROWN(sessionConfigFromJson(json), InputError);
    }
    nlohmann::json json = toJson(SessionConfig{});
    json["trials_per_round"] = 0;
    QVERIFY_EXCEPTION_THROWN(sessionConfigFromJson(json), InputError);
  }

  void configSurvivesTheFile() {
    SessionConfig config;
    config.subjects = {"resnet18:batch=1,image=224", "bert"};
    config.scheduler = "gradient";
    config.objective = {ObjectiveKind::LatencyRequirement, {0.01, 0}, 7};
    config.trials = 17;
    config.seed = 18446744073709551615ull;
    config.target = "cuda:sm_90";
    config.measure.threads = 3;
    const SessionConfig again = sessionConfigFromJson(nlohmann::json::parse(toJson(config).dump()));
    QCOMPARE(toJson(again).dump(), toJson(config).dump());
    QCOMPARE(again.seed, config.seed);
    const std::set<std::string> kAddedSince = {
        "space",       "templates",       "template_features",
        "plan",        "chains",          "beam",
        "diversity",   "diversity_ratio", "energy",
        "exploration", "history",         "pretrained",
        "update",      "local_per_task",  "local",
        "memory",      "memory_model",    "polish",
        "draft",       "stop_gain",       "ahead"};
    // No choice is left to the program that reads them.
    const nlohmann::json stored = toJson(config);
    for (const auto& [key, unused] : stored.items()) {
      nlohmann::json without = stored;
      without.erase(key);
      if (key == "target") // all that there was before there were several
        QCOMPARE(sessionConfigFromJson(without).target, std::string("llvm"));
      else if (key == "tf32") // the same: nobody was asked
        QVERIFY(!sessionConfigFromJson(without).tf32);
      else if (key == "alternatives") // there were none
        QCOMPARE(sessionConfigFromJson(without).alternatives, std::string("off"));
      else if (key == "machine") // the machine at hand
        QCOMPARE(sessionConfigFromJson(without).machine, std::string());
      else if (key == "seeds") // none were measured first
        QCOMPARE(sessionConfigFromJson(without).seeds, std::string());
      else if (kAddedSince.contains(key)) // sketches were searched, without a trained model
        QCOMPARE(toJson(sessionConfigFromJson(without)).dump(), stored.dump());
      else
        QVERIFY_EXCEPTION_THROWN(sessionConfigFromJson(without), InputError);
    }
    QVERIFY_EXCEPTION_THROWN(sessionConfigFromJson({{"subject", "x"}}), InputError);
  }

  /// Which program measures is said by the person and by no file: what a foreign one says is read
  /// for showing, and in nothing that is written again.
  void aWorkerCommandOfAFileIsAFact() {
    SessionConfig config;
    config.subjects = {"resnet18"};
    nlohmann::json stored = toJson(config);
    QVERIFY(!stored.at("measure").contains("worker_command"));
    QCOMPARE(recordedWorkerCommand(stored), std::string());
    stored["measure"]["worker_command"] = {"/bin/sh", "-c", "touch x"};
    QCOMPARE(toJson(sessionConfigFromJson(stored)).dump(), toJson(config).dump());
    QCOMPARE(recordedWorkerCommand(stored), std::string("/bin/sh -c touch x"));
    stored["measure"]["worker_command"] = "touch x"; // whatever it is, it is no error
    QCOMPARE(toJson(sessionConfigFromJson(stored)).dump(), toJson(config).dump());
    QCOMPARE(recordedWorkerCommand(stored), std::string("\"touch x\""));
    stored["measure"]["worker_command"] = nlohmann::json::array({1, "x"});
    QCOMPARE(recordedWorkerCommand(stored), std::string("1 x"));
  }

  void stateSurvivesTheFile() {
    TuningState state;
    state.round = 4;
    state.tasks[2] = {100, 3, 0.5, {kInfinity, 0.25}, ""};
    state.tasks[9] = {7, 1, 1, {}, "nothing valid"};
    state.tasks[9].mode = TaskMode::Pinned;
    state.tasks[2].roundEnds = {11, 12};
    state.tasks[9].seeds = {{5, {}}, {0, {AnnotationStep{2, 0, Annotation::Parallel}}}};
    state.demands = {{9, {5, {}}}};
    state.demandedTrials = 3;
    state.open = OpenRound{2, 96, 16, {}, 33, 0, 0.25};
    QCOMPARE(toText(tuningStateFromText(toText(state))), toText(state));
    QCOMPARE(toText(tuningStateFromText("")), toText(TuningState{}));
    QVERIFY_EXCEPTION_THROWN(tuningStateFromText("{\"round\": 1}"), InputError);
    TuningState uneven = state; // no round without its end
    uneven.tasks[2].roundEnds = {11};
    QVERIFY_EXCEPTION_THROWN(tuningStateFromText(toText(uneven)), InputError);
    for (const int count : {-1, std::numeric_limits<int>::max()}) { // no round was ever so large
      state.open->count = count;
      QVERIFY_EXCEPTION_THROWN(tuningStateFromText(toText(state)), InputError);
    }
  }

  /// Times of a claim are pairs: whoever judges them relies on that.
  void aClaimWithHalfAPairIsNoState() {
    TuningState state;
    state.open = OpenRound{2, 96, 16, {5, {{1, 2}, {3, 4}}, {1, 2}}, 33};
    state.demandClaim = {6, {{1}, {2}}, {1}};
    QCOMPARE(toText(tuningStateFromText(toText(state))), toText(state));
    TuningState ofRound = state, onDemand = state;
    ofRound.open->claim.pairs.claimant.clear();
    onDemand.demandClaim.pairs.best.push_back(3);
    for (const TuningState& damaged : {ofRound, onDemand})
      QVERIFY_EXCEPTION_THROWN(tuningStateFromText(toText(damaged)), InputError);
  }

  void subjectsAreNamed() {
    const std::vector<std::string> two{"matmul:m=8,n=8,k=8", "matmul:m=16,n=8,k=8"};
    QCOMPARE(resolveSubjects(two).size(), std::size_t(2));
    QCOMPARE(subjectNamed(two, "matmul:m=16,n=8,k=8"), std::size_t(1));
    QVERIFY_EXCEPTION_THROWN(subjectNamed(two, "conv2d"), UsageError);
    QVERIFY_EXCEPTION_THROWN(resolveSubjects({two[0], two[0]}), UsageError);
    QVERIFY_EXCEPTION_THROWN(resolveSubjects({}), UsageError);
    const std::vector<std::string> twins{"resnet18", "resnet18:batch=2", "mobilenet_v2"};
    const std::vector<Subject> subjects = resolveSubjects(twins);
    QVERIFY(subjects[0].name != subjects[1].name);
    QCOMPARE(subjects[2].name, std::string("mobilenet_v2"));
    QCOMPARE(subjectNamed(twins, "mobilenet_v2"), std::size_t(2));
    QCOMPARE(subjectNamed(twins, "resnet18"), std::size_t(0));         // as it was given
    QVERIFY_EXCEPTION_THROWN(subjectNamed(two, "matmul"), UsageError); // both are
    QCOMPARE(subjectNamed({"a/net.onnx:batch=2", "bert"}, "net"), std::size_t(0));
    QCOMPARE(parseSubjectSeconds(twins, "resnet18:batch=2=10ms").subject, std::size_t(1));
    QCOMPARE(parseSubjectSeconds({"bert"}, "2s").seconds, 2.0);
    QVERIFY_EXCEPTION_THROWN(parseSubjectSeconds(twins, "10ms"), UsageError);
    QVERIFY_EXCEPTION_THROWN(parseSubjectSeconds(twins, "mobilenet_v2=soon"), UsageError);
  }

  void choicesThatDoNotGoTogetherAreRefused_data() {
    QTest::addColumn<QString>("scheduler");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QList<double>>("seconds");
    QTest::addColumn<bool>("allowed");
    QTest::newRow("f1") << "round-robin" << 0 << QList<double>{} << true;
    QTest::newRow("f1 with seconds") << "gradient" << 0 << QList<double>{1} << false;
    QTest::newRow("f2") << "gradient" << 1 << QList<double>{1} << true;
    QTest::newRow("f2 in turn") << "round-robin" << 1 << QList<double>{1} << false;
    QTest::newRow("f2 without seconds") << "gradient" << 1 << QList<double>{} << false;
    QTest::newRow("f2 with too many") << "gradient" << 1 << QList<double>{1, 2} << false;
    QTest::newRow("f3") << "gradient" << 2 << QList<double>{} << true;
    QTest::newRow("f4 with seconds") << "gradient" << 3 << QList<double>{1} << false;
  }
  void choicesThatDoNotGoTogetherAreRefused() {
    QFETCH(QString, scheduler);
    QFETCH(int, kind);
    QFETCH(QList<double>, seconds);
    QFETCH(bool, allowed);
    SessionConfig config;
    config.subjects = {"matmul:m=8,n=8,k=8"};
    config.scheduler = scheduler.toStdString();
    config.objective.kind = static_cast<ObjectiveKind>(kind);
    config.objective.networkSeconds.assign(seconds.begin(), seconds.end());
    if (allowed)
      checkConfig(config);
    else
      QVERIFY_EXCEPTION_THROWN(checkConfig(config), UsageError);
  }

  /// No machine holds four terabytes: refused before anything is stored.
  void tasksLargerThanMemoryAreRefused() {
    QTemporaryDir folder;
    RecordStore store =
        RecordStore::open(folder.filePath("large.nwdb").toStdString(), OpenMode::Create);
    SessionConfig config;
    config.subjects = {"matmul:m=8,n=8,k=8", "matmul:m=1048576,n=1048576,k=1"};
    try {
      createSession(store, config);
      QFAIL("accepted");
    } catch (const InputError& error) {
      const QString said = error.what();
      QVERIFY2(said.contains("cannot be tuned here: its tensors need 4.0 TiB") &&
                   said.contains("the largest is 'C' of 1048576 x 1048576 elements with 4.0 TiB"),
               error.what());
    }
    QVERIFY(store.sessions().all().empty());
  }

  void roundRobinTakesTurns() {
    QCOMPARE(choices(threeTasks(), 7), (QList<int>{0, 1, 2, 0, 1, 2, 0}));
  }

  void importanceDoublesTheTurns() {
    std::vector<TaskProgress> tasks = threeTasks();
    tasks[1].importance = 2;
    const QList<int> taken = choices(tasks, 12);
    QCOMPARE(taken.count(1), 6);
    QCOMPARE(taken.count(0), 3);
  }

  /// C6: what found nothing in its warm-up waits while others can use the trials.
  void aTaskWithoutProgramsGivesUpItsTurns() {
    std::vector<TaskProgress> tasks = threeTasks();
    for (TaskProgress& task : tasks)
      task.rounds = 1, task.trials = 8, task.bestSeconds = 1;
    tasks[1].bestSeconds = kInfinity;
    QCOMPARE(choices(tasks, 3), (QList<int>{0, 1, 2})); // 8 trials are no fair try yet
    tasks[1].trials = kWarmupTrials;
    QCOMPARE(choices(tasks, 3), (QList<int>{0, 2, 0}));
    tasks[0].exhausted = tasks[2].exhausted = true;
    QCOMPARE(choices(tasks, 1), (QList<int>{1}));
  }

  void excludedTasksGetNothing() {
    std::vector<TaskProgress> tasks = threeTasks();
    tasks[0].importance = 0;
    tasks[1].exhausted = true;
    QCOMPARE(choices(tasks, 2), (QList<int>{2, 2}));
    tasks[2].exhausted = true;
    QCOMPARE(choices(tasks, 1), (QList<int>{-1}));
  }
};

NW_TEST_APPLESS(SessionValues)

} // namespace nestwright::session_values_test

#include "session_values.moc"

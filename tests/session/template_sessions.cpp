/// Sessions over the configurations of templates, on a made-up machine.

#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/record/care/program_check.h"
#include "core/record/format/record_program.h"
#include "core/record/query/network_best.h"
#include "core/session/crossing/crossing.h"
#include "core/session/recombination/recombination_plan.h"
#include "core/session/run/again/measure_again.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/search_method.h"
#include "core/session/run/task_failure.h"
#include "core/session/run/tuning_state.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/template/plugin_template.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"
#include "tests/tensor/tvm_dags.h"

#include <QTemporaryDir>
#include <QtTest>

#include <memory>
#include <set>

namespace nestwright::template_sessions_test {

using namespace nestwright::made_up;
using nestwright::test::messageOf;
using nestwright::test::says;

/// Of templates, with small plans.
SessionConfig config(const std::string& policy, int trials) {
  SessionConfig config;
  config.space = SearchSpace::Templates;
  config.policy = policy;
  config.model = usualModel(config);
  config.scheduler = "round-robin";
  config.warmup = 0;
  config.trials = trials;
  config.plan = config.trialsPerRound = 8;
  config.chains = 8;
  config.seed = 3;
  return config;
}

std::vector<std::string> policiesHere() {
  std::vector<std::string> policies = {"random", "grid", "genetic"};
#ifdef HAS_COST_MODEL
  policies.insert(policies.end(), {"annealing", "contextual"});
#endif
  return policies;
}

class TemplateSessions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
  }

  void everyPolicyUsesItsBudget_data() { addPolicies(); }
  void everyPolicyUsesItsBudget() {
    QFETCH(std::string, policy);
    const QString path = newPath();
    const RowId id = makeSession(path, config(policy, 60));
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    std::set<std::string> programs;
    for (const Record& record : recordsOf(path)) {
      QVERIFY(ownTemplateConfigOf(record));
      const ComputeDag task = parseDag(store.tasks().one(record.task)->dag);
      const RecordProgram program = recordProgram(task, record);
      QCOMPARE(programId(program.dag, program.steps), record.program);
      QCOMPARE(recordState(task, record).steps(), record.steps);
      programs.insert(record.program);
    }
    QCOMPARE(programs.size(), 60u);
    QVERIFY(store.check().empty());
    const ProgramCheck check = checkPrograms(store, {});
    QVERIFY2(check.problems.empty(), check.problems.empty() ? "" : check.problems[0].c_str());
  }

  /// On a GPU the templates are those for GPUs, and what it cannot run is never measured.
  void searchesTemplatesOfAGpu_data() { addPolicies(); }
  void searchesTemplatesOfAGpu() {
    QFETCH(std::string, policy);
    const QString path = newPath();
    SessionConfig settings = config(policy, 24);
    settings.target = "cuda:sm_90";
    settings.subjects = {"conv2d:n=1,h=14,w=14,ci=16,co=32,k=3,s=1,p=1,relu=1"};
    const TargetFacts facts = targetNamed(settings.target);
    RowId id = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      id = createSession(store, settings, facts);
    }
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const std::vector<Record> records = recordsOf(path);
    QCOMPARE(records.size(), 24u);
    for (const Record& record : records) {
      const std::optional<TemplateConfig> of = ownTemplateConfigOf(record);
      QVERIFY(of);
      QCOMPARE(of->kind, std::string("conv2d_nchw.cuda"));
      const ComputeDag task = parseDag(store.tasks().one(record.task)->dag);
      QVERIFY(
          !illegality(recordState(task, record), spaceOptionsFor(facts), KernelLimits::Templates));
    }
  }

  /// Cut off again and again, each time by a new process's worth of state, a session decides as one
  /// that never was (C25): chains, plans and generations go on where they stood.
  void interruptionsChangeNothing_data() { addPolicies(); }
  void interruptionsChangeNothing() {
    QFETCH(std::string, policy);
    const QString whole = newPath(), broken = newPath();
    SessionConfig settings = config(policy, 60);
    settings.plan = 12; // rounds take parts of it
    const RowId idWhole = makeSession(whole, settings), idBroken = makeSession(broken, settings);
    QCOMPARE(runToEnd(whole, idWhole), SessionStatus::Finished);
    int lives = 0;
    for (bool finished = false; !finished; ++lives) {
      QVERIFY(lives < 200);
      std::atomic<Session*> self{nullptr};
      Session session(
          broken.toStdString(), idBroken, [](const Event&) {}, cutOffAfter(3 + lives % 5, self));
      self = &session;
      session.post(Start{});
      finished = session.wait() == SessionStatus::Finished;
    }
    QVERIFY(lives > 5);
    const QStringList found = decisions(broken, idBroken), expected = decisions(whole, idWhole);
    for (qsizetype i = 0; i < std::min(found.size(), expected.size()); ++i)
      if (found[i] != expected[i]) {
        qWarning() << found[i] << expected[i];
        break;
      }
    QCOMPARE(found, expected);
  }

  /// A claim that is settled gives a program another time, ten times as long here. It is known to a
  /// search that went on since it read the first one, as to one that was never interrupted.
  void settledClaimsAreKnown() {
    const auto slowerAgain = [](int programs, const std::atomic<Session*>& session) {
      return MeasureFunction([left = programs, &session](const auto& requests, const auto& onResult,
                                                         const auto*) mutable {
        for (const MeasureRequest& request : requests) {
          MeasureResult result = madeUpResult(request);
          // So close that every one below the best is a claim.
          for (double& seconds : result.seconds)
            if (!request.naive) seconds = (0.8e-3 + seconds / 55) * (request.repeats > 0 ? 10 : 1);
          if (left-- <= 0) {
            result = {};
            result.id = request.id;
            result.verdict = Verdict::Cancelled;
          }
          onResult(result);
        }
        if (left < 0) session.load()->post(Pause{});
      });
    };
    SessionConfig settings = config("genetic", 160);
    settings.trialsPerRound = 20;
    const auto live = [&](const QString& path, RowId id, int programs) {
      std::atomic<Session*> self{nullptr};
      Session session(
          path.toStdString(), id, [](const Event&) {}, slowerAgain(programs, self));
      self = &session;
      session.post(Start{});
      return session.wait();
    };
    const QString whole = newPath();
    const RowId idWhole = makeSession(whole, settings, {64});
    QCOMPARE(live(whole, idWhole, 1 << 30), SessionStatus::Finished);
    QVERIFY(eventsOf<ClaimSettled>(whole, idWhole).size() > 5);
    // Cut off in the last round of the first generation, whose programs become parents after it.
    for (const int programs : {132, 136, 140, 144}) {
      const QString broken = newPath();
      const RowId idBroken = makeSession(broken, settings, {64});
      QCOMPARE(live(broken, idBroken, programs), SessionStatus::Paused);
      QCOMPARE(live(broken, idBroken, 1 << 30), SessionStatus::Finished);
      QCOMPARE(decisions(broken, idBroken), decisions(whole, idWhole));
    }
  }

  /// What another policy remembers is nothing to go on from.
  void aStateOfAnotherPolicyIsLeftAside() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("genetic", 16), {16});
    RowId task = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      task = store.sessions().tasks(id).front().id;
      TuningState state;
      state.tasks[task].policyState = "what only that one understands";
      state.tasks[task].statePolicy = "hill_climbing";
      SessionRow row = *store.sessions().one(id);
      row.schedulerState = toText(state);
      store.sessions().update(row);
    }
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const TuningState state = tuningStateFromText(store.sessions().one(id)->schedulerState);
    QCOMPARE(state.tasks.at(task).statePolicy, std::string("genetic"));
    QVERIFY(nlohmann::json::accept(state.tasks.at(task).policyState));
  }

  /// Configurations have no sketch in common that could be at fault.
  void aWrongConfigurationSaysNothingOfOthers() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("random", 80), {16});
    int wrong = 0, again = 0;
    const auto machine = [&](const auto& requests, const auto& onResult, const auto*) {
      for (const MeasureRequest& request : requests) {
        MeasureResult result = madeUpResult(request);
        again += request.onlyCheck;
        if (result.checked && !request.naive && ++wrong % 3 == 0) {
          result.verdict = Verdict::WrongAnswer;
          result.error = "differs from the naive program";
          result.checked = false;
        }
        onResult(result);
      }
    };
    {
      Session session(
          path.toStdString(), id, [](const Event&) {}, machine);
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QVERIFY(wrong > 6);
    QCOMPARE(again, 0);
    QVERIFY(eventsOf<AnswersCompared>(path, id).empty());
    std::set<Verdict> verdicts;
    for (const Record& record : recordsOf(path))
      verdicts.insert(record.result.verdict);
    QCOMPARE(verdicts, (std::set<Verdict>{Verdict::Ok, Verdict::WrongAnswer, Verdict::RunError}));
  }

  /// Each task has a model of its own; after its first round plans are made by it.
  void learnsTaskByTask() {
#ifndef HAS_COST_MODEL
    QSKIP("the cost models' plugin is not built");
#endif
    const QString path = newPath();
    const RowId id = makeSession(path, config("contextual", 64), {16, 32});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    std::map<RowId, int> learned;
    for (const ModelUpdated& update : eventsOf<ModelUpdated>(path, id)) {
      QVERIFY(update.task != 0);
      QCOMPARE(update.programs, std::size_t(8 * ++learned[update.task]));
    }
    QCOMPARE(learned.size(), 2u);
    std::map<RowId, int> planned;
    for (const ConfigsPlanned& plan : eventsOf<ConfigsPlanned>(path, id)) {
      ++planned[plan.task];
      QCOMPARE(plan.plan.byScore + plan.plan.atRandom, 8);
      QVERIFY(plan.plan.epsilon > 0 && plan.plan.epsilon <= 1);
      QVERIFY(!plan.plan.moments.empty());
    }
    for (const auto& [task, rounds] : learned)
      QCOMPARE(planned[task], rounds - 1); // the first is random
    for (const Record& record : recordsOf(path)) {
      const Trace trace = *traceOf(record);
      QCOMPARE(trace.predictedDeviation.has_value(), trace.round > 2);
    }
  }

  void aTaskWithoutATemplateTakesNoTrials() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("random", 20), {16});
    RowId odd = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      const TaskRow first = store.sessions().tasks(id).front();
      const ComputeDag dag = test::maxPool();
      odd = store.tasks().add(
          {0, 0, first.target, 1, workloadKey(dag), "max pool", print(dag), 1.0, flops(dag)});
      store.sessions().setTasks(id, {first.id, odd});
    }
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    for (const Record& record : recordsOf(path))
      QVERIFY(record.task != odd);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(20));
    const std::vector<UntunedTask> untuned = untunedTasks(store, id);
    QCOMPARE(untuned.size(), 1u);
    QCOMPARE(std::string(kindOf(untuned[0])), "lacks_template");
    QVERIFY2(untuned[0].reason.starts_with("no template fits: "), untuned[0].reason.c_str());
    QCOMPARE(store.tasks().summary(odd).naiveSeconds, 0.0);
  }

  /// A plugin's template is searched as ours are; without the plugin neither its session goes on
  /// nor a program is made, and both say what is missing.
  void searchesWhatPluginsBring() {
    useTemplatesOfPlugins();
    const QString path = newPath();
    SessionConfig settings = config("annealing", 24);
    settings.templates = "dense_rows.example_template";
    const RowId id = makeSession(path, settings, {16});
    {
      std::atomic<Session*> self{nullptr};
      Session session(
          path.toStdString(), id, [](const Event&) {}, cutOffAfter(16, self));
      self = &session;
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
    }
    const std::vector<Record> records = recordsOf(path);
    QVERIFY(!records.empty() && records.size() < 24u);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const ComputeDag task = parseDag(store.tasks().one(records[0].task)->dag);
    for (const Record& record : records) {
      QCOMPARE(ownTemplateConfigOf(record)->kind, std::string("dense_rows.example_template"));
      const RecordProgram program = recordProgram(task, record);
      QCOMPARE(programId(program.dag, program.steps), record.program);
    }
    setTemplateSource(nullptr);
    const char* const missing = "the plugin example_template brings it";
    QVERIFY(says(messageOf([&] { recordProgram(task, records[0]); }), missing));
    std::string reason;
    const auto listen = [&](const Event& event) {
      if (const auto* state = std::get_if<StateChanged>(&event)) reason = state->reason;
    };
    QVERIFY(runToEnd(path, id, listen) != SessionStatus::Finished);
    QVERIFY(says(reason, missing));
    useTemplatesOfPlugins(); // it is there again
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    QCOMPARE(recordsOf(path).size(), 24u);
    setTemplateSource(nullptr);
  }

  void aSpaceEnds() {
    const QString path = newPath();
    SessionConfig settings = config("random", 100'000);
    settings.trialsPerRound = 100;
    const RowId id = makeSession(path, settings, {2});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const std::vector<TaskExhausted> ends = eventsOf<TaskExhausted>(path, id);
    QCOMPARE(ends.size(), 1u);
    QVERIFY2(ends[0].reason.starts_with("all "), ends[0].reason.c_str());
  }

  /// In a network nobody lays out tensors for a template; what else reads records passes over or
  /// refuses.
  void networksPassOver() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("random", 16), {16});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const RowId task = store.sessions().tasks(id).front().id;
    const NetworkBest best = networkBest(store, task);
    QVERIFY(!best.record);
    QCOMPARE(best.passedOver, store.records().best(task)->id);
    QVERIFY(fastestPrograms(store, task, 3, 0).empty());
    QVERIFY(fastestPrograms(store, task, 3, id).empty());
    CrossingConfig crossing;
    crossing.session = id;
    crossing.task = task;
    crossing.records = {best.passedOver};
    QVERIFY(says(messageOf([&] { crossingParents(store, crossing); }), "is a template's program"));
  }

  void measuresWhatPeopleName() {
    const QString path = newPath();
    SessionConfig settings = config("random", 16);
    const RowId id = makeSession(path, settings, {16});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const Record first = recordsOf(path).front();
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureAll);
    session.post(MeasureProgram{first.task, {first.id, {}}});
    session.post(SeedWith{first.task, {first.id, {}}, true});
    QTRY_COMPARE(recordsOf(path).size(), 17u);
    const Record again = recordsOf(path).back();
    QVERIFY(again.onDemand);
    QCOMPARE(again.program, first.program);
    QCOMPARE(again.steps, first.steps);
    QCOMPARE(ownTemplateConfigOf(again), ownTemplateConfigOf(first));
    QTRY_COMPARE(eventsOf<SeedChanged>(path, id).size(), 1u);
  }

  /// A search over sketches cannot start from a configuration, nor the other way round.
  void seedsAreOfTheSpace() {
    const QString path = newPath();
    const RowId templates = makeSession(path, config("random", 8), {16});
    QCOMPARE(runToEnd(path, templates), SessionStatus::Finished);
    SessionConfig sketches;
    sketches.trials = 8;
    const RowId other = makeSession(path, sketches, {16});
    QCOMPARE(runToEnd(path, other), SessionStatus::Finished);
    const auto refusal = [&](RowId session, RowId record, RowId task) {
      std::string reason;
      Session running(
          path.toStdString(), session,
          [&](const Event& event) {
            if (const auto* refused = std::get_if<CommandRefused>(&event)) reason = refused->reason;
          },
          measureAll);
      running.post(SeedWith{task, {record, {}}, true});
      running.post(Start{});
      running.wait();
      return reason;
    };
    const Record configuration = recordsOf(path, templates).front();
    const Record program = recordsOf(path, other).front();
    QVERIFY(says(refusal(templates, program.id, configuration.task), "is none of them"));
    QVERIFY(says(refusal(other, configuration.id, program.task),
                 "cannot start from a program of the template"));
  }

  void isMeasuredAgain() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("random", 12), {16});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    RowId again = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      AgainWish wish;
      wish.query.session = id;
      wish.anew = true;
      again = openMeasureAgain(store, wish, hostTarget(2)).session;
    }
    QCOMPARE(runToEnd(path, again), SessionStatus::Finished);
    const std::vector<Record> before = recordsOf(path, id), now = recordsOf(path, again);
    QCOMPARE(now.size(), before.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      QCOMPARE(now[i].program, before[i].program);
      QCOMPARE(ownTemplateConfigOf(now[i]), ownTemplateConfigOf(before[i]));
      QCOMPARE(traceOf(now[i])->source, before[i].id);
    }
  }

  /// A recorded machine answers for configurations by the programs that they give.
  void isRecorded() {
    const QString recording = newPath(), path = newPath();
    SessionConfig settings = config("grid", 100'000);
    settings.trialsPerRound = 200;
    settings.confirmBest = false;
    const std::vector<std::string> subjects = {"matmul:m=8,n=8,k=4"};
    const auto create = [&](const QString& file, SessionConfig of) {
      of.subjects = subjects;
      of.measure.threads = 2;
      RecordStore store = RecordStore::open(file.toStdString(), OpenMode::Create);
      return of.machine.empty() ? createSession(store, of, hostTarget(2))
                                : createSession(store, of, WorkerLaunch{});
    };
    QCOMPARE(runToEnd(recording, create(recording, settings)), SessionStatus::Finished);
    SessionConfig replay = config("genetic", 40);
    replay.machine = "recorded:" + recording.toStdString();
    const RowId id = create(path, replay);
    {
      Session session(path.toStdString(), id, [](const Event&) {});
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QCOMPARE(recordsOf(path).size(), 40u);
    for (const Record& record : recordsOf(path))
      QVERIFY(record.result.verdict != Verdict::NotRecorded);
  }

  void whatDoesNotGoTogetherIsSaid() {
    const auto refusal = [](SessionConfig config) {
      config.subjects = {"matmul:m=16,n=16,k=16"};
      return messageOf([&] { checkConfig(config); });
    };
    SessionConfig sketches;
    sketches.policy = "contextual";
    QVERIFY(says(refusal(sketches), "searches the configurations of templates, and this session "
                                    "sketches"));
    QVERIFY(says(refusal(config("evolutionary", 8)), "searches sketches, and this session "
                                                     "templates: there it may be random"));
    SessionConfig good = config("random", 8);
    const auto with = [&](const auto& change) {
      SessionConfig changed = good;
      change(changed);
      return refusal(changed);
    };
    QVERIFY(says(with([](auto& c) { c.plan = 0; }), "a plan has from 1"));
    QVERIFY(says(with([](auto& c) { c.population = 1; }), "a population has from 2"));
    QVERIFY(says(with([](auto& c) { c.generations = 0; }), "evolution breeds from 1"));
    QVERIFY(says(with([](auto& c) { c.chains = 0; }), "from 1 to"));
    QVERIFY(says(with([](auto& c) { c.diversity = -1; }), "at least 0, not -1"));
    QVERIFY(says(with([](auto& c) { c.diversityRatio = 0.5; }), "times as many, not 0.5"));
    QVERIFY(says(with([](auto& c) { c.epsilon = 2; }), "between 0 and 1, not 2"));
    QVERIFY(says(with([](auto& c) { c.templates = "dense_pack.x86,magic"; }),
                 "there is no template \"magic\""));
    QVERIFY(says(with([](auto& c) { c.templateFeatures = "smell"; }), "itervar"));
    // Before anybody looks for a GPU, and before a file is made.
    QVERIFY(says(with([](auto& c) { c.templates = "conv2d_NCHWc.x86"; }),
                 "there is no template to search"));
    SessionConfig beam;
    beam.policy = "beam";
    beam.target = "cuda:sm_90";
    QVERIFY(says(refusal(beam), "the policy beam grows programs for processors"));
    beam.target = "llvm";
    QCOMPARE(refusal(beam), std::string());
#ifdef HAS_COST_MODEL
    SessionConfig trees = config("annealing", 8);
    trees.templateFeatures = "tree";
    QVERIFY(says(refusal(trees), "autotvm cannot read the template features tree"));
    trees.model = "treegru";
    QCOMPARE(refusal(trees), std::string());
    trees.templateFeatures = "itervar";
    QVERIFY(says(refusal(trees), "reads the template features tree, and not itervar"));
    QCOMPARE(usualTemplateFeatures(trees), std::string("tree"));
    for (const char* model : {"autotvm", "forest", "treegru"}) {
      SessionConfig ofSketches;
      ofSketches.policy = "evolutionary";
      ofSketches.model = model;
      QVERIFY(says(refusal(ofSketches), "reads configurations of templates"));
    }
    SessionConfig unsure = config("contextual", 8);
    unsure.model = "autotvm";
    QVERIFY(says(refusal(unsure), "knows how sure it is"));
    unsure.model = "xgboost";
    QVERIFY(says(refusal(unsure), "reads statements"));
#endif
  }

  /// As the papers have them; and whatever is stored is read again (C43).
  void methodsSetWhatBelongsTogether() {
    SessionConfig mine;
    mine.trials = 77;
    const SessionConfig ansor = withMethod(mine, "ansor"), autotvm = withMethod(mine, "autotvm"),
                        adatune = withMethod(mine, "adatune");
    QCOMPARE(ansor.policy, "evolutionary");
    QCOMPARE(ansor.space, SearchSpace::Sketches);
    QCOMPARE(ansor.trialsPerRound, 64);
    QCOMPARE(autotvm.policy, "annealing");
    QCOMPARE(autotvm.model, "autotvm");
    QCOMPARE(autotvm.plan, 64);
    QCOMPARE(autotvm.chains, 128);
    QCOMPARE(adatune.policy, "contextual");
    QCOMPARE(adatune.model, "forest");
    QCOMPARE(adatune.plan, 32);
    QCOMPARE(adatune.trialsPerRound, 32);
    QCOMPARE(adatune.chains, 64);
    QCOMPARE(toText(adatune.measure.evaluator),
             "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch");
    for (const SessionConfig& one : {ansor, autotvm, adatune}) {
      QCOMPARE(one.trials, std::int64_t(77));
      QCOMPARE(toJson(sessionConfigFromJson(toJson(one))), toJson(one));
    }
    QVERIFY(says(messageOf([&] { withMethod(mine, "alchemy"); }), "ansor, autotvm, adatune"));
    // Sessions from before there were templates searched sketches.
    nlohmann::json old = toJson(mine);
    for (const char* key : {"space", "templates", "template_features", "plan", "chains",
                            "diversity", "diversity_ratio", "energy", "exploration"})
      old.erase(key);
    QCOMPARE(toJson(sessionConfigFromJson(old)), toJson(mine));
    for (const char* key : {"plan", "chains"}) {
      nlohmann::json damaged = toJson(mine);
      damaged[key] = -3;
      QVERIFY_THROWS_EXCEPTION(InputError, sessionConfigFromJson(damaged));
    }
    for (const std::string key : {"space", "energy", "exploration", "ahead"}) {
      nlohmann::json damaged = toJson(mine);
      damaged[key] = "moon";
      QVERIFY(says(messageOf([&] { sessionConfigFromJson(damaged); }), "impossible: " + key));
    }
  }

 private:
  static void addPolicies() {
    QTest::addColumn<std::string>("policy");
    for (const std::string& policy : policiesHere())
      QTest::addRow("%s", policy.c_str()) << policy;
  }
  QString newPath() {
    return folder_->filePath(QStringLiteral("%1.nwdb").arg(++files_));
  }

  std::unique_ptr<QTemporaryDir> folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(TemplateSessions)

} // namespace nestwright::template_sessions_test

#include "template_sessions.moc"

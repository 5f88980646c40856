/// Sessions that begin with a trained model: what it scores, what becomes of it, and the same
/// decisions however often they are cut off and whatever becomes of the model's file.

#include "core/dataset/recorded_data.h"
#include "core/feature/program_features.h"
#include "core/model/sealed_model.h"
#include "core/plugin/plugin.h"
#include "core/record/store/model_rows.h"
#include "core/session/crossing/impartial_judges.h"
#include "core/session/insight/explain_score.h"
#include "core/session/insight/session_models.h"
#include "core/session/insight/trained_model.h"
#include "core/session/run/pretrained/model_knowledge.h"
#include "core/session/run/pretrained/model_named.h"
#include "core/session/run/pretrained/model_threads.h"
#include "core/session/run/pretrained/pretrained_model.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/search_survey.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>
#include <memory>
#include <numeric>
#include <thread>

namespace nestwright::pretrained_sessions_test {

using namespace nestwright::made_up;
using nestwright::test::messageOf;
using nestwright::test::says;

const std::string kSubject = "matmul:m=32,n=32,k=64";
const std::vector<std::string> kOthers = {"matmul:m=16,n=64,k=64", "matmul:m=64,n=16,k=64"};

SessionConfig config(std::vector<std::string> subjects, int trials) {
  SessionConfig config;
  config.subjects = std::move(subjects);
  config.policy = "evolutionary";
  config.scheduler = "round-robin";
  config.features = "paper";
  config.warmup = 16;
  config.trials = trials;
  config.trialsPerRound = 16;
  config.population = 128;
  config.generations = 2;
  config.seed = 3;
  config.measure.threads = 2;
  config.confirmBest = false;
  return config;
}

class PretrainedSessions : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

 private Q_SLOTS:
  void initTestCase() {
    // A model of other products, as a session has learned it.
    const QString path = whole_.filePath("others.nwdb");
    const RowId id = made(path, config(kOthers, 192));
    QCOMPARE(runOn(path, id), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    file_.model = "xgboost";
    file_.features = "paper";
    file_.choice.files = {path.toStdString()};
    file_.target = hostTarget(2).id();
    file_.targetText = "AVX-512";
    for (const Subject& subject : resolveSubjects(kOthers))
      for (const SubjectTask& task : subject.tasks) {
        file_.tasks.insert(definitionHash(task.dag));
        file_.kinds.insert(kindHash(task.dag));
      }
    file_.bytes = store.models().of(id, "xgboost").value();
    model_ = whole_.filePath("others.nwm");
    write(model_, modelFileBytes(file_));
  }
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  /// Without a warm-up: the first round is the model's choice, and better than a random one.
  void theFirstRoundIsTheModels() {
    const QString with = newPath(), without = newPath();
    const RowId first = made(with, beginning("none", 32));
    const RowId second = made(without, config({kSubject}, 32));
    QCOMPARE(runOn(with, first), SessionStatus::Finished);
    QCOMPARE(runOn(without, second), SessionStatus::Finished);
    QVERIFY2(meanOf(with, 1) < 0.8 * meanOf(without, 1),
             qPrintable(QString("%1 %2").arg(meanOf(with, 1)).arg(meanOf(without, 1))));
    QVERIFY(tracesOf(with, 1).front().predictedScore.has_value());
    QVERIFY(!tracesOf(without, 1).front().predictedScore.has_value());
  }

  /// Which parts of the model ranked a round is told with it and with each of its programs (C39).
  void eachRoundSaysWhoRankedIt_data() {
    QTest::addColumn<std::string>("update");
    QTest::addColumn<std::string>("later");
    QTest::newRow("none") << std::string("none") << std::string("base");
    QTest::newRow("local") << std::string("local") << std::string("base + local");
    QTest::newRow("fine-tune") << std::string("fine-tune") << std::string("fine-tuned");
    QTest::newRow("retrain") << std::string("retrain") << std::string("base + retrained");
  }
  void eachRoundSaysWhoRankedIt() {
    QFETCH(std::string, update);
    QFETCH(std::string, later);
    const QString path = newPath();
    SessionConfig settings = beginning(update, 80);
    settings.warmup = 20; // two rounds
    const RowId id = made(path, settings);
    QCOMPARE(runOn(path, id), SessionStatus::Finished);
    const std::vector<ModelUpdated> updates = eventsOf<ModelUpdated>(path);
    QCOMPARE(updates.size(), std::size_t(5));
    for (const ModelUpdated& event : updates) {
      QVERIFY(event.trained);
      QVERIFY(event.ranked > 0);
      const std::string expected = event.round <= 2 ? "base" : later;
      QCOMPARE(event.ranking, expected);
      std::size_t ranked = 0;
      for (const Trace& trace : tracesOf(path, event.round)) {
        QCOMPARE(trace.ranking, trace.predictedScore ? expected : std::string());
        ranked += trace.predictedScore.has_value();
      }
      QVERIFY(ranked > 0);
    }
    QCOMPARE(updates.back().kind == "skipped", update == "none");
    // It explains itself, and judges the parents of crosses.
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const ExplainedScore explained = explainScore(store, fastestOf(store, id));
    QCOMPARE(explained.ranking, later);
    QVERIFY(!contributions(explained.explanation).empty());
    double parts = biasOf(explained.explanation);
    for (const Contribution& part : contributions(explained.explanation))
      parts += part.added;
    QVERIFY(std::abs(parts - explained.explanation.score) < 1e-3);
    const std::vector<double> byRow = explained.explanation.byRow();
    QCOMPARE(byRow.size(), explained.shown.statements.size());
    QVERIFY(std::abs(std::accumulate(byRow.begin(), byRow.end(), biasOf(explained.explanation)) -
                     explained.explanation.score) < 1e-3);
    QVERIFY(!savedModel(store, id).model->importance().empty());
    const Record fastest = fastestOf(store, id);
    const Judges judges = impartialJudges(store, configOf(store.sessions().all().front()),
                                          {id, fastest.task, {fastest.program}});
    QCOMPARE(judges.refusal, std::string());
    QCOMPARE(judges.of.size(), std::size_t(1));
    const TrainedModel named = trainedModel(path.toStdString());
    QCOMPARE(named.learnedFrom->size(), std::size_t(3)); // two before, and the session's
    const std::vector<SessionModel> listed = sessionModels(store);
    QCOMPARE(listed.size(), std::size_t(1));
    QCOMPARE(listed.front().problem, std::string());
  }

  /// What of the steps a model does not know is told, once in a session, however often it is cut
  /// off.
  void unknownStepsAreToldOnce() {
    PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    std::erase_if(vocabulary.kinds, [](const PrimitiveKind& kind) { return kind.tag == "SP"; });
    const PrimitiveShape shape = publishedShape(vocabulary, false);
    ModelFile file = file_;
    file.choice.features = file.features = stepFeaturesText({vocabulary, shape});
    const auto model = costModel(file.model);
    model->update(readData(openFiles(file.choice), file.choice).set);
    file.bytes = model->save();
    SessionConfig settings = beginning("none", 64);
    settings.pretrained = folder_->filePath("steps.nwm").toStdString();
    write(folder_->filePath("steps.nwm"), modelFileBytes(file));
    const QString path = newPath();
    const Lives lives = runInPieces(path, made(path, settings), 7, 5, measureTiles);
    QCOMPARE(lives.status, SessionStatus::Finished);
    std::vector<std::string> told;
    for (const ModelUpdated& event : eventsOf<ModelUpdated>(path))
      if (!event.unseen.empty()) told.push_back(event.unseen);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(says(told.front(), "the model knows no such steps: SP ("), told.front().c_str());
  }

  /// Cut off again and again, and the model's file deleted: it decides as one that never was (C25).
  void interruptionsAndLostFilesChangeNothing_data() {
    QTest::addColumn<std::string>("update");
    QTest::addColumn<bool>("perTask");
    for (const char* update : {"none", "local", "fine-tune", "retrain"})
      QTest::newRow(update) << std::string(update) << false;
    QTest::newRow("local, a model a task") << std::string("local") << true;
  }
  void interruptionsAndLostFilesChangeNothing() {
    QFETCH(std::string, update);
    QFETCH(bool, perTask);
    const QString copy = folder_->filePath("copy.nwm");
    QVERIFY(QFile::copy(model_, copy));
    SessionConfig settings = beginning(update, 112);
    settings.subjects = {kSubject, "matmul:m=64,n=64,k=32"};
    settings.localPerTask = perTask;
    settings.pretrained = copy.toStdString();
    const QString whole = newPath(), broken = newPath();
    const RowId idWhole = made(whole, settings), idBroken = made(broken, settings);
    QVERIFY(QFile::remove(copy));
    QCOMPARE(runOn(whole, idWhole), SessionStatus::Finished);
    const Lives lives = runInPieces(broken, idBroken, 7, 5, measureTiles);
    QCOMPARE(lives.status, SessionStatus::Finished);
    QVERIFY(lives.count > 5);
    QCOMPARE(decisions(broken, idBroken), decisions(whole, idWhole));
  }

  /// Where answers turn out wrong the session learns anew, from the trained model on.
  void whatIsForgottenIsNotTheBase() {
    const QString path = newPath();
    const RowId id = made(path, beginning("local", 80));
    Session session(
        path.toStdString(), id, [](const Event&) {}, wrongAnswer(40));
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const KeptPretrained kept = keptPretrained(store.models().of(id, "xgboost").value());
    QCOMPARE(modelFileFrom(kept.file).bytes, file_.bytes);
    const std::vector<ModelUpdated> updates = eventsOf<ModelUpdated>(path);
    QVERIFY(!updates.empty());
    for (const ModelUpdated& event : updates)
      QVERIFY(event.trained);
  }

  void theModelSaysWhatItReads() {
    const QString path = newPath();
    SessionConfig settings = beginning("none", 16);
    settings.features = "paper,lowered"; // of the session, had it none
    const RowId id = made(path, settings);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const SessionConfig stored = configOf(store.sessions().all().front());
    QCOMPARE(stored.features, "paper");
    QCOMPARE(stored.model, "xgboost");
    QCOMPARE(stored.update, "none");
    QCOMPARE(stored.pretrained, model_.toStdString());
    QVERIFY(savedModel(store, id).model->trained()); // before the first round
    nlohmann::json old = toJson(stored);             // of a document from before all this
    for (const char* key : {"pretrained", "update", "local_per_task", "local"})
      old.erase(key);
    QVERIFY(sessionConfigFromJson(old).pretrained.empty());
    old["update"] = "alchemy";
    QVERIFY(says(messageOf([&] { sessionConfigFromJson(old); }), "impossible: update"));
  }

  void unusableModelsAreRefusedAndChangeNothing() {
    const QString path = newPath();
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    const auto refusal = [&](const std::string& bytes) {
      const QString file = folder_->filePath("model.nwm");
      write(file, bytes);
      SessionConfig settings = beginning("local", 16);
      settings.pretrained = file.toStdString();
      const std::string problem = messageOf([&] { createSession(store, settings, hostTarget(2)); });
      return surveySearch(settings).pretrainedProblem.empty() ? "the survey sees nothing" : problem;
    };
    const auto changed = [&](const auto& change) {
      ModelFile file = file_;
      change(file);
      return modelFileBytes(file);
    };
    QVERIFY(says(refusal(changed([](ModelFile& file) { file.model = "autotvm"; })),
                 "scores the configurations of templates"));
    QVERIFY(says(refusal(changed([](ModelFile& file) { file.target = "cuda-sm_90-132sm-abc"; })),
                 "is for GPUs"));
    QVERIFY(says(refusal(changed([](ModelFile& file) { file.features = "lowered"; })),
                 "of another version"));
    QVERIFY(says(refusal(changed([](ModelFile& file) { file.features = "dreams"; })),
                 "features that this version does not make"));
    QVERIFY(says(refusal(changed([](ModelFile& file) { file.bytes.clear(); })),
                 "has not been trained"));
    std::string damaged = modelFileBytes(file_);
    damaged[damaged.size() / 2] ^= 1;
    QVERIFY(says(refusal(damaged), "cut off or altered"));
    QVERIFY(says(refusal("{}"), "no file of a trained model"));
    SessionConfig settings = beginning("local", 16);
    settings.pretrained = "/nowhere/model.nwm";
    QVERIFY(says(messageOf([&] { createSession(store, settings, hostTarget(2)); }),
                 "/nowhere/model.nwm: there is no such file"));
    QVERIFY(store.sessions().all().empty());
    QVERIFY(store.tasks().all().empty());
    // Another target of the same kind is no reason.
    QCOMPARE(refusalOf(store, [](ModelFile& file) { file.target = "llvm-64c-abcdef12"; }), "");
  }

  /// What a session learned is a model like that of a file.
  void aSessionsModelBeginsOthers() {
    const std::string others = file_.choice.files.front();
    SessionConfig settings = beginning("none", 16);
    settings.pretrained = others + "#1";
    QCOMPARE(surveySearch(settings).pretrainedProblem, std::string());
    const QString path = newPath();
    const RowId id = made(path, settings);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const ModelFile begun = modelBegunWith(store, id).value();
    QCOMPARE(begun.bytes, file_.bytes);
    QCOMPARE(begun.features, file_.features);
    QVERIFY(begun.tasks == file_.tasks && begun.kinds == file_.kinds);
    QCOMPARE(begun.target,
             RecordStore::open(others, OpenMode::ReadOnly).targets().all().front().key);
    QCOMPARE(configOf(sessionRow(store, id)).model, "xgboost");
    QCOMPARE(modelNamed(others).bytes, file_.bytes); // the newest
    QCOMPARE(modelNamed(model_.toStdString()).bytes, file_.bytes);
    QVERIFY(says(messageOf([&] { modelNamed(others + "#two"); }), "names no session"));
    QVERIFY(!messageOf([&] { modelNamed(others + "#9"); }).empty());
    QVERIFY(!modelBegunWith(RecordStore::open(others, OpenMode::ReadOnly), 1));
  }

  /// Of one that began with a trained model, where there is a single model to take.
  void whatASessionMadeOfATrainedModelIsTakenOut() {
    const auto learned = [&](const std::string& update) {
      const QString path = newPath();
      const RowId id = made(path, beginning(update, 48));
      return runOn(path, id) == SessionStatus::Finished ? path.toStdString() : "it failed";
    };
    QCOMPARE(modelFileBytes(modelNamed(learned("none"))), modelFileBytes(file_));
    const ModelFile tuned = modelNamed(learned("fine-tune"));
    QVERIFY(tuned.bytes != file_.bytes);
    QCOMPARE(tuned.tasks.size(), std::size_t(3)); // two before, and the session's
    requireUsable(tuned, hostTarget(2));
    for (const char* update : {"local", "retrain"})
      QVERIFY(says(messageOf([&] { modelNamed(learned(update)); }), "no single file holds both"));
  }

  void whatDoesNotGoTogetherIsSaid() {
    const auto refusal = [&](const auto& change) {
      SessionConfig settings = beginning("local", 16);
      change(settings);
      return messageOf([&] { checkConfig(settings); });
    };
    QVERIFY(says(refusal([](SessionConfig& c) { c.policy = "random"; }), "the policy random asks"));
    QVERIFY(says(refusal([](SessionConfig& c) {
                   c.space = SearchSpace::Templates;
                   c.policy = "annealing";
                   c.model = "autotvm";
                 }),
                 "searches the configurations of templates"));
    QVERIFY(says(refusal([](SessionConfig& c) { c.update = "alchemy"; }),
                 "none, local, fine-tune, retrain"));
    QVERIFY(says(refusal([](SessionConfig& c) { c.local = "forest"; }), "is trees or mlp"));
    QVERIFY(says(refusal([](SessionConfig& c) {
                   c.localPerTask = true;
                   c.update = "none";
                 }),
                 "belongs to a trained model with the update local"));
    QCOMPARE(refusal([](SessionConfig&) {}), std::string());
  }

  void networksOfSessionsHaveAllProcessors() {
    const int all = hostTarget().cores;
    QCOMPARE(withThreads("mlp", {{"warmup", 3}}).dump(),
             nlohmann::json({{"warmup", 3}, {"threads", all}}).dump());
    QVERIFY(withThreads("treegru").contains("threads"));
    QVERIFY(!withThreads("xgboost").contains("threads"));
  }

  void theSentenceSaysWhatItKnows() {
    const auto text = [&](const std::vector<std::string>& subjects, const ModelFile& file) {
      return sentence(knowledgeOf(file, resolveSubjects(subjects), hostTarget(2)));
    };
    QCOMPARE(text(kOthers, file_),
             "the cost model xgboost, trained on 2 tasks of AVX-512; all 2 here it has seen");
    TargetFacts recorded = hostTarget(2);
    recorded.recorded = true; // and its answers those of the machine itself
    QVERIFY(knowledgeOf(file_, resolveSubjects(kOthers), recorded).here.empty());
    const std::string softmax = "softmax:m=8,n=16";
    QCOMPARE(text({kSubject, kOthers[0], softmax}, file_),
             "the cost model xgboost, trained on 2 tasks of AVX-512; 1 of 3 it has seen; 1 of 3 is "
             "a new shape of a kind it knows; 1 of 3 is of a kind it does not know (" +
                 resolveSubjects({softmax}).at(0).tasks.at(0).name + ")");
    ModelFile other = file_;
    other.target = "llvm-64c-abcdef12";
    other.kinds.clear();
    QVERIFY(says(text({kSubject}, other), "the only one here is new to it"));
    QVERIFY(says(text({kSubject}, other), "This session tunes for another target"));
    SessionConfig settings = beginning("none", 16);
    const SearchSurvey survey = surveySearch(settings);
    QVERIFY(survey.knowledge.has_value());
    QCOMPARE(survey.knowledge->newShapes, std::size_t(1));
  }

  void whatIsKeptSurvivesTheFile() {
    const std::string bytes = toBytes(KeptPretrained{"a\n b", std::string("\0x", 2)});
    QCOMPARE(keptPretrained(bytes).file, "a\n b");
    QCOMPARE(keptPretrained(bytes).learned, std::string("\0x", 2));
    for (std::size_t length = 0; length < bytes.size(); ++length)
      QVERIFY_THROWS_EXCEPTION(InputError, keptPretrained(bytes.substr(0, length)));
    QVERIFY_THROWS_EXCEPTION(InputError, keptPretrained(bytes + "x"));
  }

 private:
  QString newPath() { return folder_->filePath(QStringLiteral("%1.nwdb").arg(++files_)); }
  static void write(const QString& path, const std::string& bytes) {
    std::ofstream(path.toStdString(), std::ios::binary) << bytes;
  }
  SessionConfig beginning(const std::string& update, int trials) const {
    SessionConfig settings = config({kSubject}, trials);
    settings.pretrained = model_.toStdString();
    settings.update = update;
    return settings;
  }
  template <class Change>
  std::string refusalOf(RecordStore& store, const Change& change) const {
    ModelFile file = file_;
    change(file);
    const QString path = folder_->filePath("changed.nwm");
    write(path, modelFileBytes(file));
    SessionConfig settings = beginning("local", 16);
    settings.pretrained = path.toStdString();
    return messageOf([&] { createSession(store, settings, hostTarget(2)); });
  }
  static RowId made(const QString& path, const SessionConfig& settings) {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    return createSession(store, settings, hostTarget(2));
  }
  static SessionStatus runOn(const QString& path, RowId id) {
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureTiles);
    session.post(Start{});
    return session.wait();
  }
  static Record fastestOf(const RecordStore& store, RowId id) {
    RecordQuery query;
    query.session = id;
    query.verdict = Verdict::Ok;
    query.order = RecordQuery::Order::Fastest;
    query.limit = 1;
    return store.records().page(query).at(0);
  }
  static std::vector<Trace> tracesOf(const QString& path, int round) {
    std::vector<Trace> traces;
    for (const Record& record : recordsOf(path))
      if (const Trace trace = *traceOf(record); trace.round == round) traces.push_back(trace);
    return traces;
  }
  static double meanOf(const QString& path, int round) {
    double sum = 0;
    int count = 0;
    for (const Record& record : recordsOf(path))
      if (traceOf(record)->round == round) {
        sum += record.result.latency();
        ++count;
      }
    return sum / count;
  }

  const QTemporaryDir whole_;
  QString model_; // in it
  ModelFile file_;
  std::unique_ptr<QTemporaryDir> folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(PretrainedSessions)

} // namespace nestwright::pretrained_sessions_test

#include "pretrained_sessions.moc"

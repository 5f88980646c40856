/// How a new session searches: methods set the fields, what does not go together is said at once,
/// and tasks that no template fits are named before the session begins.

#include "ui/window/new_session/search_form.h"

#include "core/dataset/model_file.h"
#include "core/plugin/plugin.h"
#include "core/record/store/store.h"
#include "core/session/run/search_method.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"
#include "tests/ui/form_fields.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/document/policy/own_policy.h"
#include "ui/document/settings.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/new_session/pretrained_form.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <fstream>

namespace nestwright::search_form_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

QString chosen(const QWidget& form, const char* name) {
  return field<QComboBox>(form, name).currentData().toString();
}

class SearchFormTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }

  void aMethodIsWhatItsPaperHas_data() {
    QTest::addColumn<QString>("method");
    for (const SearchMethod& method : searchMethods())
      QTest::newRow(method.name) << QString::fromLatin1(method.name);
  }
  void aMethodIsWhatItsPaperHas() {
    QFETCH(QString, method);
    SearchForm form;
    QCOMPARE(chosen(form, "Method"), QStringLiteral("nestwright")); // our defaults
    choose(form, "Method", qPrintable(method));
    QCOMPARE(toJson(form.config()).dump(),
             toJson(withMethod(SessionConfig(), method.toStdString())).dump());
    QCOMPARE(chosen(form, "Method"), method);
    QCOMPARE(form.problem(), QString());
    // And the fields say so, as another session's settings are shown.
    SearchForm other;
    other.setConfig(form.config());
    QCOMPARE(chosen(other, "Method"), method);
    QCOMPARE(field<QSpinBox>(other, "Plan").value(), form.config().plan);
    QCOMPARE(evaluatorFromText(field<QComboBox>(other, "Evaluator").currentText().toStdString()),
             form.config().measure.evaluator);
  }

  /// Whatever was chosen before, a method is itself.
  void methodsTakeNothingOver() {
    for (const SearchMethod& first : searchMethods())
      for (const SearchMethod& second : searchMethods()) {
        SearchForm form;
        choose(form, "Method", first.name);
        choose(form, "Method", second.name);
        QCOMPARE(toJson(form.config()).dump(),
                 toJson(withMethod(SessionConfig(), second.name)).dump());
        QCOMPARE(chosen(form, "Method"), QString::fromLatin1(second.name));
      }
    QCOMPARE(toJson(withMethod(SessionConfig(), "nestwright")).dump(),
             toJson(SessionConfig()).dump());
    // Also from settings that no field shows.
    SessionConfig mine;
    mine.warmup = 7;
    mine.diversityRatio = 3;
    SearchForm form;
    form.setConfig(mine);
    QCOMPARE(chosen(form, "Method"), QString());
    choose(form, "Method", "nestwright");
    QCOMPARE(toJson(form.config()).dump(), toJson(SessionConfig()).dump());
  }

  void ownSettingsBeginWithAChangedField() {
    SearchForm form;
    choose(form, "Method", "ansor");
    choose(form, "Method", "");
    QVERIFY(form.moreButton()->isChecked());
    QCOMPARE(chosen(form, "Method"), QStringLiteral("ansor")); // that is what it still is
    choose(form, "Sketch rules", "nestwright,paper");
    QCOMPARE(chosen(form, "Method"), QString());
  }

  /// Which is no method's, and nothing for templates.
  void roundsAreProposedAheadWhereOneSaysSo() {
    SearchForm form;
    QCOMPARE(chosen(form, "Rounds"), QStringLiteral("off"));
    choose(form, "Rounds", "on");
    QCOMPARE(form.config().ahead, Ahead::On);
    QCOMPARE(chosen(form, "Method"), QString());
    SearchForm other;
    other.setConfig(form.config());
    QCOMPARE(chosen(other, "Rounds"), QStringLiteral("on"));
    QVERIFY(field<QComboBox>(form, "Rounds").isEnabled());
    choose(form, "Method", "autotvm");
    QCOMPARE(form.config().ahead, Ahead::Off);
    QVERIFY(!field<QComboBox>(form, "Rounds").isEnabled());
  }

  void alternativesAreForSketchesOfProcessors() {
    SearchForm form;
    QCOMPARE(form.config().alternatives, std::string("exact"));
    choose(form, "Alternatives", "all");
    QCOMPARE(form.config().alternatives, std::string("all"));
    QCOMPARE(form.problem(), QString());
    choose(form, "Space", "templates");
    QCOMPARE(form.config().alternatives, std::string("exact"));
    QVERIFY(!field<QComboBox>(form, "Alternatives").isEnabled());
    choose(form, "Space", "sketches");
    choose(form, "Alternatives", "all");
    form.setSubjects({"conv2d:h=8,w=8"}, "cuda:sm_90", 0);
    QCOMPARE(form.config().alternatives, std::string("exact"));
    QVERIFY(!field<QComboBox>(form, "Alternatives").isEnabled());
  }

  void tf32IsAChoiceForGpus() {
    SearchForm form;
    auto& tf32 = field<QCheckBox>(form, "Tensor cores may round to TF32");
    QVERIFY(!tf32.isEnabled());
    form.setSubjects({"matmul:m=64,n=64,k=64"}, "cuda:sm_90", 0);
    QVERIFY(tf32.isEnabled() && !form.config().tf32);
    tf32.click();
    QVERIFY(form.config().tf32);
    SearchForm other;
    other.setConfig(form.config());
    QVERIFY(field<QCheckBox>(other, "Tensor cores may round to TF32").isChecked());
    choose(form, "Space", "templates");
    QVERIFY(!tf32.isEnabled());
  }

  /// A recorded machine has nothing to confirm; the machine at hand has.
  void bestsAreConfirmedWhereTheyAreMeasured() {
    SessionConfig recorded;
    recorded.machine = "recorded:/nowhere/a.nwdb";
    recorded.confirmBest = false; // as its session keeps it
    SearchForm form;
    form.setConfig(recorded);
    QVERIFY(!form.config().confirmBest);
    choose(form, "Machine", "");
    QVERIFY(form.config().confirmBest);
    QCOMPARE(chosen(form, "Method"), QStringLiteral("nestwright"));
  }

  void aChangeMakesItAChoiceOfOnesOwn() {
    SearchForm form;
    choose(form, "Method", "autotvm");
    auto& chains = field<QSpinBox>(form, "Chains");
    chains.setValue(32);
    QCOMPARE(chosen(form, "Method"), QString());
    QCOMPARE(form.config().chains, 32);
    QCOMPARE(form.config().policy, std::string("annealing"));
    chains.setValue(128);
    QCOMPARE(chosen(form, "Method"), QStringLiteral("autotvm"));
    // A round is a plan, where nobody says otherwise.
    field<QSpinBox>(form, "Plan").setValue(24);
    QCOMPARE(form.config().trialsPerRound, 24);
  }

  /// A policy comes with its usual cost model, until another one is chosen.
  void policiesBringTheirCostModel() {
    SearchForm form;
    choose(form, "Space", "templates");
    QCOMPARE(form.config().warmup, 0);
    choose(form, "Search policy", "contextual");
    QCOMPARE(chosen(form, "Cost model"), QStringLiteral("forest"));
    choose(form, "Search policy", "annealing");
    QCOMPARE(chosen(form, "Cost model"), QStringLiteral("autotvm"));
    choose(form, "Cost model", "forest");
    choose(form, "Search policy", "contextual");
    choose(form, "Search policy", "annealing");
    QCOMPARE(form.config().space, SearchSpace::Templates);
  }

  /// What reads trees reads nothing else; another model reads what the one before it did.
  void treesComeWithTheirCostModel() {
    SearchForm form;
    choose(form, "Method", "autotvm");
    choose(form, "Cost model", "treegru");
    QCOMPARE(chosen(form, "Template features"), QStringLiteral("tree"));
    QCOMPARE(form.config().templateFeatures, std::string("tree"));
    choose(form, "Template features", "knob");
    QVERIFY2(form.problem().contains(QStringLiteral("treegru reads the template features tree")),
             qPrintable(form.problem()));
    choose(form, "Cost model", "autotvm");
    QCOMPARE(chosen(form, "Template features"), QStringLiteral("knob"));
    choose(form, "Cost model", "treegru");
    choose(form, "Cost model", "autotvm");
    QCOMPARE(chosen(form, "Template features"), QStringLiteral("itervar"));
    choose(form, "Template features", "tree");
    QVERIFY2(form.problem().contains(QStringLiteral("autotvm cannot read")),
             qPrintable(form.problem()));
  }

  void whatDoesNotGoTogetherIsSaid_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("said");
    QTest::newRow("policy of the other space") << "Search policy"
                                               << "evolutionary"
                                               << "searches sketches";
    QTest::newRow("space of the other policy") << "Space"
                                               << "sketches"
                                               << "contextual";
    QTest::newRow("a model that is never unsure") << "Cost model"
                                                  << "autotvm"
                                                  << "how sure it is";
    QTest::newRow("a model of statements") << "Cost model"
                                           << "xgboost"
                                           << "reads statements";
  }
  void whatDoesNotGoTogetherIsSaid() {
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, said);
    QTemporaryDir folder;
    NewSessionDialog dialog(coreCatalogue());
    dialog.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
    dialog.setPath(folder.filePath(QStringLiteral("a.nwdb")));
    auto& form = *dialog.findChild<SearchForm*>();
    choose(form, "Method", "adatune");
    QTRY_COMPARE(dialog.problem(), QString());
    choose(form, qPrintable(name), qPrintable(value));
    if (value == QStringLiteral("sketches")) { // its policy and model go with it
      QVERIFY2(dialog.problem().contains(said), qPrintable(dialog.problem()));
      choose(form, "Search policy", "evolutionary");
      QCOMPARE(dialog.problem(), QString());
      return;
    }
    QVERIFY2(dialog.problem().contains(said), qPrintable(dialog.problem()));
    QVERIFY(!createButton(dialog).isEnabled());
    QVERIFY(form.moreButton()->isChecked()); // the field that is wrong is in sight
    QVERIFY(isSaid(form, said));
    choose(form, "Method", "adatune");
    QTRY_COMPARE(dialog.problem(), QString());
    QVERIFY(createButton(dialog).isEnabled());
  }

  /// Nobody makes a session that turns out a moment later to have nothing to search.
  void whatIsBeingFoundOutIsWaitedFor() {
    QTemporaryDir folder;
    NewSessionDialog dialog(coreCatalogue());
    dialog.setSubject(QStringLiteral("softmax:m=64,n=64"));
    dialog.setPath(folder.filePath(QStringLiteral("a.nwdb")));
    auto& form = *dialog.findChild<SearchForm*>();
    QVERIFY(createButton(dialog).isEnabled());
    choose(form, "Method", "autotvm");
    QVERIFY2(dialog.problem().startsWith(QStringLiteral("Looking")), qPrintable(dialog.problem()));
    QVERIFY(!createButton(dialog).isEnabled());
    QVERIFY(!form.moreButton()->isChecked()); // there is nothing to mend yet
    QTRY_VERIFY(form.survey().has_value());
    QVERIFY2(dialog.problem().contains(QStringLiteral("No task has a template")),
             qPrintable(dialog.problem()));
    QVERIFY(form.moreButton()->isChecked());
    dialog.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
    QVERIFY(dialog.problem().startsWith(QStringLiteral("Looking")));
    QTRY_VERIFY(createButton(dialog).isEnabled());
  }

  /// What could not be found out does not keep anybody, and is asked for again.
  /// The file gets its name; how it is started is the person's setting.
  void aProgramOfOnesOwnIsAPolicy() {
    Settings::setPolicyProgram(QStringLiteral("python3 '/home/me/my search.py' --depth=3"));
    SearchForm form;
    choose(form, "Search policy", "exec:python3 my search.py --depth=3");
    QCOMPARE(form.config().policy, std::string("exec:python3 my search.py --depth=3"));
    QCOMPARE(ownPolicyLaunch().command,
             (std::vector<std::string>{"python3", "/home/me/my search.py", "--depth=3"}));
    QVERIFY_THROWS_EXCEPTION(UsageError, Settings::setPolicyProgram(QStringLiteral("a 'b")));
    Settings::setPolicyProgram({});
    QVERIFY(!ownPolicy() && ownPolicyLaunch().command.empty());
    QVERIFY(field<QComboBox>(SearchForm(), "Search policy")
                .findData(QStringLiteral("exec:python3 my search.py --depth=3")) < 0);
  }

  void aFailedSurveyIsAskedForAgain() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("late.dag"));
    SearchForm form;
    choose(form, "Method", "autotvm");
    form.setSubjects({file.toStdString()}, "llvm", 1);
    QVERIFY(!form.problem().isEmpty());
    QTRY_COMPARE(form.problem(), QString());
    QVERIFY2(form.note()->text().contains(QStringLiteral("late.dag")),
             qPrintable(form.note()->text()));
    QVERIFY(!form.survey());
    form.setSubjects({file.toStdString()}, "llvm", 1);
    QVERIFY(form.problem().startsWith(QStringLiteral("Looking")));
  }

  /// The records of a file are of a number of threads.
  void threadsAreAskedOfTheRecordedMachine() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("recorded.nwdb"));
    SessionConfig recorded = madeUpConfig("random"); // with two threads
    recorded.trials = 16;
    runMadeUpSession(file, recorded);
    NewSessionDialog dialog(coreCatalogue());
    recorded.machine = "recorded:" + file.toStdString();
    dialog.setConfig(recorded);
    dialog.setPath(folder.filePath(QStringLiteral("a.nwdb")));
    QTRY_COMPARE(dialog.problem(), QString());
    auto& threads = field<QSpinBox>(dialog, "Threads");
    threads.setValue(31);
    QTRY_VERIFY2(dialog.problem().contains(QStringLiteral("31 threads")),
                 qPrintable(dialog.problem()));
    QVERIFY(!createButton(dialog).isEnabled());
    threads.setValue(2);
    QTRY_VERIFY(createButton(dialog).isEnabled());
  }

  void examplesOfEvaluatorsAreNotTypedOn() {
    SearchForm form;
    auto& evaluator = field<QComboBox>(form, "Evaluator");
    form.moreButton()->setChecked(true);
    form.setVisible(true);
    form.activateWindow();
    evaluator.setFocus(); // nothing is completed without
    QTRY_VERIFY(evaluator.lineEdit()->hasFocus());
    evaluator.lineEdit()->selectAll();
    QTest::keyClicks(evaluator.lineEdit(), QStringLiteral("adaptive"));
    QCOMPARE(evaluator.currentText(), QStringLiteral("adaptive"));
  }

  void evaluatorsAreText() {
    SearchForm form;
    auto& evaluator = field<QComboBox>(form, "Evaluator");
    QVERIFY(evaluator.count() > 2); // examples
    evaluator.setEditText(QStringLiteral("adaptive:runs=200,batch=20"));
    QCOMPARE(form.problem(), QString());
    QCOMPARE(form.config().measure.evaluator.runs, 200);
    evaluator.setEditText(QStringLiteral("adaptive:cheese=2"));
    QVERIFY2(form.problem().contains(QStringLiteral("cheese")), qPrintable(form.problem()));
    QCOMPARE(form.config().measure.evaluator.runs, 200);
  }

  void aRecordedFileIsAskedFor() {
    SearchForm form;
    choose(form, "Machine", "recorded:");
    QVERIFY(!form.problem().isEmpty());
    auto& file = field<QLineEdit>(form, "Recorded file");
    file.setText(QStringLiteral("/nowhere/a.nwdb"));
    QCOMPARE(form.config().machine, std::string("recorded:/nowhere/a.nwdb"));
    QVERIFY(form.problem().contains(QStringLiteral("/nowhere/a.nwdb")));
    choose(form, "Machine", "");
    QCOMPARE(form.problem(), QString());
    QCOMPARE(form.config().machine, std::string());
  }

  void whatAHistoryTeachesIsSaid() {
    QTemporaryDir folder;
    const QString empty = folder.filePath(QStringLiteral("empty.nwdb"));
    RecordStore::open(empty.toStdString(), OpenMode::Create);
    SearchForm form;
    form.setSubjects({"matmul:m=64,n=64,k=64"}, "llvm", 1);
    choose(form, "Method", "autotvm");
    auto& history = field<QLineEdit>(form, "History");
    history.setText(QStringLiteral("/nowhere/a.nwdb; ") + empty);
    QCOMPARE(form.config().history,
             (std::vector<std::string>{"/nowhere/a.nwdb", empty.toStdString()}));
    QVERIFY2(form.problem().contains(QStringLiteral("/nowhere/a.nwdb")),
             qPrintable(form.problem()));
    QCOMPARE(chosen(form, "Method"), QStringLiteral("autotvm")); // none says what it learned before
    history.setText(empty);
    QTRY_VERIFY2(form.problem().contains(QStringLiteral("500 records")),
                 qPrintable(form.problem()));
    QVERIFY(isSaid(form, QStringLiteral("has 0 for matmul")));
    choose(form, "Method", "adatune");
    QVERIFY2(form.problem().contains(QStringLiteral("forest learns nothing from other tasks")),
             qPrintable(form.problem()));
    QVERIFY(history.isEnabled()); // so that it can be taken out
    history.clear();
    QTRY_COMPARE(form.problem(), QString());
    choose(form, "Method", "ansor");
    QVERIFY(!history.isEnabled());
  }

  void seedsAreOfAFile() {
    SearchForm form;
    auto& seeds = field<QLineEdit>(form, "Seeds");
    seeds.setText(QStringLiteral(" /nowhere/a.json "));
    QCOMPARE(form.config().seeds, std::string("/nowhere/a.json"));
    QVERIFY2(form.problem().contains(QStringLiteral("no file /nowhere/a.json")),
             qPrintable(form.problem()));
    QVERIFY(isSaid(form, QStringLiteral("no file /nowhere/a.json")));
    SearchForm other;
    other.setConfig(form.config());
    QCOMPARE(field<QLineEdit>(other, "Seeds").text(), QStringLiteral("/nowhere/a.json"));
    seeds.clear();
    QCOMPARE(form.problem(), QString());
  }

  /// Of a trained model, once it is chosen: what it knows of the tasks, or why it cannot be had.
  void whatATrainedModelKnowsIsSaid() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("trained.nwm"));
    ModelFile file;
    file.model = "xgboost";
    file.features = "paper"; // as many columns as the made-up programs have
    file.target = "llvm-64c-abcdef12";
    file.targetText = "AVX-512";
    file.choice.files = {"records.nwdb"};
    const ComputeDag known = resolveSubjects({"matmul:m=32,n=32,k=32"}).at(0).tasks.at(0).dag;
    file.tasks = {definitionHash(known)};
    file.kinds = {kindHash(known)};
    const std::unique_ptr<CostModel> model = costModel("xgboost", {{"warmup", 0}});
    model->update(nestwright::test::synthetic({.programs = 60}));
    file.bytes = model->save();
    const auto write = [&](const std::string& bytes) {
      std::ofstream(path.toStdString(), std::ios::binary) << bytes;
    };
    write(modelFileBytes(file));

    SearchForm form;
    form.setSubjects({"matmul:m=64,n=64,k=64", "softmax:m=64,n=64"}, "llvm", 1);
    choose(form, "Method", "ansor");
    auto& box = field<QComboBox>(form, "Trained model");
    auto& update = field<QComboBox>(form, "Update of the trained model");
    QVERIFY(box.isEnabled() && !update.isEnabled());
    box.setEditText(path);
    QTRY_VERIFY2(form.pretrained()->note()->text().contains(
                     QStringLiteral("trained on 1 task of AVX-512; 1 of 2 is a new shape of a "
                                    "kind it knows; 1 of 2 is of a kind it does not know")),
                 qPrintable(form.pretrained()->note()->text()));
    QVERIFY(form.pretrained()->note()->text().contains(QStringLiteral("another target")));
    QCOMPARE(form.problem(), QString());
    QVERIFY(!field<QComboBox>(form, "Cost model").isEnabled()); // the file says which
    QCOMPARE(form.config().pretrained, path.toStdString());
    QCOMPARE(form.config().update, std::string("local"));
    form.pretrained()->perTask()->click();
    QVERIFY(form.config().localPerTask);
    update.setCurrentIndex(update.findData(QStringLiteral("none")));
    QCOMPARE(form.config().update, std::string("none"));
    QVERIFY(!form.config().localPerTask && !form.pretrained()->perTask()->isEnabled());
    // Another session's settings are shown as they are.
    SearchForm other;
    other.setConfig(form.config());
    QCOMPARE(toJson(other.config()).dump(), toJson(form.config()).dump());

    // What does not go together.
    choose(form, "Method", "autotvm");
    QVERIFY2(form.problem().contains(QStringLiteral("scores programs of sketches")),
             qPrintable(form.problem()));
    QVERIFY(box.isEnabled()); // so that it can be taken out
    choose(form, "Method", "nestwright");
    QVERIFY2(form.problem().contains(QStringLiteral("the policy random asks for none")),
             qPrintable(form.problem()));
    choose(form, "Method", "ansor");
    file.model = "autotvm";
    const QString templates = folder.filePath(QStringLiteral("templates.nwm"));
    std::ofstream(templates.toStdString(), std::ios::binary) << modelFileBytes(file);
    box.setEditText(templates);
    QTRY_VERIFY2(form.problem().contains(QStringLiteral("configurations of templates")),
                 qPrintable(form.problem()));
    box.setEditText(QStringLiteral("/nowhere/a.nwm"));
    QVERIFY2(form.problem().contains(QStringLiteral("no file /nowhere/a.nwm")),
             qPrintable(form.problem()));
    box.setEditText({});
    QTRY_COMPARE(form.problem(), QString());
    QCOMPARE(form.pretrained()->note()->text(), QString());
  }

  /// The files of trained models that sessions began with are offered again.
  void trainedModelsAreOfferedAgain() {
    QTemporaryDir folder;
    Settings::addRecentModel(folder.filePath(QStringLiteral("a.nwm")));
    Settings::addRecentModel(folder.filePath(QStringLiteral("b.nwm")));
    SearchForm form;
    auto& box = field<QComboBox>(form, "Trained model");
    QCOMPARE(box.itemText(0), folder.filePath(QStringLiteral("b.nwm")));
    QCOMPARE(box.itemText(1), folder.filePath(QStringLiteral("a.nwm")));
    QCOMPARE(form.config().pretrained, std::string()); // none is chosen
  }

  void tasksWithoutTemplateAreNamed() {
    SearchForm form;
    form.setSubjects({"matmul:m=64,n=64,k=64", "softmax:m=64,n=64"}, "llvm", 1);
    QCOMPARE(form.note()->text(), QString()); // sketches are made of any task
    choose(form, "Method", "autotvm");
    QTRY_VERIFY(form.survey().has_value());
    const SearchSurvey& survey = *form.survey();
    QCOMPARE(survey.fitting(), std::size_t(1));
    QVERIFY(survey.tasks > 1);
    QVERIFY2(form.note()->text().contains(QStringLiteral("1 of %1").arg(survey.tasks)),
             qPrintable(form.note()->text()));
    for (const TaskWithoutTemplate& task : survey.withoutTemplate) {
      QVERIFY(!task.why.empty());
      QVERIFY(form.note()->text().contains(QString::fromStdString(task.name)));
    }
    QCOMPARE(form.problem(), QString());
    form.setSubjects({"softmax:m=64,n=64"}, "llvm", 1);
    QTRY_VERIFY(form.survey().has_value());
    QVERIFY(!form.problem().isEmpty()); // there is nothing to search
    // A GPU has other templates than a processor.
    form.setSubjects({"conv3d:d=4,h=8,w=6,ci=8,co=16,k=3,s=1,p=1", "matmul:m=64,n=64,k=64"}, "llvm",
                     1);
    QTRY_VERIFY(form.survey().has_value());
    QCOMPARE(form.survey()->fitting(), std::size_t(2));
    form.setGpu(true);
    form.setSubjects({"conv3d:d=4,h=8,w=6,ci=8,co=16,k=3,s=1,p=1", "matmul:m=64,n=64,k=64"},
                     "cuda:sm_90", 1);
    QTRY_VERIFY(form.survey().has_value());
    QCOMPARE(form.survey()->fitting(), std::size_t(1));
    QCOMPARE(form.problem(), QString());
    QVERIFY2(form.note()->text().contains(QStringLiteral("convolutions over 3 axes on a GPU")),
             qPrintable(form.note()->text()));
  }

 private:
  static QPushButton& createButton(const QWidget& dialog) {
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Create")) return *button;
    qFatal("no button Create");
  }
  static bool isSaid(const QWidget& form, const QString& text) {
    const auto labels = form.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return !label->isHidden() && label->text().contains(text);
    });
  }

  QTemporaryDir settings_;
};

NW_TEST_GUI(SearchFormTest)

} // namespace nestwright::search_form_test

#include "search_form.moc"

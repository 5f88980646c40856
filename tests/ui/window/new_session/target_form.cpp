/// The target of a new session: what is missing is said before the session begins.

#include "ui/window/new_session/target_form.h"

#include "core/plugin/target_named.h"
#include "core/target/instruction_set.h"
#include "core/target/target_json.h"
#include "tests/support/test_program.h"
#include "tests/ui/own_settings.h"
#include "ui/document/settings.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/new_session_dialog.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSemaphore>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <memory>

namespace nestwright::target_form_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;
using nlohmann::json;

BackendFinding nvrtc(bool found, std::vector<std::string> architectures) {
  return {BackendPart::Compiler, "NVRTC", found ? "13.0" : "libnvrtc.so is not there",
          found ? "" : "Install it",
          json{{"found", found}, {"architectures", std::move(architectures)}}};
}

BackendFinding driver(bool found) {
  return {BackendPart::Driver, "driver", found ? "runs CUDA 13.0" : "libcuda.so.1 is not there",
          found ? "" : "It takes an NVIDIA GPU and its driver",
          json{{"found", found}, {"problem", found ? "" : "libcuda.so.1 is not there"}}};
}

BackendFinding device(const char* name, GpuArchitecture architecture = {9, 0},
                      const char* advice = "") {
  GpuFacts gpu = gpuPreset(architecture);
  gpu.name = name;
  return {BackendPart::Device, "device 0", name, advice, json{{"target", toJson(cudaTarget(gpu))}}};
}

/// Of a machine with these GPUs.
TargetForm::Survey machineWith(std::vector<BackendFinding> devices) {
  BackendSurvey found{nvrtc(true, {"sm_80", "sm_90"}), driver(true)};
  found.insert(found.end(), devices.begin(), devices.end());
  return [found](const std::string&) { return surveyGpu(found, ""); };
}

QStringList entries(const TargetForm& form) {
  QStringList texts;
  for (int i = 0; i < form.devices()->count(); ++i)
    texts << form.devices()->itemText(i);
  return texts;
}

void chooseDevice(TargetForm& form, const QString& text) {
  form.devices()->setCurrentIndex(form.devices()->findText(text));
}

class TargetFormTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }

  void surveysSayWhatIsMissing_data() {
    QTest::addColumn<bool>("compiler");
    QTest::addColumn<bool>("driverFound");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<bool>("compiles");
    QTest::addColumn<bool>("measures");
    QTest::addColumn<QString>("said");
    QTest::newRow("all is there") << true << true << "" << true << true << "";
    QTest::newRow("no driver") << true << false << "" << true << false
                               << "driver: libcuda.so.1 is not there. It takes an NVIDIA GPU";
    QTest::newRow("no NVRTC") << false << true << "" << false << false
                              << "NVRTC: libnvrtc.so is not there. Install it.";
    QTest::newRow("a preset is not measured")
        << true << true << "sm_90" << true << false << "A session for any sm_90 is made";
    QTest::newRow("an architecture that NVRTC does not know")
        << true << true << "sm_80" << false << false << "NVRTC compiles for sm_90, not for sm_80";
    QTest::newRow("a preset wants no driver")
        << true << false << "sm_90" << true << false << "A session for any sm_90 is made";
  }

  void surveysSayWhatIsMissing() {
    QFETCH(bool, compiler);
    QFETCH(bool, driverFound);
    QFETCH(QString, preset);
    QFETCH(QString, said);
    BackendSurvey found{nvrtc(compiler, {"sm_90"}), driver(driverFound)};
    if (driverFound) found.push_back(device("NVIDIA H100"));
    const TargetSurvey survey = surveyGpu(found, preset.toStdString());
    QTEST(survey.canCompile, "compiles");
    QTEST(survey.canMeasure, "measures");
    QCOMPARE(survey.missing.empty(), said.isEmpty());
    if (!said.isEmpty())
      QVERIFY2(QString::fromStdString(survey.missing.front()).startsWith(said),
               survey.missing.front().c_str());
    QCOMPARE(survey.devices.size(), std::size_t(driverFound ? 1 : 0));
  }

  void instructionSetsAreTargets() {
    TargetForm form([](const std::string&) { return TargetSurvey(); });
    QVERIFY(!form.instructionSets()->isHidden());
    form.setTarget("llvm:plain:sse4.2");
    QCOMPARE(form.target(), std::string("llvm:plain:sse4.2"));
    QCOMPARE(form.instructionSets()->currentText(), QStringLiteral("up to SSE4.2"));
    QVERIFY(!form.isGpu());
    for (const std::string& set : instructionSetNames()) {
      form.setTarget(targetWith("llvm", instructionSetFromName(set)));
      const bool here = canRun(hostTarget(), instructionSetFromName(set));
      QCOMPARE(form.problem().isEmpty(), here);
      QCOMPARE(form.note()->isHidden(), here);
    }
    form.setTarget("cuda:sm_90");
    QVERIFY(form.instructionSets()->isHidden());
    QCOMPARE(form.target(), std::string("cuda:sm_90"));
    form.setTarget("llvm");
    QCOMPARE(form.target(), std::string("llvm"));
  }

  void aProcessorIsNotAskedFor() {
    bool asked = false;
    TargetForm form([&](const std::string&) {
      asked = true;
      return TargetSurvey();
    });
    QCOMPARE(form.target(), std::string("llvm"));
    QVERIFY(form.canMeasure());
    QVERIFY(form.problem().isEmpty());
    QVERIFY(form.note()->isHidden());
    QVERIFY(!asked);
  }

  void whatIsMissingIsSaidBeforeTheSessionBegins() {
    QTemporaryDir folder;
    NewSessionDialog dialog(coreCatalogue(), nullptr, [](const std::string&) {
      return surveyGpu({nvrtc(true, {"sm_90"}), driver(false)}, "");
    });
    dialog.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
    dialog.setPath(folder.filePath(QStringLiteral("gpu.nwdb")));
    QCOMPARE(dialog.problem(), QString());
    auto* form = dialog.findChild<TargetForm*>();
    form->targets()->setCurrentIndex(form->targets()->findData(QStringLiteral("cuda")));
    // While it is not known, no session is made.
    QVERIFY(!dialog.problem().isEmpty());
    QTRY_VERIFY2(dialog.problem().contains(QStringLiteral("libcuda.so.1 is not there")),
                 qPrintable(dialog.problem()));
    QVERIFY(!create(dialog)->isEnabled());
    QVERIFY(!dialog.startNow());
    form->targets()->setCurrentIndex(0);
    QCOMPARE(dialog.problem(), QString());
    QVERIFY(create(dialog)->isEnabled());
    QVERIFY(dialog.startNow());
  }

  void settingsThatDoNotApplyAreDisabledWithAReason() {
    NewSessionDialog dialog(coreCatalogue(), nullptr, [](const std::string&) {
      return surveyGpu({nvrtc(true, {"sm_90"}), driver(true), device("A"), device("B")}, "");
    });
    QSpinBox* threads = nullptr;
    for (QSpinBox* box : dialog.findChildren<QSpinBox*>())
      if (box->accessibleName() == QStringLiteral("Threads")) threads = box;
    QVERIFY(threads && threads->isEnabled());
    auto* form = dialog.findChild<TargetForm*>();
    form->setTarget("cuda");
    QVERIFY(!threads->isEnabled());
    QVERIFY2(threads->toolTip().contains(QStringLiteral("blocks and threads")),
             qPrintable(threads->toolTip()));
    QTRY_VERIFY(form->canMeasure());
    // Of several devices one is chosen.
    QVERIFY(!form->devices()->isHidden());
    chooseDevice(*form, QStringLiteral("1: B"));
    const SessionConfig config = dialog.config();
    QCOMPARE(config.target, std::string("cuda"));
    QCOMPARE(config.measure.device, std::string("1"));
    form->setTarget("llvm");
    QVERIFY(threads->isEnabled());
    QCOMPARE(dialog.config().measure.device, std::string());
  }

  void aPresetsSessionIsMadeButNotStarted() {
    QTemporaryDir folder;
    NewSessionDialog dialog(coreCatalogue(), nullptr, [](const std::string&) {
      return surveyGpu({nvrtc(true, {"sm_90"}), driver(true), device("A")}, "sm_90");
    });
    dialog.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
    dialog.setPath(folder.filePath(QStringLiteral("preset.nwdb")));
    auto* form = dialog.findChild<TargetForm*>();
    form->setTarget("cuda:sm_90");
    QTRY_VERIFY2(form->note()->text().contains(QStringLiteral("not measured")),
                 qPrintable(form->note()->text()));
    QCOMPARE(dialog.problem(), QString());
    QVERIFY(create(dialog)->isEnabled());
    QVERIFY(!dialog.startNow());
    QVERIFY(!dialog.findChild<QCheckBox*>()->toolTip().isEmpty());
  }

  void settingsOfASessionAreShownAgain() {
    NewSessionDialog dialog(coreCatalogue(), nullptr,
                            [](const std::string&) { return TargetSurvey(); });
    SessionConfig config;
    config.subjects = {"matmul:m=64,n=64,k=64"};
    config.target = "cuda", config.measure.device = "H100", config.measure.threads = 3;
    dialog.setConfig(config);
    QCOMPARE(dialog.config().target, std::string("cuda"));
    QCOMPARE(dialog.config().measure.device, std::string("H100"));
    QCOMPARE(dialog.config().measure.threads, 3);
  }

  void aDeviceThatCannotBeCompiledForIsNotMeasuredOn() {
    // NVRTC is there, and the only GPU is older than what it knows.
    const BackendFinding old = device("GTX 1080", {6, 1});
    TargetSurvey survey = surveyGpu({nvrtc(true, {"sm_90"}), driver(true), old}, "");
    QVERIFY(!survey.canMeasure && !survey.canCompile);
    QCOMPARE(survey.missing.front(),
             std::string("NVRTC compiles for sm_90, not for sm_61, which GTX 1080 is."));
    // Beside a newer one it is only not to be chosen.
    TargetForm form(machineWith({device("GTX 1080", {6, 1}), device("H100")}));
    form.setTarget("cuda");
    QTRY_VERIFY(form.canMeasure());
    QVERIFY2(form.problem().contains(QStringLiteral("not for sm_61")), qPrintable(form.problem()));
    chooseDevice(form, QStringLiteral("1: H100"));
    QCOMPARE(form.problem(), QString());
    // What else is to be known of a device is said, and keeps nobody from it.
    survey = surveyGpu(
        {nvrtc(true, {"sm_90"}), driver(true), device("H100", {9, 0}, "Others compute on it")}, "");
    QVERIFY(survey.canMeasure);
    QCOMPARE(survey.missing, std::vector<std::string>{"device 0: H100. Others compute on it."});
  }

  void whatIsMissingIsNotSaidInWordsOfTheCommandLine() {
    BackendFinding noDriver = driver(false);
    noDriver.advice = "Programs can be made without (--target cuda:sm_90)";
    const TargetSurvey survey = surveyGpu({nvrtc(true, {"sm_90"}), noDriver}, "");
    QVERIFY2(survey.missing.front().find("--") == std::string::npos,
             survey.missing.front().c_str());
  }

  void devicesOfOneKindAreToldApart() {
    TargetForm form(machineWith({device("H100"), device("H100"), device("H100")}));
    form.setTarget("cuda");
    QTRY_COMPARE(entries(form), (QStringList{"the first", "0: H100", "1: H100", "2: H100"}));
    QCOMPARE(form.device(), std::string());
    chooseDevice(form, QStringLiteral("2: H100"));
    QCOMPARE(form.device(), std::string("2"));
  }

  void ofSeveralKindsOneIsChosen() {
    TargetForm form(machineWith({device("H100"), device("A100", {8, 0})}));
    form.setTarget("cuda");
    QTRY_COMPARE(entries(form), (QStringList{"0: H100", "1: A100"}));
    // Without one the driver would refuse: there are devices of several kinds.
    QCOMPARE(form.device(), std::string("0"));
    QCOMPARE(form.problem(), QString());
  }

  void aStoredDeviceIsFoundByNumberAndName_data() {
    QTest::addColumn<QString>("stored");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("device");
    QTest::newRow("number") << "1"
                            << "1: NVIDIA A100"
                            << "1";
    QTest::newRow("part of the name") << "a100"
                                      << "1: NVIDIA A100"
                                      << "1";
    QTest::newRow("a name that is not here") << "V100"
                                             << "V100 (not found here)"
                                             << "V100";
    QTest::newRow("a number that is not here") << "7"
                                               << "7 (not found here)"
                                               << "7";
    QTest::newRow("of several kinds") << "NVIDIA"
                                      << "NVIDIA (not found here)"
                                      << "NVIDIA";
  }

  void aStoredDeviceIsFoundByNumberAndName() {
    QFETCH(QString, stored);
    QFETCH(QString, shown);
    TargetForm form(machineWith({device("NVIDIA H100"), device("NVIDIA A100", {8, 0})}));
    form.setTarget("cuda");
    form.setDevice(stored.toStdString());
    QTRY_VERIFY(form.canMeasure());
    QCOMPARE(form.devices()->currentText(), shown);
    QTEST(QString::fromStdString(form.device()), "device");
    // It is said before a session cannot be made, and can be mended.
    QCOMPARE(form.problem().isEmpty(), !shown.contains(QStringLiteral("not found")));
    chooseDevice(form, QStringLiteral("0: NVIDIA H100"));
    QCOMPARE(form.problem(), QString());
    QCOMPARE(form.device(), std::string("0"));
  }

  void aStoredDeviceIsShownWhereThereIsOneGpu() {
    TargetForm form(machineWith({device("A100", {8, 0})}));
    form.setTarget("cuda");
    QTRY_VERIFY(form.canMeasure());
    QVERIFY(form.devices()->isHidden()); // nothing to choose
    form.setDevice("H100");
    QVERIFY(!form.devices()->isHidden());
    QVERIFY(!form.problem().isEmpty());
    chooseDevice(form, QStringLiteral("the first"));
    QCOMPARE(form.problem(), QString());
    QCOMPARE(form.device(), std::string());
  }

  void aChosenDeviceStaysWhileAnotherTargetIsLookedAt() {
    TargetForm form(machineWith({device("H100"), device("H100")}));
    form.setTarget("cuda");
    QTRY_COMPARE(form.devices()->count(), 3);
    chooseDevice(form, QStringLiteral("1: H100"));
    form.setTarget("llvm");
    QCOMPARE(form.device(), std::string());
    form.setTarget("cuda");
    QCOMPARE(form.device(), std::string("1"));
  }

  /// A survey asks a process of its own, for up to half a minute.
  void nobodyWaitsForASurvey() {
    struct Slow {
      QSemaphore begun, goOn;
      std::atomic<bool> ended = false;
    };
    const auto slow = std::make_shared<Slow>();
    {
      TargetForm form([slow](const std::string&) {
        slow->begun.release();
        slow->goOn.tryAcquire(1, 3000);
        slow->ended = true;
        return TargetSurvey();
      });
      form.setTarget("cuda");
      slow->begun.acquire();
    }
    QVERIFY(!slow->ended);
    slow->goOn.release();
    QTRY_VERIFY(slow->ended);
  }

  /// The records of a GPU answer where there is none.
  void aRecordedMachineStandsInForAGpu() {
    QTemporaryDir folder;
    NewSessionDialog dialog(coreCatalogue(), nullptr, [](const std::string&) {
      return surveyGpu({nvrtc(true, {"sm_90"}), driver(false)}, "");
    });
    dialog.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
    dialog.setPath(folder.filePath(QStringLiteral("gpu.nwdb")));
    auto* form = dialog.findChild<TargetForm*>();
    form->setTarget("cuda");
    QTRY_VERIFY(dialog.problem().contains(QStringLiteral("libcuda.so.1")));
    QVERIFY(!dialog.startNow());
    SessionConfig recorded = dialog.config();
    recorded.machine = "recorded:/nowhere/a.nwdb";
    dialog.setConfig(recorded);
    QVERIFY2(dialog.problem().contains(QStringLiteral("/nowhere/a.nwdb")),
             qPrintable(dialog.problem())); // which is all that is missing
    QCOMPARE(form->problem(), QString());
    QVERIFY(form->note()->text().contains(QStringLiteral("recorded file")));
    QVERIFY(dialog.startNow());
    recorded.machine.clear();
    dialog.setConfig(recorded);
    QTRY_VERIFY(dialog.problem().contains(QStringLiteral("libcuda.so.1")));
  }

  void tabGoesFromTheSubjectToTheButtons() {
    NewSessionDialog dialog(coreCatalogue(), nullptr, machineWith({device("A"), device("A")}));
    auto* form = dialog.findChild<TargetForm*>();
    form->setTarget("cuda");
    QTRY_COMPARE(form->devices()->count(), 3);
    dialog.show();
    QStringList order;
    for (QWidget* at = dialog.nextInFocusChain(); at != &dialog; at = at->nextInFocusChain())
      if (!at->accessibleName().isEmpty()) order << at->accessibleName();
    order << QStringLiteral("Create");
    qsizetype last = -1;
    for (const char* name : {"Together with", "Target", "Device", "Trials", "Seed", "Threads",
                             "Search policy", "Sketch rules", "Next task", "File to save to"}) {
      const qsizetype place = order.indexOf(QLatin1String(name));
      QVERIFY2(place > last,
               qPrintable(QStringLiteral("%1 in %2")
                              .arg(QLatin1String(name), order.join(QStringLiteral(", ")))));
      last = place;
    }
    // What has the focus at first is what the session is about.
    QWidget* first = dialog.nextInFocusChain();
    while (!(first->focusPolicy() & Qt::TabFocus) || !first->isVisible())
      first = first->nextInFocusChain();
    QVERIFY2(qobject_cast<QRadioButton*>(first), first->metaObject()->className());
  }

  void aWorkerElsewhereHasItsOwnWords() {
    Settings::setWorkerCommand(QStringLiteral("ssh gpu nestwright worker"));
    {
      TargetForm form([](const std::string&) { return TargetSurvey(); });
      form.setTarget("cuda");
      const int cuda = form.targets()->findData(QStringLiteral("cuda"));
      for (const QString& text :
           {form.targets()->itemText(cuda),
            form.targets()->itemData(cuda, Qt::ToolTipRole).toString(), form.devices()->toolTip()})
        QVERIFY2(!text.contains(QStringLiteral("this machine")), qPrintable(text));
      // A session's device is shown, and can be left to the worker.
      form.setDevice("H100");
      QVERIFY(!form.devices()->isHidden());
      QCOMPARE(form.device(), std::string("H100"));
      QCOMPARE(form.problem(), QString());
      chooseDevice(form, QStringLiteral("the first"));
      QCOMPARE(form.device(), std::string());
    }
    Settings::setWorkerCommand({});
  }

  void aWorkerElsewhereIsNotJudgedFromHere() {
    Settings::setWorkerCommand(QStringLiteral("ssh gpu nestwright worker"));
    bool asked = false;
    TargetForm form([&](const std::string&) {
      asked = true;
      return TargetSurvey();
    });
    form.setTarget("cuda");
    QVERIFY(form.canMeasure());
    QCOMPARE(form.problem(), QString());
    QVERIFY(form.note()->text().contains(QStringLiteral("worker command")));
    QVERIFY(!asked);
    Settings::setWorkerCommand({});
  }

 private:
  static QPushButton* create(const NewSessionDialog& dialog) {
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Create")) return button;
    return nullptr;
  }

  QTemporaryDir settings_;
};

NW_TEST_GUI(TargetFormTest)

} // namespace nestwright::target_form_test

#include "target_form.moc"

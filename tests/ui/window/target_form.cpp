/// The target of a new session: what is missing is said before the session begins.

#include "ui/window/target_form.h"

#include "tests/support/test_program.h"
#include "tests/ui/own_settings.h"
#include "ui/document/settings.h"
#include "ui/window/catalogue.h"
#include "ui/window/new_session_dialog.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::target_form_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;
using nlohmann::json;

BackendFinding nvrtc(bool found, std::vector<std::string> architectures) {
  return {"NVRTC", found ? "13.0" : "libnvrtc.so is not there", found ? "" : "Install it",
          json{{"found", found}, {"architectures", std::move(architectures)}}};
}

BackendFinding driver(bool found) {
  return {"driver", found ? "runs CUDA 13.0" : "libcuda.so.1 is not there",
          found ? "" : "It takes an NVIDIA GPU and its driver",
          json{{"found", found}, {"problem", found ? "" : "libcuda.so.1 is not there"}}};
}

BackendFinding device(const char* name) {
  return {"device 0", name, "", json{{"target", {{"gpu", {{"name", name}}}}}}};
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
    form->devices()->setCurrentIndex(form->devices()->findData(QStringLiteral("B")));
    const SessionConfig config = dialog.config();
    QCOMPARE(config.target, std::string("cuda"));
    QCOMPARE(config.measure.device, std::string("B"));
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

/// A plugin whose library is of another version is not used, and `doctor` says why (C42).

#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QProcess>
#include <QTest>

namespace nestwright::plugin_versions_test {

using nlohmann::json;

class PluginVersions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLibraryOfXgboostIsChecked_data() {
    QTest::addColumn<QString>("version");
    QTest::addColumn<bool>("loaded");
    QTest::newRow("the next major version") << "2.1" << false;
    QTest::newRow("the one before") << "0.90" << false;
    QTest::newRow("older than what it was built for") << "1.0" << false;
    QTest::newRow("later of the same line") << "1.99" << true;
  }
  void theLibraryOfXgboostIsChecked() {
    QFETCH(QString, version);
    QFETCH(bool, loaded);
    QProcess doctor;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LD_PRELOAD", OTHER_XGBOOST);
    environment.insert("OTHER_XGBOOST_VERSION", version);
    doctor.setProcessEnvironment(environment);
    doctor.start(NESTWRIGHT_BINARIES "/nestwright", {"doctor", "--json"});
    QVERIFY(doctor.waitForFinished(60'000));
    QCOMPARE(doctor.exitCode(), 0);
    const QByteArray output = doctor.readAllStandardOutput();
    const json report = json::parse(output.begin(), output.end());
    const auto& plugins = report.at("plugins");
    const auto plugin = std::find_if(plugins.begin(), plugins.end(),
                                     [](const json& one) { return one.at("name") == "xgboost"; });
    QVERIFY(plugin != plugins.end());
    QCOMPARE(plugin->at("loaded").get<bool>(), loaded);
    if (loaded) return;
    const QString reason = QString::fromStdString(plugin->at("reason").get<std::string>());
    QVERIFY2(reason.startsWith("it was built for XGBoost 1.") &&
                 reason.contains("loaded is XGBoost " + version),
             qPrintable(reason));
  }
};

NW_TEST_GUILESS(PluginVersions)

} // namespace nestwright::plugin_versions_test

#include "plugin_versions.moc"

/// Which plugin a cost model is taken from where several bring one of its name.

#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::model_names_test {

class ModelNames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The first folder has the plugin zeta, the second one the plugins middle and alpha. All bring
  /// the models shared and middle.
  void thePluginOfTheNameThenTheOthersSorted() {
    const QByteArray before = qgetenv("NESTWRIGHT_PLUGIN_PATH");
    qputenv("NESTWRIGHT_PLUGIN_PATH", MODEL_PLUGINS "/first:" MODEL_PLUGINS "/second");
    QCOMPARE(costModelKind("middle").purpose, std::string("of middle"));
    QCOMPARE(costModelKind("shared").purpose, std::string("of alpha"));
    const std::vector<std::string> names = costModelNames();
    QCOMPARE(std::ranges::count(names, "shared"), 1);
    QVERIFY_THROWS_EXCEPTION(SystemError, costModelKind("nobodys"));
    qputenv("NESTWRIGHT_PLUGIN_PATH", before);
  }
};

NW_TEST_GUILESS(ModelNames)

} // namespace nestwright::model_names_test

#include "model_names.moc"

#include "core/training/model_wish.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

namespace nestwright::model_wish_test {

using nlohmann::json;
using test::messageOf;

ModelWish wishOf(const std::string& model) {
  ModelWish wish;
  wish.model = model;
  wish.data.files = {"a.nwdb"};
  return wish;
}

class ModelWishTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// handbook/cost-models.md 5.4: TenSet's and TLP's tables.
  void optionsAreThoseOfThePapers() {
    const json mlp = publishedOptions("mlp", "lambdarank");
    QCOMPARE(mlp.at("epochs"), 50);
    QCOMPARE(mlp.at("batch"), 512);
    QCOMPARE(mlp.at("learning_rate"), 7e-4);
    QCOMPARE(mlp.at("weight_decay"), 1e-6);
    QCOMPARE(mlp.at("clip"), 0.5);
    QCOMPARE(mlp.at("patience"), 8);
    QCOMPARE(publishedOptions("lstm", "mse").at("epochs"), 100);
    QCOMPARE(publishedOptions("mlp", "ranknet").at("epochs"), 30);
    QCOMPARE(publishedOptions("mlp", "listnet").at("learning_rate"), 9e-4);
    QCOMPARE(publishedOptions("tlp", "lambdarank").at("batch"), 1024);
    const json tuned = fineTuneOptions("mlp", "lambdarank");
    QCOMPARE(tuned.at("optimiser"), "sgd");
    QCOMPARE(tuned.at("epochs"), 10);
    const json trees = publishedOptions("xgboost", "mse"); // TenSet's, not the reference's
    QCOMPARE(trees.at("maxDepth"), 6);
    QCOMPARE(trees.at("maxTrees"), 300);
    QCOMPARE(trees.at("weights"), "none");
    QCOMPARE(usualLoss("mlp"), std::string("lambdarank"));
    QCOMPARE(usualLoss("xgboost"), std::string("mse"));
    QCOMPARE(publishedFeatures("mlp"), std::string("paper,flags"));
    QCOMPARE(publishedFeatures("tlp"), std::string("steps"));
  }

  void changesAreSettledWithWhatFollowsFromThem() {
    ModelWish wish = wishOf("mlp");
    setOption(wish, "epochs", "12");
    setOption(wish, "learning_rate", "1e-3");
    const json settled = settledOptions(wish);
    QCOMPARE(settled.at("epochs"), 12);
    QCOMPARE(settled.at("learning_rate"), 1e-3);
    QCOMPARE(settled.at("patience"), 2); // a sixth
    QCOMPARE(settled.at("loss"), "lambdarank");
    setOption(wish, "patience", "5");
    QCOMPARE(settledOptions(wish).at("patience"), 5);
    setOption(wish, "loss", "mse");
    QCOMPARE(wish.loss, std::string("mse"));
    const std::vector<TrainingOption> options = optionsOf(wish);
    QCOMPARE(options.size(), settledOptions(wish).size()); // each has its words
    for (const TrainingOption& option : options)
      QVERIFY(!option.meaning.empty());
    ModelWish whole = wishOf("tlp"); // nobody to validate with: the last one is kept
    whole.data.validationShare = 0;
    QCOMPARE(settledOptions(whole).at("keep"), "last");
    QCOMPARE(optionsOf(wishOf("xgboost")).size(), settledOptions(wishOf("xgboost")).size());
  }

  void wishesComeBack() {
    ModelWish wish = wishOf("mtl-tlp");
    wish.data.target = "zen";
    wish.helpers = {"lake", "arm"};
    wish.targetRecords = 500;
    wish.options = {{"epochs", 7}};
    wish.checkpoint = "a.checkpoint";
    wish.keepEpochs = true;
    wish.resume = true;
    QVERIFY(modelWishFromJson(json::parse(toJson(wish).dump())) == wish);
    json older = toJson(wish);
    older.erase("keep_epochs");
    QVERIFY(!modelWishFromJson(older).keepEpochs);
    json newer = toJson(wish);
    newer["version"] = 2;
    QVERIFY(messageOf([&] { modelWishFromJson(newer); }).find("version 2") != std::string::npos);
    QVERIFY(!messageOf([] { modelWishFromJson({{"model", "mlp"}}); }).empty());
    json cut = toJson(wish);
    cut.erase("helpers");
    QVERIFY(messageOf([&] { modelWishFromJson(cut); }).find("helpers") != std::string::npos);
    json listed = toJson(wish);
    listed["options"] = json::array();
    QVERIFY(messageOf([&] { modelWishFromJson(listed); }).find("options") != std::string::npos);
  }

  void whatCannotBeIsToldWithWhatCan_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<int>("fault");
    QTest::newRow("model") << "there are mlp, lstm, tlp, mtl-tlp, xgboost" << 0;
    QTest::newRow("loss") << "there are lambdarank, mse" << 1;
    QTest::newRow("loss of trees") << "there is mse" << 2;
    QTest::newRow("option") << "epochs (50)" << 3;
    QTest::newRow("kind of option") << "a whole number" << 4;
    QTest::newRow("helpers") << "mtl-tlp takes the help" << 5;
    QTest::newRow("target of helpers") << "--target" << 6;
    QTest::newRow("features") << "tlp reads schedule steps" << 7;
    QTest::newRow("trees go on") << "networks do" << 8;
    QTest::newRow("fine-tune what") << "--start-from" << 9;
    QTest::newRow("threads") << "1 to 1024" << 10;
    QTest::newRow("nothing to validate") << "keep the last" << 11;
    QTest::newRow("no files") << "--db" << 12;
    QTest::newRow("limited labels") << "mtl-tlp" << 13;
    QTest::newRow("templates") << "templates' configurations" << 14;
  }
  void whatCannotBeIsToldWithWhatCan() {
    QFETCH(QString, part);
    QFETCH(int, fault);
    const auto fail = [fault] {
      ModelWish wish = wishOf(fault == 2 || fault == 8 ? "xgboost" : fault == 7 ? "tlp" : "mlp");
      switch (fault) {
      case 0:
        wish.model = "mlpp";
        break;
      case 1:
        wish.loss = "huber";
        break;
      case 2:
        wish.loss = "lambdarank";
        break;
      case 3:
        setOption(wish, "epoch", "3");
        break;
      case 4:
        setOption(wish, "epochs", "many");
        break;
      case 5:
        wish.helpers = {"lake"};
        break;
      case 6:
        wish.model = "mtl-tlp", wish.helpers = {"lake"};
        break;
      case 7:
        wish.data.features = "paper";
        break;
      case 8:
        wish.startFrom = "a.nwm";
        break;
      case 9:
        wish.fineTune = true;
        break;
      case 10:
        wish.threads = 0;
        break;
      case 11:
        wish.data.validationShare = 0, wish.options["keep"] = "best-validation";
        break;
      case 12:
        wish.data.files.clear();
        break;
      case 13:
        wish.targetRecords = 100;
        break;
      case 14:
        wish.model = "autotvm";
        break;
      }
      settledOptions(wish);
    };
#ifndef HAS_COST_MODEL
    if (fault == 14) QSKIP("the plugin xgboost is not built here");
#endif
    const QString message = QString::fromStdString(messageOf(fail));
    QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY_THROWS_EXCEPTION(UsageError, fail());
  }
};

NW_TEST_APPLESS(ModelWishTest)

} // namespace nestwright::model_wish_test

#include "model_wish.moc"

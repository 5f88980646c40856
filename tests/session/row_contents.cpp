/// What a session's rows say is read with a sentence of our own for all that can be wrong with it.

#include "core/session/run/row_contents.h"

#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"
#include "core/support/error.h"
#include "core/target/target_json.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::row_contents_test {

using nlohmann::json;

/// What the reading told; empty when it told nothing, and "raw" when it was no sentence of ours.
template <class Read>
QString told(const Read& read) {
  try {
    read();
    return {};
  } catch (const InputError& e) {
    return QString::fromStdString(e.what());
  } catch (const std::exception& e) {
    return QStringLiteral("raw: ") + QString::fromStdString(e.what());
  }
}

SessionRow rowWith(std::string config) {
  SessionRow row;
  row.id = 3;
  row.config = std::move(config);
  return row;
}

std::string settings(const char* key, const json& value) {
  SessionConfig config;
  config.subjects = {"resnet18"};
  json all = toJson(config);
  all[key] = value;
  return all.dump();
}

EventRow eventRow(const char* kind, std::string text) {
  EventRow row;
  row.id = 7;
  row.session = 3;
  row.kind = kind;
  row.json = std::move(text);
  return row;
}

class RowContents : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void damagedSettingsAreTold_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const std::string& config, const char* why) {
      QTest::newRow(name) << QString::fromStdString(config) << QString(why);
    };
    row("empty", "", "the settings of session 3 cannot be read");
    row("cut", "{\"subjects\": [\"resn", "the settings of session 3 cannot be read");
    row("a list", "[1]", "the settings of session 3 are no settings");
    row("a number", "7", "the settings of session 3 are no settings");
    row("wrong type", settings("trials", "many"), "stored settings cannot be read");
    row("negative budget", settings("trials", -1), "impossible: trials;");
    row("endless budget", settings("trials", INT64_MAX), "impossible: trials;");
    row("empty rounds", settings("trials_per_round", 0), "impossible: trials_per_round");
    row("no population", settings("population", 0), "impossible: population");
    row("endless population", settings("population", 1 << 30), "impossible: population");
    row("generations", settings("generations", -1), "impossible: generations");
    row("warm-up", settings("warmup", -5), "impossible: warmup");
    row("share of random", settings("epsilon", 2.0), "impossible: epsilon");
    row("share of tasks", settings("task_epsilon", -0.5), "impossible: task_epsilon");
    row("share of checks", settings("check_share", 1.5), "impossible: check_share");
    row("endless window", settings("stop_window", 1 << 30), "impossible: stop_window");
    row("stop rule", settings("stop_failures", 1000), "impossible: stop_failures");
  }
  void damagedSettingsAreTold() {
    QFETCH(QString, config);
    QFETCH(QString, why);
    const QString text = told([&] { configOf(rowWith(config.toStdString())); });
    QVERIFY2(!text.startsWith(QLatin1String("raw")) && text.contains(why), qPrintable(text));
  }

  void soundSettingsAreRead() {
    const SessionConfig config = configOf(rowWith(settings("trials", 77)));
    QCOMPARE(config.trials, 77);
    QCOMPARE(config.subjects, std::vector<std::string>{"resnet18"});
    QCOMPARE(configJson(rowWith(R"({"import": ["a.json"]})"))["import"].size(), std::size_t(1));
  }

  void damagedEventsAreTold_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("text");
    QTest::newRow("no JSON") << "task mode"
                             << "{";
    QTest::newRow("a list") << "task mode"
                            << "[]";
    QTest::newRow("without its fields") << "task mode"
                                        << "{}";
    QTest::newRow("wrong type") << "new best"
                                << R"({"task": "one"})";
    const json impossible{{"what", "trials"}, {"config", settings("trials", -1)}, {"before", ""}};
    QTest::newRow("impossible settings") << "settings" << QString::fromStdString(impossible.dump());
    const json cut{{"what", "trials"}, {"config", settings("trials", 5)}, {"before", "{"}};
    QTest::newRow("cut settings") << "settings" << QString::fromStdString(cut.dump());
  }
  void damagedEventsAreTold() {
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const EventRow row = eventRow(kind.toLatin1().constData(), text.toStdString());
    const QString why = told([&] { eventOf(row); });
    QVERIFY2(!why.isEmpty() && !why.startsWith(QLatin1String("raw")), qPrintable(why));
  }

  void eventsOfANewerVersionAreNothing() {
    QVERIFY(!eventOf(eventRow("of the future", "{")));
    // So is an event of ours about a command of a newer version.
    json obeyed = toJson(Event(CommandObeyed{Stop{}, Sender::Window, true}));
    const auto read = [&] { return eventOf(eventRow(kind(CommandObeyed{}), obeyed.dump())); };
    QCOMPARE(std::get<CommandObeyed>(*read()).sender, Sender::Window);
    obeyed["command"]["command"] = "of the future";
    QVERIFY(!read());
    const SettingsChanged change{"trials", settings("trials", 5), ""};
    const std::optional<Event> again =
        eventOf(eventRow(kind(change), toJson(Event(change)).dump()));
    QVERIFY(again);
    QCOMPARE(std::get<SettingsChanged>(*again).config, change.config);
  }

  void whatARowTellsForPeopleIsReadAsFarAsItGoes() {
    SessionRow row = rowWith(settings("seed", 12));
    QCOMPARE(recordedSettings(row).seed, std::string("12"));
    QVERIFY(recordedSettings(row).workerCommand.empty());
    QVERIFY(!isImport(row));
    row = rowWith(R"({"import": ["/a/b.json", 7], "import_dags": ["/a/b.dag"]})");
    QVERIFY(isImport(row));
    QCOMPARE(importedFiles(row).logs, (std::vector<std::string>{"/a/b.json", ""}));
    QCOMPARE(importedFiles(row).dags, std::vector<std::string>{"/a/b.dag"});
    for (const char* damaged : {"", "{", "[]", R"({"import": 5})"}) {
      row = rowWith(damaged);
      QVERIFY(recordedSettings(row).seed.empty());
      QVERIFY(importedFiles(row).logs.empty());
    }
    TargetRow target;
    target.facts = toJson(hostTarget(2)).dump();
    QCOMPARE(factsIfKnown(target).value().modelName, hostTarget(2).modelName);
    QCOMPARE(factsIfKnown(target)->peakFlops(), 2 * hostTarget(2).peakFlopsPerCore);
    target.facts = "{}"; // that nobody described
    QVERIFY(!factsIfKnown(target));
  }

  void originsAreReadOrTold() {
    Record record;
    record.id = 9;
    QVERIFY(!traceOf(record));
    record.trace = R"({"import": "a.json", "line": 4})";
    QVERIFY(!traceOf(record));
    record.trace = R"({"operation": "random sample", "parents": [], "draw": 4, "sketch": 1})";
    QCOMPARE(traceOf(record).value().draw, std::uint64_t(4));
    for (const char* damaged : {"{", R"({"operation": 5})", R"({"operation": "x", "draw": "y"})"}) {
      record.trace = damaged;
      const QString why = told([&] { traceOf(record); });
      QVERIFY2(!why.isEmpty() && !why.startsWith(QLatin1String("raw")), qPrintable(why));
    }
  }

  void recombinationsAreReadOrTold() {
    RecombinationRow row;
    for (const char* damaged : {"", "{", "[]", "{}", R"({"network": 5})"}) {
      row.config = damaged;
      const QString why = told([&] { configOf(row); });
      QVERIFY2(!why.isEmpty() && !why.startsWith(QLatin1String("raw")), qPrintable(why));
    }
    row.config = toJson(RecombinationConfig{}).dump();
    QCOMPARE(configOf(row).samples, RecombinationConfig{}.samples);
  }

  void aSessionThatIsNotThereIsNamed() {
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("d.nwdb")).toStdString();
    const RecordStore store = RecordStore::open(path, OpenMode::Create);
    QVERIFY(told([&] { sessionRow(store, 5); }).contains(QLatin1String("has no session 5")));
  }
};

NW_TEST_GUILESS(RowContents)

} // namespace nestwright::row_contents_test

#include "row_contents.moc"

/// AutoTVM's logs as a recorded machine: each has a task per template, and all of them answer.

#include "core/logs/import_log.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/recorded_machine.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QProcess>
#include <QtTest>

#include <fstream>

namespace nestwright::recorded_logs_test {

const std::string kLog = NESTWRIGHT_TEST_DATA "/logs/autotvm-bert.log.gz";
const char* const kTask = "matmul:m=128,n=768,k=768";

struct Recording {
  std::string path;
  ComputeDag task;
  std::vector<Record> records; // of the task, under whatever template
};

bool isOfTask(const TaskRow& row) {
  return row.key.find(R"([["TENSOR",[128,768],"float32"],["TENSOR",[768,768],"float32"])") !=
         std::string::npos;
}

Recording recordingOf(const samples::Folder& folder, const std::string& log) {
  LogImportOptions options;
  options.database = folder.file("log.nwdb");
  options.inputs = {log};
  options.matchZoo = false;
  importLogs(options, std::atomic<bool>{false});
  Recording recording{options.database, resolveSubjects({kTask}).at(0).tasks.at(0).dag, {}};
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  for (const TaskRow& row : store.tasks().all()) {
    if (!isOfTask(row)) continue;
    RecordQuery query;
    query.task = row.id;
    query.order = RecordQuery::Order::Oldest;
    for (Record& record : store.records().page(query))
      recording.records.push_back(std::move(record));
  }
  return recording;
}

RecordedMachine machineOf(const Recording& recording) {
  const TargetFacts target = recordedTarget(recording.path, resolveSubjects({kTask}), "llvm", 0);
  return RecordedMachine(recording.path, target, {}, {recording.task});
}

MeasureResult answerOf(RecordedMachine& machine, const RecordProgram& program) {
  MeasureRequest request;
  request.dag = print(program.dag);
  request.steps = program.steps;
  MeasureResult answer;
  machine.measure(
      {request}, [&](const MeasureResult& result) { answer = result; }, nullptr);
  return answer;
}

class RecordedLogs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allTemplatesOfATaskAnswer() {
    const samples::Folder folder;
    const Recording recording = recordingOf(folder, kLog);
    RecordedMachine machine = machineOf(recording);
    std::map<std::string, int> answered;
    for (const Record& record : recording.records) {
      const RecordProgram program = recordProgram(recording.task, record);
      const MeasureResult answer = answerOf(machine, program);
      QCOMPARE(answer.verdict, record.result.verdict);
      QCOMPARE(answer.seconds, record.result.seconds);
      ++answered[program.config->kind];
    }
    QCOMPARE(answered.at("dense_pack.x86"), 4);
    QCOMPARE(answered.at("dense_nopack.x86"), 4);
  }

  void recordsWithoutAProgramAreTold() {
    const samples::Folder folder;
    QProcess gunzip;
    gunzip.start("gzip", {"-dc", QString::fromStdString(kLog)});
    QVERIFY(gunzip.waitForFinished());
    std::string lines;
    int broken = 0;
    for (const QByteArray& line : gunzip.readAllStandardOutput().split('\n')) {
      if (line.isEmpty()) continue;
      nlohmann::json record = nlohmann::json::parse(line.toStdString());
      const nlohmann::json& shape = record["input"][2][1][1];
      if (record["input"][1] == "dense_pack.x86" && shape == nlohmann::json{768, 768} &&
          broken++ < 2)
        record["config"]["entity"][2][2] = {1, 769};
      lines += record.dump() + '\n';
    }
    QVERIFY(broken > 2);
    std::ofstream(folder.file("broken.log")) << lines;
    const Recording recording = recordingOf(folder, folder.file("broken.log"));
    RecordedMachine machine = machineOf(recording);
    const MeasureResult answer = answerOf(machine, {recording.task, {}});
    QCOMPARE(answer.verdict, Verdict::NotRecorded);
    const QString why = QString::fromStdString(answer.error);
    QVERIFY2(why.contains("has no record of this program; what 2 of its records are programs of"),
             qPrintable(why));
    QVERIFY2(why.contains("no template of the task has the configuration"), qPrintable(why));
  }
};

NW_TEST_GUILESS(RecordedLogs)

} // namespace nestwright::recorded_logs_test

#include "recorded_logs.moc"

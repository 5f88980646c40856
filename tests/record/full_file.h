#pragma once
/// \file A record file with something in every table. What it holds must not change:
/// tests/data/schema_version*.nwdb hold the same.

#include "core/record/file/document_file.h"
#include "core/record/format/public_record.h"
#include "core/record/format/step_codec.h"
#include "core/record/intake/import_writer.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/mark_rows.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/tag_rows.h"
#include "tests/record/samples.h"

#include <string>
#include <vector>

namespace nestwright::samples {

inline constexpr int kFullTrials = 12, kFullImported = 6;

/// An imported record: the n-th of its log.
inline ImportedRecord importedRecord(int n) {
  Random random{std::uint64_t(n)};
  const EncodedSteps steps = encodeSteps(samples::steps(random));
  ImportedRecord record;
  record.shape = steps.shape;
  record.item.values = steps.values;
  record.verdict = n % 4 == 3 ? Verdict::RunError : Verdict::Ok;
  record.seconds = 1e-3 / (n + 1);
  record.allSeconds = 0.5;
  record.item.outcome = encodeOutcome(
      record.verdict == Verdict::Ok ? std::vector<double>{record.seconds} : std::vector<double>{},
      0.5);
  record.item.startedAt = 1'600'000'000'000'000 + n;
  record.identity = importIdentity(record.verdict, record.shape, record.item);
  return record;
}

/// Imports a made-up log of two tasks into the file.
inline void importLog(const std::string& path, int records = kFullImported) {
  ImportWriter writer(path);
  SessionRow row;
  row.title = "Import of old.json";
  row.config = R"({"import":["old.json"]})";
  row.createdAt = row.updatedAt = 1'700'000'000'000'500;
  row.status = SessionStatus::Finished;
  row.product = "0.1";
  writer.useSession(row);
  ImportSource source;
  source.path = "/logs/old.json";
  source.headBytes = 10, source.headHash = 77;
  writer.transaction([&] {
    writer.addSource(source);
    for (int n = 0; n < records; ++n) {
      const ImportedTask task{n % 2 == 0 ? "[\"matmul\", 8]" : "[\"matmul\", 16]",
                              "llvm",
                              {},
                              "",
                              R"({"version":"v0.6"})"};
      const RowId id = writer.task(task, [&] {
        return TaskKnowledge{"matmul", n % 2 == 0 ? "" : "dag of 16", 1e6,
                             fmt::format(R"({{"{}":[]}})", kLogHardware), "llvm"};
      });
      writer.add(importedRecord(n), id, task, source);
    }
    source.lines = records + 2, source.records = records, source.comments = 1, source.broken = 1;
    source.offset = source.fileBytes = 1000;
    source.finished = true;
    writer.save(source, {{records + 1, 900, "no closing bracket"}});
  });
}

/// What a tuning session leaves of itself.
inline void tune(RecordStore& store) {
  const Ground ground = fill(store, 3);
  Random random(5);
  std::vector<RowId> records;
  for (int i = 0; i < kFullTrials; ++i) {
    const RowId task = ground.tasks[std::size_t(i) % 3];
    Record row = i % 5 == 4 ? failure(ground, i + 1, Verdict::RunTimeout, task)
                            : record(ground, i + 1, 1e-3 / (1 + i), task);
    row.steps = steps(random);
    row.wallSeconds = i + 0.5;
    row.result.startedAt = 1'700'000'000'000'000 + i;
    row.trace = fmt::format(R"({{"operation":"random","parents":[],"draw":{}}})", i);
    row.contested = i == 7;
    if (i == 6) row.onDemand = true, row.original = records[2];
    records.push_back(store.records().add(row));
    store.events().add({0, ground.session, 1'700'000'000'000'000 + i, "measured",
                        fmt::format(R"({{"record":{},"task":{}}})", records.back(), task), i + 1,
                        i + 0.5});
  }
  store.tasks().setNaiveSeconds(ground.tasks[0], 1);
  store.models().save(ground.session, "trees", "model of the session");
  store.sessions().setNetworks(ground.session,
                               {{ground.network, "resnet18", {{ground.tasks[0], 2}}},
                                {0, "operator", {{ground.tasks[1], 1}}}});
  const RowId recombination = store.recombinations().add(
      {0, ground.network, ground.target, "{}",
       fmt::format(R"({{"candidates":[{{"programs":[{{"record":{}}}]}}]}})", records[0]),
       SessionStatus::Finished, 1, 2, 3, "0.1"});
  store.recombinations().addSample({recombination, 0, -1, {0}, Verdict::Ok, "", {1e-2, 1.1e-2}, 1});
  store.choices().keep(
      {ground.network, ground.target, recombination, 5, 1.1, {{ground.tasks[0], records[0]}}});
  store.records().setForgotten({records[3]}, true);
  EvolutionRow evolution;
  evolution.session = ground.session, evolution.task = ground.tasks[0], evolution.round = 1;
  store.evolutions().save(evolution);
  store.marks().save({0, ground.session, 3.5, 4, "look here"});
  store.tags().set("odd", {records[1], records[5]}, true);
}

/// Writes a file with everything that files have.
inline void writeFull(const std::string& path) {
  {
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    store.transaction([&] { tune(store); });
  }
  keep(path, "window/state", "docks");
  importLog(path);
}

} // namespace nestwright::samples

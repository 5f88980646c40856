#pragma once
/// \file The sample with programs that can be told apart, for tests of one program or of two.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/tensor/text.h"
#include "tests/ui/fixture.h"
#include "ui/document/program_ref.h"

namespace nestwright::ui::testing {

inline Steps tiled(std::int64_t inner) {
  return {SplitStep{2, 0, 32, {{8}}, true}, SplitStep{2, 2, 32, {{inner}}, true},
          ReorderStep{2, {0, 2, 4, 1, 3}}, AnnotationStep{2, 0, Annotation::Parallel},
          AnnotationStep{2, 4, Annotation::Vectorize}};
}

/// Further records of the sample's first task (a matrix product of 32), and a second session.
struct Programs {
  std::unique_ptr<Sample> sample = makeSample(30, SessionStatus::Finished);
  RowId left = 0, right = 0, illegal = 0, second = 0;

  Programs() {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    left = add(store, sample->session, tiled(8), 1.0e-5, 101);
    right = add(store, sample->session, tiled(16), 0.5e-5, 102);
    Steps broken = tiled(8);
    broken.push_back(SplitStep{2, 99, 32, {{2}}, true});
    illegal = add(store, sample->session, broken, 0, 103);
    SessionRow row = *store.sessions().one(sample->session);
    row.id = 0, row.title = "second";
    second = store.sessions().add(row);
    store.sessions().setTasks(second, sample->tasks);
    add(store, second, tiled(4), 1.0e-6, 1);
  }

  RowId add(RecordStore& store, RowId session, const Steps& steps, double seconds,
            std::int64_t trial) {
    Record record;
    record.session = session, record.task = sample->tasks[0], record.trial = trial;
    record.program = programId(parseDag(store.tasks().one(record.task)->dag), steps);
    record.steps = steps;
    record.trace = R"({"operation": "tile-size mutation", "parents": [")" + std::string(32, 'a') +
                   R"("], "draw": 7, "sketch": 1, "predicted_score": 0.5})";
    if (seconds > 0) {
      record.result.seconds = {seconds, seconds * 1.01, seconds * 0.99};
      record.verified = record.result.checked = true;
    } else {
      record.result.verdict = Verdict::Illegal;
      record.result.error = "there is no loop 99";
      record.result.failingStep = 5;
    }
    return store.records().add(record);
  }

  ProgramRef ref(RowId record) const {
    ProgramRef program;
    program.file = sample->path, program.task = sample->tasks[0], program.record = record;
    return program;
  }
};

} // namespace nestwright::ui::testing

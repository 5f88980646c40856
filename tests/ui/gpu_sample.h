#pragma once
/// \file A document of a GPU's programs, as a session elsewhere or an import leaves it: what can be
/// looked at without a GPU.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/step.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"
#include "tests/schedule/tiled_product.h"
#include "tests/space/gpu_tasks.h"
#include "tests/ui/fixture.h"

#include <nlohmann/json.hpp>

#include <QFile>

namespace nestwright::ui::testing {

/// A product of 256 tiled for sm_90 with clock and temperature, and the convolution that TVM's
/// gallery records, which names no GPU.
struct GpuSample : Sample {
  RowId product = 0, convolution = 0; // tasks
  RowId tiled = 0, gallery = 0;       // records

  /// `tf32`: the session allows it.
  explicit GpuSample(bool tf32 = false) : tf32_(tf32) {
    path = folder.filePath(QStringLiteral("gpu.nwdb"));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    store.transaction([&] { fill(store); });
  }

 private:
  bool tf32_;

  void fill(RecordStore& store) {
    const TargetFacts hopper = cudaTarget(gpuPreset({9, 0}));
    const RowId preset =
        store.targets().add({0, hopper.id(), hopper.text(), nestwright::toJson(hopper).dump()});
    const TargetFacts any = cudaTarget(GpuFacts());
    const RowId unnamed = store.targets().add(
        {0, "gallery", "cuda -keys=cuda,gpu -max_num_threads=1024 -thread_warp_size=32",
         nestwright::toJson(any).dump()});
    product = addTask(store, preset, 0, "matmul 256x256x256", parseDag(test::kProductDag));
    convolution = addTask(store, unnamed, 1, "conv2d 512 7x7", test::galleryConvolution());
    SessionConfig config;
    config.subjects = {"matmul:m=256,n=256,k=256"};
    config.target = "cuda:sm_90", config.tf32 = tf32_;
    SessionRow row;
    row.title = "gpu", row.config = toJson(config).dump(), row.status = SessionStatus::Finished;
    row.createdAt = row.updatedAt = 1'700'000'000'000'000;
    session = store.sessions().add(row);
    tasks = {product, convolution};
    store.sessions().setTasks(session, tasks);
    tiled = addRecord(store, product,
                      stepsFromJson(nlohmann::json::parse(test::kTiledProductSteps)), 1);
    gallery = addRecord(store, convolution, gallerySteps(), 2);
    records = {tiled, gallery};
  }

  RowId addTask(RecordStore& store, RowId target, int index, const char* name,
                const ComputeDag& dag) {
    return store.tasks().add(
        {0, 0, target, index, workloadKey(dag), name, print(dag), 1.0, flops(dag)});
  }

  RowId addRecord(RecordStore& store, RowId task, const Steps& steps, std::int64_t trial) {
    Record record;
    record.session = session, record.task = task, record.trial = trial;
    record.program = programId(parseDag(store.tasks().one(task)->dag), steps);
    record.steps = steps;
    record.verified = record.result.checked = true;
    record.result.seconds = {2e-5, 2.01e-5, 1.99e-5};
    record.result.machine.clockHertz = 1.98e9, record.result.machine.celsius = 54;
    return store.records().add(record);
  }

  static Steps gallerySteps() {
    QFile file(QStringLiteral(NESTWRIGHT_TEST_DATA "/logs/tvm-gallery-conv2d.json"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    for (const QByteArray& line : file.readAll().split('\n'))
      if (line.startsWith('{'))
        return stepsFromJson(nlohmann::json::parse(line.toStdString())["i"][1][1]);
    return {};
  }
};

} // namespace nestwright::ui::testing

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
#include "tests/ui/fixture.h"

#include <nlohmann/json.hpp>

#include <QFile>

namespace nestwright::ui::testing {

/// A product of 256 tiled for sm_90 with clock and temperature, and the convolution that TVM's
/// gallery records, which names no GPU.
struct GpuSample : Sample {
  RowId product = 0, convolution = 0; // tasks
  RowId tiled = 0, gallery = 0;       // records

  GpuSample() {
    path = folder.filePath(QStringLiteral("gpu.nwdb"));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    store.transaction([&] { fill(store); });
  }

 private:
  void fill(RecordStore& store) {
    const TargetFacts hopper = cudaTarget(gpuPreset({9, 0}));
    const RowId preset =
        store.targets().add({0, hopper.id(), hopper.text(), nestwright::toJson(hopper).dump()});
    const TargetFacts any = cudaTarget(GpuFacts());
    const RowId unnamed = store.targets().add(
        {0, "gallery", "cuda -keys=cuda,gpu -max_num_threads=1024 -thread_warp_size=32",
         nestwright::toJson(any).dump()});
    product = addTask(store, preset, 0, "matmul 256x256x256",
                      "A = PLACEHOLDER [256, 256]\nB = PLACEHOLDER [256, 256]\n"
                      "C(i, j) += (A[i, k]*B[k, j])\n");
    convolution = addTask(
        store, unnamed, 1, "conv2d 512 7x7",
        "data = PLACEHOLDER [1, 512, 7, 7]\n"
        "pad_temp(i0=1, i1=512, i2=9, i3=9) = if_then_else(((((i2 >= 1) && (i2 < 8)) && (i3 >= "
        "1)) && (i3 < 8)), data[i0, i1, (i2 - 1), (i3 - 1)], 0f)\n"
        "kernel = PLACEHOLDER [512, 512, 3, 3]\n"
        "conv(nn=1, ff=512, yy=7, xx=7) {rc=512, ry=3, rx=3} += (pad_temp[nn, rc, (yy + ry), (xx "
        "+ rx)]*kernel[ff, rc, ry, rx])\n"
        "bias = PLACEHOLDER [1, 512, 1, 1]\n"
        "T_add(ax0=1, ax1=512, ax2=7, ax3=7) = (conv[ax0, ax1, ax2, ax3] + bias[ax0, ax1, 0, "
        "0])\n"
        "relu(i0=1, i1=512, i2=7, i3=7) = max(T_add[i0, i1, i2, i3], 0f)\n");
    SessionConfig config;
    config.subjects = {"matmul:m=256,n=256,k=256"};
    config.target = "cuda:sm_90";
    SessionRow row;
    row.title = "gpu", row.config = toJson(config).dump(), row.status = SessionStatus::Finished;
    row.createdAt = row.updatedAt = 1'700'000'000'000'000;
    session = store.sessions().add(row);
    tasks = {product, convolution};
    store.sessions().setTasks(session, tasks);
    tiled = addRecord(store, product, stepsFromJson(nlohmann::json::parse(kTiledSteps)), 1);
    gallery = addRecord(store, convolution, gallerySteps(), 2);
    records = {tiled, gallery};
  }

  RowId addTask(RecordStore& store, RowId target, int index, const char* name, const char* dag) {
    const ComputeDag parsed = parseDag(dag);
    return store.tasks().add(
        {0, 0, target, index, workloadKey(parsed), name, print(parsed), 1.0, flops(parsed)});
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

  // Blocks of 64 × 64, 16 × 8 threads of 4 × 4, twice along j.
  static constexpr const char* kTiledSteps =
      R"([["CHW", 2, "local"], ["SP", 2, 0, 256, [1, 16, 2, 2], 1],
      ["SP", 2, 5, 256, [2, 8, 1, 4], 1], ["SP", 2, 10, 256, [4, 2], 1],
      ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 1, 3],
      ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
      ["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]],
      ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]],
      ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]],
      ["SP", 3, 0, 32, [4], 1], ["AN", 3, 1, 2], ["FFSP", 3, 0, [2, 1], 1, 1],
      ["AN", 3, 1, 6], ["FU", 1, [0, 1]], ["SP", 1, 0, 32, [2], 1], ["AN", 1, 1, 2],
      ["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6],
      ["PR", 4, 0, "auto_unroll_max_step$512"]])";
};

} // namespace nestwright::ui::testing

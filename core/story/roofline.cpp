#include "core/story/roofline.h"

#include "core/dataset/feature_options.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/target/dot_products.h"
#include "core/target/instruction_set.h"
#include "core/tensor/compulsory_bytes.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright {
namespace {

using TrafficColumns = std::array<std::size_t, kTrafficKinds>;

/// Where the named features stand in a row.
template <std::size_t N>
TrafficColumns columnsOf(const std::array<std::string, N>& names,
                         const std::array<const char*, kTrafficKinds>& wanted) {
  TrafficColumns columns{};
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = static_cast<std::size_t>(std::ranges::find(names, wanted[i]) - names.begin());
  return columns;
}

/// Columns of what all statements of a program move, by Traffic: bytes on a GPU, and else lines.
const TrafficColumns& trafficColumns(const TargetFacts& target) {
  static const TrafficColumns ofGpu = columnsOf(
      gpuFeatureNames(), {"gpu.all_dram_bytes", "gpu.all_l2_bytes", "gpu.all_shared_bytes"});
  static const TrafficColumns ofCpu =
      columnsOf(loweredFeatureNames(),
                {"lowered.all_lines_l3", "lowered.all_lines_l2", "lowered.all_lines_l1"});
  return target.gpu ? ofGpu : ofCpu;
}

/// The task's bests and its newest programs that ran, by trial.
std::vector<Record> chosenRecords(const RecordStore& store, const RooflineQuery& query) {
  RecordQuery newest;
  newest.session = query.session;
  newest.task = query.task;
  newest.verdict = Verdict::Ok;
  newest.limit = query.programs;
  newest.marks = query.marks;
  if (query.newest != std::numeric_limits<RowId>::max()) newest.after = query.newest + 1;
  std::vector<Record> records = store.records().page(newest);
  std::set<RowId> there;
  for (const Record& record : records)
    there.insert(record.id);
  const auto add = [&](RowId id) {
    if (!there.insert(id).second) return;
    std::optional<Record> record = store.records().one(id);
    if (record && record->task == query.task && record->result.verdict == Verdict::Ok)
      records.push_back(std::move(*record));
  };
  for (const std::vector<RowId>* more : {&query.bests, &query.dragged})
    for (const RowId id : *more)
      add(id);
  std::ranges::sort(records, {}, &Record::id);
  return records;
}

/// Nothing of a program that cannot be made again.
MovedBytes movedBytesOf(RecordPrograms& programs, const Record& record, const TargetFacts& target) {
  try {
    const RecordProgram program = programs.program(record);
    return movedBytes(program.dag, program.steps, target);
  } catch (const InputError&) {
    return {};
  }
}

} // namespace

MovedBytes movedBytes(const ComputeDag& dag, const Steps& steps, const TargetFacts& target) {
  const TrafficColumns& columns = trafficColumns(target);
  const double unit = target.gpu ? 1 : target.cacheLineBytes;
  MovedBytes bytes{};
  try {
    const ProgramFeatures features =
        programFeatures(State::replay(dag, steps), programFeatureOptions({.paper = false}, target));
    if (features.stages.empty()) return bytes;
    // The sums are the same in every row; they are on the scale log2(x + 1).
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = (std::exp2(static_cast<double>(features.values[columns[i]])) - 1) * unit;
  } catch (const IllegalSchedule&) {
    return {};
  }
  return bytes;
}

Roofs roofsOf(const TargetFacts& target) {
  Roofs roofs;
  roofs.peakFlops = target.peakFlops();
  if (!target.gpu) {
    const DotProducts dots = dotProductsOf(target);
    for (const auto& [unit, floats] :
         {std::pair(Ceiling::Unit::DotBFloat16, true), std::pair(Ceiling::Unit::DotInt8, false)})
      if (const int products = dots.atOnce(floats); products > 1)
        roofs.ceilings.push_back({unit, products * roofs.peakFlops});
    return roofs;
  }
  const GpuFacts& gpu = *target.gpu;
  roofs.isGpu = true;
  roofs.peakFlops = gpu.peakFlops();
  for (const Ceiling& ceiling : {Ceiling{Ceiling::Unit::TensorTf32, gpu.peakTf32Flops()},
                                 Ceiling{Ceiling::Unit::TensorHalf, gpu.peakHalfFlops()}})
    if (ceiling.flops > 0) roofs.ceilings.push_back(ceiling);
  // A multiprocessor takes 64 bytes a clock from L2 at most, on all architectures since sm_70.
  constexpr double kL2BytesPerClock = 64;
  roofs.bandwidths = {gpu.peakMemoryBytes(),
                      kL2BytesPerClock * gpu.clockKilohertz * 1e3 * gpu.multiprocessors,
                      gpu.peakSharedBytes()};
  return roofs;
}

std::optional<Ceiling> ceilingOver(const Roofs& roofs, double flops) {
  if (roofs.peakFlops <= 0 || flops <= roofs.peakFlops) return std::nullopt;
  for (const Ceiling& ceiling : roofs.ceilings)
    if (flops <= ceiling.flops) return ceiling;
  return std::nullopt;
}

Roofline readRoofline(const RecordStore& store, const RooflineQuery& query, TrafficCache& cache,
                      const std::function<void(std::size_t, std::size_t)>& progress) {
  if (cache.path != store.path()) cache = {store.path(), {}};
  const std::optional<TaskRow> task = store.tasks().one(query.task);
  if (!task) throw InputError(fmt::format("{} has no task {}", store.path(), query.task));
  const TargetFacts target = targetOf(store, *task);
  const ComputeDag dag = parseDag(task->dag);
  Roofline roofline;
  roofline.task = query.task;
  roofline.flops = task->flops;
  roofline.compulsoryBytes = compulsoryBytes(dag);
  roofline.roofs = roofsOf(target);
  roofline.target = target.id();
  roofline.targetText = target.text();
  // Whatever the lowering, the machine has the same roofs.
  const TargetFacts host = hostTarget();
  roofline.here = canRun(host, target.instructionSet) && alike(host, target).id() == target.id();
  const std::vector<Record> records = chosenRecords(store, query);
  const std::set<RowId> bests(query.bests.begin(), query.bests.end());
  const std::set<RowId> dragged(query.dragged.begin(), query.dragged.end());
  RecordPrograms programs(dag);
  std::size_t done = 0;
  for (const Record& record : records) {
    if (progress) progress(done, records.size());
    auto known = cache.moved.find(record.id);
    if (known == cache.moved.end())
      known = cache.moved.emplace(record.id, movedBytesOf(programs, record, target)).first;
    ++done;
    if (known->second[0] <= 0)
      ++roofline.left;
    else
      roofline.points.push_back({record.id, record.trial, record.result.latency(), known->second,
                                 bests.contains(record.id), dragged.contains(record.id)});
  }
  return roofline;
}

} // namespace nestwright

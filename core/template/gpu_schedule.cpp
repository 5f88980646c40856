#include "core/template/gpu_schedule.h"

namespace nestwright {

GpuStages inThreads(ScheduleBuilder& s, const ProgramStages& stages) {
  const ScheduleBuilder::Stage sums = s.cacheWrite(stages.main, "local");
  if (stages.fused) s.computeInline(stages.main);
  return {stages.result, sums};
}

ScheduleBuilder::Stage fetch(ScheduleBuilder& s, int operand, ScheduleBuilder::Stage sums) {
  return s.cacheRead(s.stage(operand), "shared", sums);
}

Fetched fetchTwice(ScheduleBuilder& s, int operand, ScheduleBuilder::Stage sums) {
  const ScheduleBuilder::Stage shared = fetch(s, operand, sums);
  return {shared, s.cacheRead(shared, "local", sums)};
}

void bind(ScheduleBuilder& s, ScheduleBuilder::Stage stage,
          const std::vector<ScheduleBuilder::Loop>& loops,
          const std::vector<Annotation>& annotations) {
  for (std::size_t i = 0; i < loops.size(); ++i)
    s.annotate(stage, loops[i], annotations[i]);
}

ImageTiles tileImages(ScheduleBuilder& s, ScheduleBuilder::Stage result, const KnobValues& knobs) {
  constexpr int kImage = 0, kChannel = 1, kRow = 2, kColumn = 3; // axes of the result
  constexpr std::size_t kThreads = 1;                            // of the inner sizes of a split
  const ScheduleBuilder::Loop image = s.axis(result, kImage);
  const auto f = s.split(result, s.axis(result, kChannel), knobs.innerSizes("tile_f"));
  const auto y = s.split(result, s.axis(result, kRow), knobs.innerSizes("tile_y"));
  const auto x = s.split(result, s.axis(result, kColumn), knobs.innerSizes("tile_x"));
  s.reorder(result,
            {image, f[0], y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2], f[3], y[3], x[3]});
  using enum Annotation;
  bind(s, result, {s.fuse(result, {image, f[0]}), y[0], x[0]}, {BlockZ, BlockY, BlockX});
  bind(s, result, {f[1], y[1], x[1]}, {VThread, VThread, VThread});
  bind(s, result, {f[2], y[2], x[2]}, {ThreadZ, ThreadY, ThreadX});
  return {x[0],
          x[2],
          {knobs.innerSizes("tile_f")[kThreads], knobs.innerSizes("tile_y")[kThreads],
           knobs.innerSizes("tile_x")[kThreads]}};
}

void unrollByKnobs(ScheduleBuilder& s, ScheduleBuilder::Stage result, ScheduleBuilder::Loop loop,
                   const KnobValues& knobs) {
  s.pragma(result, loop, Pragma::AutoUnroll, knobs.number("auto_unroll_max_step"));
  s.pragma(result, loop, Pragma::UnrollExplicit, knobs.number("unroll_explicit"));
}

} // namespace nestwright

#pragma once
/// \file What the schedules of templates for GPUs have in common. Private to this room.

#include "core/template/executable_template.h"

#include <vector>

namespace nestwright {

/// The stages of a GPU program that are not only copies.
struct GpuStages {
  ScheduleBuilder::Stage result; // that blocks and threads share out
  ScheduleBuilder::Stage sums;   // in each thread's own memory
};
/// Sums stay in each thread's memory; what is fused behind them, or else a copy, stores the result.
GpuStages inThreads(ScheduleBuilder& builder, const ProgramStages& stages);

/// What the threads of a block read of an operand.
struct Fetched {
  ScheduleBuilder::Stage shared; // in the block's memory
  ScheduleBuilder::Stage own;    // what one thread takes of it
};
ScheduleBuilder::Stage fetch(ScheduleBuilder& builder, int operand, ScheduleBuilder::Stage sums);
Fetched fetchTwice(ScheduleBuilder& builder, int operand, ScheduleBuilder::Stage sums);

/// Each loop is annotated as the entry at its place says.
void bind(ScheduleBuilder& builder, ScheduleBuilder::Stage stage,
          const std::vector<ScheduleBuilder::Loop>& loops,
          const std::vector<Annotation>& annotations);

/// The tiles of images: tile_f, tile_y and tile_x cut channels, rows and columns into blocks,
/// virtual threads, threads and what each of them computes; images go with the blocks along z.
struct ImageTiles {
  ScheduleBuilder::Loop block;       // the innermost loop over blocks
  ScheduleBuilder::Loop thread;      // and over threads
  std::vector<std::int64_t> threads; // along z, y and x
};
ImageTiles tileImages(ScheduleBuilder& builder, ScheduleBuilder::Stage result,
                      const KnobValues& knobs);

/// The knobs auto_unroll_max_step and unroll_explicit, for the kernel of this stage.
void unrollByKnobs(ScheduleBuilder& builder, ScheduleBuilder::Stage result,
                   ScheduleBuilder::Loop loop, const KnobValues& knobs);

} // namespace nestwright

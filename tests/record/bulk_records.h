#pragma once
/// \file Files of any number of imported records, made quickly.

#include "core/record/format/step_codec.h"
#include "core/record/intake/import_writer.h"
#include "core/support/random.h"
#include "core/target/target.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace nestwright::samples {

/// The steps of a tiled loop nest with random tile sizes.
inline Steps bulkSteps(Random& random) {
  const auto size = [&] { return TileSize(std::int64_t(1) << random.below(5)); };
  return {SplitStep{2, 0, 512, {size(), size(), size()}, true},
          SplitStep{2, 4, 512, {size(), size(), size()}, true},
          SplitStep{2, 8, 512, {size()}, true},
          ReorderStep{2, {0, 4, 1, 5, 8, 2, 6, 9, 3, 7}},
          FuseStep{2, {0, 1, 2}},
          AnnotationStep{2, 0, Annotation::Parallel},
          PragmaStep{2, 0, fmt::format("auto_unroll_max_step${}", 16 << random.below(3))}};
}

/// Adds so many made-up records of a log to the file, `perTask` of a task; a thirtieth failed.
inline void importMany(const std::string& path, const SessionRow& session, std::int64_t records,
                       std::int64_t perTask, std::uint64_t seed,
                       const std::function<void(std::int64_t)>& onDone = {}) {
  Random random(seed);
  std::vector<EncodedSteps> programs;
  for (int i = 0; i < 32; ++i)
    programs.push_back(encodeSteps(bulkSteps(random)));
  ImportWriter writer(path);
  writer.useSession(session);
  ImportSource source;
  source.path = session.title;
  constexpr std::int64_t kTogether = 20'000;
  for (std::int64_t begin = 0; begin < records; begin += kTogether) {
    writer.transaction([&] {
      if (source.id == 0) writer.addSource(source);
      for (std::int64_t i = begin; i < std::min(records, begin + kTogether); ++i) {
        const std::int64_t number = i / perTask;
        const ImportedTask from{fmt::format("[\"{:032x}\"]", number), "llvm -mcpu=skylake-avx512",
                                TargetFacts().recordHardware(), "", "{}"};
        const RowId task = writer.task(from, [&] {
          return TaskKnowledge{fmt::format("{} {}", number % 2 == 0 ? "Conv" : "Dense", number), "",
                               1e9 * double(1 + number % 7), "{}", "cpu"};
        });
        const EncodedSteps& program = programs[random.below(programs.size())];
        ImportedRecord record;
        if (random.below(30) == 0) record.verdict = Verdict(1 + random.below(5));
        record.seconds = 1e-5 * double(1 + number % 50) * std::exp(4 * random.unit());
        record.allSeconds = 0.5;
        record.shape = program.shape;
        record.item.values = program.values;
        record.item.outcome =
            encodeOutcome({1.01 * record.seconds, record.seconds, 0.99 * record.seconds}, 0.5);
        record.item.startedAt = 1'620'000'000'000'000 + i * 1'000'000;
        record.identity = importIdentity(record.verdict, record.shape, record.item);
        writer.add(record, task, from, source);
      }
    });
    if (onDone) onDone(std::min(records, begin + kTogether));
  }
}

} // namespace nestwright::samples

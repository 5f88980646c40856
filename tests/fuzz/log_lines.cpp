// libFuzzer target: any line must give a record that can be stored and read back, a comment, or a
// reason; and a task that can be named.

#include "core/logs/line_chunks.h"
#include "core/logs/tvm_tasks.h"
#include "core/record/format/step_codec.h"
#include "core/support/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace nestwright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static LineParser parser;
  LineChunk chunk;
  chunk.size = size;
  chunk.endOffset = std::int64_t(size);
  chunk.bytes.assign(reinterpret_cast<const char*>(data), size);
  chunk.bytes.append(kLinePadding, '\0');
  const ParsedChunk parsed = parseChunk(parser, chunk);
  const auto records = std::int64_t(parsed.batch.records.size());
  if (parsed.lines != records + parsed.comments + parsed.broken) std::abort();
  ImportedBlock block;
  for (const ImportedRecord& record : parsed.batch.records) {
    MeasureResult result;
    result.verdict = record.verdict;
    decodeOutcome(record.item.outcome, result);
    if (result.verdict == Verdict::Ok && result.latency() != record.seconds) std::abort();
    if (!record.item.isConfig) {
      const Steps steps = decodeSteps(record.shape, record.item.values);
      for (const TaskGuess& guess : guessTasks(parsed.batch.tasks.at(std::size_t(record.task)).key))
        fits(guess.dag, steps);
    }
    block.items.push_back(record.item);
  }
  if (!(decodeBlock(encodeBlock(block)).items == block.items)) std::abort();
  return 0;
}

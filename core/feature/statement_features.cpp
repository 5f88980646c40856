#include "core/feature/statement_features.h"

#include "core/feature/nest_features.h"
#include "core/support/error.h"

#include <cmath>

namespace nestwright {

namespace {

using Row = std::array<float, kFeatureCount>;

/// Writes one row from the left to the right.
class RowWriter {
 public:
  explicit RowWriter(Row& row) : row_(row) {}

  void scaled(double x) { plain(x >= 0 ? std::log2(x + 1) : -std::log2(1 - x)); }
  void plain(double x) { row_[count_++] = static_cast<float>(x); }
  void oneHot(std::size_t chosen, std::size_t choices) {
    for (std::size_t i = 0; i < choices; ++i)
      plain(i == chosen ? 1 : 0);
  }
  void zeros(std::size_t n) { count_ += n; }
  std::size_t count() const { return count_; }

 private:
  Row& row_;
  std::size_t count_ = 0;
};

void writeOperations(const OperationCounts& counts, double iterations, RowWriter& row) {
  row.plain(0); // multiply-add is not told apart
  for (const double count : {counts.addSub, counts.mul, counts.divMod, counts.compare,
                             counts.mathFunction, counts.otherFunction})
    row.scaled(count * iterations);
}

void writeAnnotated(const AnnotatedLoops& loops, RowWriter& row) {
  row.scaled(loops.count);
  row.scaled(loops.product);
  row.scaled(loops.innermost);
  // Of the eight positions only "none" and "mixed" occur.
  row.oneHot(loops.count > 0 ? 7 : 0, 8);
}

void writeBuffer(const BufferFeatures& f, RowWriter& row) {
  row.oneHot(static_cast<std::size_t>(f.type), 3);
  row.scaled(f.bytes);
  row.scaled(f.uniqueBytes);
  row.scaled(f.lines);
  row.scaled(f.uniqueLines);
  row.oneHot(static_cast<std::size_t>(f.reuse), 3);
  row.scaled(f.reuseIterations);
  row.scaled(f.reuseBytes);
  row.scaled(f.reuseCount);
  const double divisor = f.reuseCount > 0.5 ? f.reuseCount : 0.5;
  row.scaled(f.bytes / divisor);
  row.scaled(f.uniqueBytes / divisor);
  row.scaled(f.lines / divisor);
  row.scaled(f.uniqueLines / divisor);
  row.scaled(f.stride);
}

void writeRow(const NestFeatures& f, Row& values) {
  RowWriter row(values);
  writeOperations(f.statement.floats, f.iterations, row);
  writeOperations(f.statement.integers, f.iterations, row);
  row.scaled(f.statement.logic * f.iterations);
  row.scaled(f.statement.selects * f.iterations);
  writeAnnotated(f.vectorized, row);
  writeAnnotated(f.unrolled, row);
  writeAnnotated(f.parallel, row);
  row.plain(f.isGpu ? 1 : 0);
  for (const double extent : f.threads.blocks)
    row.scaled(extent);
  for (const double extent : f.threads.threads)
    row.scaled(extent);
  row.scaled(f.threads.virtualThreads);
  const std::size_t buffers = std::min(f.buffers.size(), kFeatureBuffers);
  for (std::size_t i = 0; i < buffers; ++i)
    writeBuffer(f.buffers[i], row);
  row.zeros(18 * (kFeatureBuffers - buffers));
  for (const double intensity : f.intensity)
    row.scaled(intensity);
  row.scaled(f.allocatedBytes);
  row.scaled(f.allocatedElements * f.iterationsOutsideAllocation);
  row.scaled(f.iterationsOutsideAllocation);
  row.scaled(f.iterationsInsideAllocation);
  row.scaled(f.iterations);
  row.scaled(f.loops);
  row.scaled(f.unrollMaxStep);
  NW_ASSERT(row.count() == kFeatureCount, "{} features were written", row.count());
}

} // namespace

std::vector<StatementFeatures> statementFeatures(const State& state,
                                                 const FeatureOptions& options) {
  return statementFeatures(state, inferBounds(state), options);
}

std::vector<StatementFeatures> statementFeatures(const State& state, const Bounds& bounds,
                                                 const FeatureOptions& options) {
  std::vector<StatementFeatures> result;
  for (const NestFeatures& f : nestFeatures(state, bounds, options.cacheLineBytes)) {
    StatementFeatures& row = result.emplace_back();
    row.stage = state.stage(f.stage).name();
    row.statement = f.isShare ? row.stage + ".share" : row.stage;
    writeRow(f, row.values);
  }
  return result;
}

} // namespace nestwright

#pragma once
/// \file What a kernel of a GPU program is launched with and what it takes, as its compiler says
/// or, before that, as its bounds let expect: in words, and as the rows of a table.

#include "core/backend/kernel_artifact.h"
#include "core/result/measured_kernel.h"
#include "core/story/kernel_picture.h"
#include "ui/kit/table/column_model.h"

#include <QString>

namespace nestwright::ui {

struct KernelFacts {
  QString name; // of the stage that it computes
  std::array<std::int64_t, 3> grid{1, 1, 1}, threads{1, 1, 1};
  std::int64_t virtualThreads = 1;
  std::int64_t sharedBytes = 0; // of a block
  int registers = 0;            // of a thread
  int registerLimit = 255;      // that a thread of such a block can have
  std::int64_t spillBytes = 0;  // that a thread moves out of its registers and back
  std::int64_t stackBytes = 0;  // that a thread has in memory of its own, spills among them
  Occupancy occupancy;
  bool isCompiled = false;      // these are a compiler's figures; else estimates
  int multiprocessors = 0;      // of the GPU; 0: unknown
  int warpThreads = 32;         // of the GPU
  std::int64_t sharedLimit = 0; // that such a block can have

  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  std::int64_t threadsPerBlock() const { return threads[0] * threads[1] * threads[2]; }
  std::int64_t warps() const { return (threadsPerBlock() + warpThreads - 1) / warpThreads; }
  /// How often its blocks fill the whole GPU; 0 when unknown.
  double waves() const;
};

/// What the GPU allows a kernel of such blocks.
void addLimits(KernelFacts& kernel, const GpuFacts& gpu);
KernelFacts factsOf(const KernelPicture& kernel, const GpuFacts& gpu);
KernelFacts factsOf(const KernelLaunch& launch, const QString& name, const GpuFacts& gpu);

/// The same with what the kernel took when it was measured.
KernelFacts withMeasured(KernelFacts facts, const MeasuredKernel& kernel);

/// "8 × 4" without extents of 1 at the end; "1" for one.
QString extentsText(const std::array<std::int64_t, 3>& extents);
/// "1 block", "64 blocks".
QString unitsText(std::int64_t count, const QString& one, const QString& many);
/// Some sentences for a person.
QString inWords(const KernelFacts& kernel);

class KernelModel : public TableModel<KernelFacts> {
  Q_OBJECT
 public:
  explicit KernelModel(QObject* parent = nullptr);
  void show(std::vector<KernelFacts> kernels) { setRows(std::move(kernels)); }
};

} // namespace nestwright::ui

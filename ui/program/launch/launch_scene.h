#pragma once
/// \file What a drawing of a GPU's kernel shows and where: its grid over the output, one block's
/// tile with the threads that compute it, and one thread's elements. Painted by launch_painter.h.

#include "core/story/kernel_picture.h"
#include "ui/program/launch/kernel_facts.h"

#include <QImage>
#include <QRectF>

#include <array>
#include <optional>
#include <vector>

namespace nestwright::ui {

struct LaunchScene {
  enum class Level : std::uint8_t { Grid, Block, Thread };

  KernelPicture kernel;
  KernelFacts facts;
  GpuFacts gpu;
  std::int64_t block = 0, thread = 0; // that are looked into
  TilePlane plane;
  BlockTile tile; // of that block
  QImage owners;  // a pixel for each cell of the tile; null when there are too many
  /// Rows and columns of the tile that the thread computes, ascending.
  std::vector<std::int64_t> ownRows, ownColumns;
  std::array<QRectF, 3> areas; // of the levels

  const QRectF& areaOf(Level level) const { return areas[static_cast<std::size_t>(level)]; }
  const AxisShare& axis(int number) const { return kernel.axes[static_cast<std::size_t>(number)]; }
  /// Positions of an axis of the output; 1 for one that it does not have.
  double whole(int axisNumber) const {
    return axisNumber < 0 ? 1.0 : double(axis(axisNumber).whole);
  }
  double widthOfLevel() const; // of what is written above and below a level
  QRectF blockInGrid() const;
  QRectF cellRect(std::int64_t row, std::int64_t column) const;
  /// Around all that the thread computes; empty where it computes nothing.
  QRectF threadInBlock() const;
  std::optional<std::int64_t> blockAt(const QPointF& position) const;
  std::optional<int> threadAt(const QPointF& position) const;
};

/// The scene with this block and thread, or the nearest that the kernel has; not laid out yet. What
/// `before` has of the same kernel and block is taken over: it is most of the work.
LaunchScene launchScene(const KernelPicture& kernel, const KernelFacts& facts, const GpuFacts& gpu,
                        std::int64_t block, std::int64_t thread,
                        const std::optional<LaunchScene>& before = {});
/// Finds places for its levels in a picture of this size.
void layOut(LaunchScene& scene, QSize size);

/// Lines of a picture that are kept for writing above the levels, and below them.
inline constexpr int kLaunchHeadLines = 2, kLaunchFootLines = 4;

} // namespace nestwright::ui

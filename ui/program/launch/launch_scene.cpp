#include "ui/program/launch/launch_scene.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"

#include <QFontMetrics>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr double kMargin = 10, kGap = 40; // between levels, where the magnifying lines are

std::vector<std::int64_t> sorted(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// The largest rectangle of such proportions, not too flat, in the middle of an area.
QRectF fitted(const QRectF& area, double columns, double rows) {
  constexpr double kFlattest = 2.5;
  const double aspect = std::clamp(columns / std::max(rows, 1.0), 1 / kFlattest, kFlattest);
  QSizeF size(area.width(), area.width() / aspect);
  if (size.height() > area.height()) size = {area.height() * aspect, area.height()};
  return {area.center().x() - size.width() / 2, area.center().y() - size.height() / 2, size.width(),
          size.height()};
}

/// Shades of all threads: warps take turns in strength, and threads within a warp.
QImage ownersOf(const BlockTile& tile, int warpThreads) {
  const auto shade = [](int alpha) {
    QColor colour = colours().parallel;
    colour.setAlpha(alpha);
    return qPremultiply(colour.rgba());
  };
  const std::array<std::array<QRgb, 2>, 2> shades{
      {{shade(34), shade(34 + 16)}, {shade(76), shade(76 + 16)}}};
  QImage image(static_cast<int>(tile.columns), static_cast<int>(tile.rows),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(row)));
    for (std::int64_t column = 0; column < tile.columns; ++column)
      if (const int thread = tile.at(row, column).thread; thread >= 0)
        pixels[column] = shades[static_cast<std::size_t>(thread / warpThreads % 2)]
                               [static_cast<std::size_t>(thread % 2)];
  }
  return image;
}

void takeTile(LaunchScene& scene, const std::optional<LaunchScene>& before) {
  if (before && before->kernel.elements == scene.kernel.elements && before->block == scene.block) {
    scene.plane = before->plane, scene.tile = before->tile, scene.owners = before->owners;
    return;
  }
  scene.plane = planeOf(scene.kernel);
  scene.tile = blockTile(scene.kernel, scene.block);
  if (!scene.tile.cells.empty()) scene.owners = ownersOf(scene.tile, scene.facts.warpThreads);
}

} // namespace

LaunchScene launchScene(const KernelPicture& kernel, const KernelFacts& facts, const GpuFacts& gpu,
                        std::int64_t block, std::int64_t thread,
                        const std::optional<LaunchScene>& before) {
  LaunchScene scene;
  scene.kernel = kernel, scene.facts = facts, scene.gpu = gpu;
  scene.block = std::clamp<std::int64_t>(block, 0, kernel.demand.blocks() - 1);
  scene.thread = std::clamp<std::int64_t>(thread, 0, kernel.demand.threadsPerBlock() - 1);
  takeTile(scene, before);
  if (scene.tile.cells.empty()) return scene;
  for (std::int64_t row = 0; row < scene.tile.rows; ++row)
    for (std::int64_t column = 0; column < scene.tile.columns; ++column)
      if (scene.tile.at(row, column).thread == scene.thread) {
        scene.ownRows.push_back(row);
        scene.ownColumns.push_back(column);
      }
  scene.ownRows = sorted(std::move(scene.ownRows));
  scene.ownColumns = sorted(std::move(scene.ownColumns));
  return scene;
}

void layOut(LaunchScene& scene, QSize size) {
  const double line = QFontMetrics(smallFont()).height();
  const double head = kLaunchHeadLines * line + 8, foot = kLaunchFootLines * line + 18;
  // Beside each level the name of an axis is written upwards.
  const double width = (size.width() - 2 * kMargin - 2 * kGap - line) / 3;
  const double height = size.height() - head - foot;
  for (std::size_t i = 0; i < scene.areas.size(); ++i)
    scene.areas[i] = QRectF(kMargin + line + static_cast<double>(i) * (width + kGap), head,
                            std::max(width, 20.0), std::max(height, 20.0));
  scene.areas[0] =
      fitted(scene.areas[0], scene.whole(scene.plane.columns), scene.whole(scene.plane.rows));
  scene.areas[1] = fitted(scene.areas[1], double(scene.tile.columns), double(scene.tile.rows));
  scene.areas[2] = fitted(scene.areas[2], std::max(1.0, double(scene.ownColumns.size())),
                          std::max(1.0, double(scene.ownRows.size())));
}

double LaunchScene::widthOfLevel() const {
  return (areaOf(Level::Thread).center().x() - areaOf(Level::Grid).center().x()) / 2;
}

QRectF LaunchScene::blockInGrid() const {
  const QRectF& area = areaOf(Level::Grid);
  const double x = area.width() / whole(plane.columns), y = area.height() / whole(plane.rows);
  return QRectF(area.left() + double(tile.column) * x, area.top() + double(tile.row) * y,
                double(tile.columns) * x, double(tile.rows) * y) &
         area;
}

QRectF LaunchScene::cellRect(std::int64_t row, std::int64_t column) const {
  const QRectF& area = areaOf(Level::Block);
  const double x = area.width() / double(tile.columns), y = area.height() / double(tile.rows);
  return {area.left() + double(column) * x, area.top() + double(row) * y, x, y};
}

QRectF LaunchScene::threadInBlock() const {
  if (ownRows.empty()) return {};
  return cellRect(ownRows.front(), ownColumns.front()) |
         cellRect(ownRows.back(), ownColumns.back());
}

std::optional<std::int64_t> LaunchScene::blockAt(const QPointF& position) const {
  const QRectF& area = areaOf(Level::Grid);
  if (!area.contains(position)) return std::nullopt;
  const auto row =
      static_cast<std::int64_t>((position.y() - area.top()) / area.height() * whole(plane.rows));
  const auto column =
      static_cast<std::int64_t>((position.x() - area.left()) / area.width() * whole(plane.columns));
  return nestwright::blockAt(kernel, row, column);
}

std::optional<int> LaunchScene::threadAt(const QPointF& position) const {
  const QRectF& area = areaOf(Level::Block);
  if (tile.cells.empty() || !area.contains(position)) return std::nullopt;
  const auto row =
      static_cast<std::int64_t>((position.y() - area.top()) / area.height() * double(tile.rows));
  const auto column =
      static_cast<std::int64_t>((position.x() - area.left()) / area.width() * double(tile.columns));
  if (row >= tile.rows || column >= tile.columns) return std::nullopt;
  const int owner = tile.at(row, column).thread;
  return owner < 0 ? std::nullopt : std::optional(owner);
}

} // namespace nestwright::ui

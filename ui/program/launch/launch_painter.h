#pragma once
/// \file Paints the scene of a kernel: its levels, how they are magnified, and how much of each
/// level's room is taken.

#include "ui/program/launch/launch_scene.h"

class QPainter;

namespace nestwright::ui {

/// Of a scene that was laid out for this size.
void paintLaunch(QPainter& painter, const LaunchScene& scene, QSize size);

/// "16 × 4", without extents of 1.
QString extentsText(const std::vector<std::int64_t>& shape);
} // namespace nestwright::ui

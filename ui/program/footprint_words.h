#pragma once
/// \file Footprints of two programs in words.

#include "core/story/footprints.h"

#include <QString>

namespace nestwright::ui {

/// "L1" … "memory".
QString nameOf(CacheLevel level);
/// "A 24.0 KiB\nB 8.0 KiB"
QString buffersText(const LoopFootprint& loop);
/// In a sentence: where the two part.
QString verdictText(const FootprintComparison& comparison);

} // namespace nestwright::ui

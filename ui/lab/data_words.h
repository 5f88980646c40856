#pragma once
/// \file What a data set holds, in sentences.

#include "core/story/data_story.h"

#include <QString>

namespace nestwright::ui {

/// Whether it can be trained on, and if not, why; begins with ✓ or ✗.
QString verdictText(const DataStory& story);
/// Programs, tasks, times and parts.
QString contentsText(const DataStory& story);
/// Records and tasks that are not in it, by reason; empty where all are.
QString leftOutText(const DataStory& story);
/// What stands on both sides of a split; empty where nothing does.
QString leakText(const LeakCheck& leaks);

} // namespace nestwright::ui

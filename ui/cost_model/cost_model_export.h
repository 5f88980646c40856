#pragma once
/// \file What the cost model's view gives away as tables, and how it names tasks.

#include "core/story/predictions.h"
#include "core/support/row_id.h"
#include "ui/cost_model/score_story.h"
#include "ui/kit/exportable.h"

namespace nestwright::ui {

class Document;

/// "T3 conv2d …" of a task of the document.
QString taskName(const Document& document, RowId task);

/// The programs with a prediction, of one task or of all (0).
ExportTable predictionTable(const Document& document, const Predictions& predictions, RowId task);
/// A row for each round; the recall is of the `best` best programs.
ExportTable rankingTable(const Document& document, const std::vector<RoundQuality>& rounds,
                         std::size_t best);
/// What each feature added to the score; no rows without one.
ExportTable partsTable(const std::optional<ScoreStory>& score);

} // namespace nestwright::ui

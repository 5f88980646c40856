#pragma once
/// \file What a file tells of a session, read in one go: for whoever follows no events, such as the
/// command line.

#include "core/story/predictions.h"
#include "core/story/session_contents.h"
#include "core/story/tuning_history.h"

namespace nestwright {

/// Whether a history has its single trials, too, or its improvements alone.
enum class KeepTrials : bool { No, Yes };

/// Every trial and improvement of the session. `contents` is what readContents() gave of it.
TuningHistory readHistory(const RecordStore& store, const SessionContents& contents,
                          KeepTrials keep = KeepTrials::Yes);

/// What the cost model expected of the session's programs, of the newest `most` trials that are not
/// forgotten, compared with what was measured. `history` is the session's.
Predictions readPredictions(const RecordStore& store, RowId session, const TuningHistory& history,
                            int most);

} // namespace nestwright

#include "ui/window/measuring_saved.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"

#include <cmath>

namespace nestwright::ui {

MeasuringSaved::MeasuringSaved(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &MeasuringSaved::begin);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &MeasuringSaved::begin);
  connect(&document.follower(), &SessionFollower::jumped, this, &MeasuringSaved::begin);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, &MeasuringSaved::ask);
  begin();
}

void MeasuringSaved::begin() {
  reading_.cancel();
  saved_.reset();
  more_ = false;
  Q_EMIT changed();
  ask();
}

void MeasuringSaved::ask() {
  const MeasureOptions& options = document_.session().config().measure;
  if (document_.state() != DocumentState::Ready || !savesTime(options)) return;
  if (reading_.isBusy()) {
    more_ = true;
    return;
  }
  reading_.ask<SavedTime>(
      [store = store_, path = document_.file().path(), session = document_.session().row().id,
       options, before = saved_.value_or(SavedTime()),
       newest = document_.replayMode().newestRecord()](const Job& job) {
        return savedTime(store->at(path), session, options, before, newest,
                         [&job] { job.check(); });
      },
      [this](SavedTime saved) {
        saved_ = saved;
        Q_EMIT changed();
        if (std::exchange(more_, false)) ask();
      },
      [this](const QString&) { more_ = false; }); // whatever reads the document next says why
}

QString savedText(const std::optional<SavedTime>& saved) {
  if (!saved || saved->measurements == 0) return {};
  return MeasuringSaved::tr("saved %1").arg(durationText(saved->seconds));
}

QString savedToolTip(const std::optional<SavedTime>& saved, const Evaluator& evaluator) {
  if (!saved) return {};
  return MeasuringSaved::tr("Time that the adaptive evaluator saved so far: of each measurement "
                            "that it ended early, runs not made × mean time of a run. Of %1 runs, "
                            "or as many as there is time for.\n%2 measurements ended early; %3 "
                            "runs were not made.")
      .arg(countText(evaluator.runs), countText(saved->measurements),
           countText(std::llround(saved->runs)));
}

} // namespace nestwright::ui

#include "moc_measuring_saved.cpp"

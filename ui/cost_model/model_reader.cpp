#include "ui/cost_model/model_reader.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

/// A running session saves its model with every round; between looks at it this much passes.
constexpr int kModelMilliseconds = 700;
constexpr int kSelectionMilliseconds = 60;

} // namespace

ModelReader::ModelReader(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &ModelReader::ask);
  connect(&document, &Document::stateChanged, this, [this] {
    story_ = {};
    if (document_.state() != DocumentState::Ready) background_.leave();
    schedule();
  });
  connect(&document.follower(), &SessionFollower::recordsReread, this, &ModelReader::schedule);
  // In a replay the selected record comes and goes.
  for (const auto signal : {&SessionFollower::jumped, &SessionFollower::recordsAdded})
    connect(&document.follower(), signal, this, [this] {
      if (document_.replayMode().isOn() && explained() != explained_) schedule();
    });
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [this](const std::vector<Event>& events) {
            if (std::ranges::any_of(events, [](const Event& event) {
                  return std::holds_alternative<ModelUpdated>(event);
                }))
              schedule();
          });
}

RowId ModelReader::explained() const {
  const Selection& selection = document_.selection().current();
  if (selection.record != 0) return isLater(document_, selection.record) ? 0 : selection.record;
  const TaskEntry* task = document_.session().task(selection.task);
  return task ? task->summary.bestRecord : 0;
}

void ModelReader::follow() {
  if (!stale_ && story_.score && story_.score->record == explained()) return;
  stale_ = true;
  if (!timer_.isActive()) timer_.start(kSelectionMilliseconds);
}

void ModelReader::schedule() {
  stale_ = true;
  if (wanted_ && !timer_.isActive()) timer_.start(kModelMilliseconds);
}

void ModelReader::ask() {
  if (!wanted_ || !stale_) return;
  if (document_.state() != DocumentState::Ready) return take({});
  stale_ = false;
  explained_ = explained();
  background_.ask<ModelStory>(
      [store = background_.connection(), path = document_.file().path(),
       session = document_.session().row().id, record = explained_](const Job&) {
        return readModelStory(store->at(path), session, record);
      },
      [this](ModelStory story) { take(std::move(story)); },
      [this](const QString& why) {
        ModelStory none;
        none.problem = why;
        take(std::move(none));
      });
}

void ModelReader::take(ModelStory story) {
  story_ = std::move(story);
  Q_EMIT asked();
}

} // namespace nestwright::ui

#include "moc_model_reader.cpp"

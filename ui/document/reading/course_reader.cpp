#include "ui/document/reading/course_reader.h"

#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"

#include <utility>

namespace nestwright::ui {

CourseReader::CourseReader(Document& document, Reader::Channel channel, QObject* parent)
    : QObject(parent), document_(document), channel_(channel) {
  connect(&document, &Document::stateChanged, this, &CourseReader::restart);
  connect(&document.replayMode(), &ReplayMode::changed, this, &CourseReader::show);
  connect(&document.follower(), &SessionFollower::roundChanged, this, &CourseReader::followMoment);
  connect(&document.follower(), &SessionFollower::jumped, this, &CourseReader::followMoment);
  connect(&document.follower(), &SessionFollower::eventsArrived, this, &CourseReader::take);
  // What another program adds to the file is told by nobody.
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!document_.follower().elsewhere().isBusy()) return;
    stale_ = true;
    if (wanted_) read();
  });
}

void CourseReader::restart() {
  document_.reader().cancel(channel_);
  whole_ = {};
  meanwhile_.clear();
  stale_ = true;
  reading_ = failed_ = false;
  show();
  if (wanted_) read();
}

void CourseReader::setWanted(bool wanted) {
  if (wanted == wanted_) return;
  wanted_ = wanted;
  if (!wanted_) return;
  if (momentPassed_) show();
  if (stale_) read();
}

void CourseReader::read() {
  if (document_.state() != DocumentState::Ready) return;
  stale_ = failed_ = false;
  reading_ = true;
  document_.reader().ask<SearchCourse>(
      this, channel_,
      [session = document_.session().row().id](const RecordStore& store) {
        return readCourse(store, session);
      },
      [this](SearchCourse course) {
        whole_ = std::move(course);
        for (const Event& event : std::exchange(meanwhile_, {}))
          whole_.apply(event);
        reading_ = false;
        show();
      },
      [this](const QString&) { // whatever reads the document next says why
        reading_ = false;
        stale_ = failed_ = true;
        meanwhile_.clear(); // in the file by then
        show();
      });
}

void CourseReader::take(const std::vector<Event>& events) {
  if (document_.replayMode().isOn()) return; // the whole was read, and what is told is in it
  if (stale_ && !reading_) return;           // they are in the file that is still to be read
  bool grown = false;
  for (const Event& event : events) {
    if (!std::holds_alternative<ConfigsPlanned>(event) &&
        !std::holds_alternative<CandidatesSelected>(event) &&
        !std::holds_alternative<ModelUpdated>(event))
      continue;
    if (reading_)
      meanwhile_.push_back(event);
    else
      grown = whole_.apply(event) || grown;
  }
  if (grown) show();
}

void CourseReader::show() {
  momentPassed_ = document_.replayMode().isOn() && !wanted_;
  if (document_.replayMode().isOn() && wanted_)
    until_ = whole_.until(document_.session().round());
  else
    until_ = {};
  Q_EMIT changed();
}

void CourseReader::followMoment() {
  if (!document_.replayMode().isOn()) return;
  if (wanted_)
    show();
  else
    momentPassed_ = true;
}

const SearchCourse& CourseReader::course() const {
  return document_.replayMode().isOn() ? until_ : whole_;
}

} // namespace nestwright::ui

#include "moc_course_reader.cpp"

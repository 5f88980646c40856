#include "ui/race/race_reader.h"

#include "core/record/store/store.h"
#include "core/session/run/session_lock.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

/// A round takes seconds.
constexpr int kAgainMilliseconds = 2000;

RaceAnswer readRaces(const RecordStore& store, const std::string& wanted) {
  RaceAnswer answer;
  const std::vector<Race> races = racesOf(store);
  const Race* chosen = races.empty() ? nullptr : &races.front();
  for (const Race& race : races) {
    answer.races.push_back(
        {race.name, race.racers, race.tasks.size(), race.seeds.size(), race.createdAt});
    if (race.name == wanted) chosen = &race;
  }
  if (chosen == nullptr) return answer;
  answer.result = raceResult(store, *chosen);
  for (const RaceSession& session : chosen->sessions)
    if (session.status == SessionStatus::Running && answer.runner.empty())
      answer.runner = sessionHolder(store.path(), session.session).value_or(LockHolder()).text;
  return answer;
}

} // namespace

RaceReader::RaceReader(Document& document, QObject* parent)
    : QObject(parent), document_(document), reading_(this) {
  again_.setSingleShot(true);
  again_.setInterval(kAgainMilliseconds);
  connect(&again_, &QTimer::timeout, this, &RaceReader::read);
  connect(&document, &Document::stateChanged, this, &RaceReader::followDocument);
  const SessionFollower& follower = document.follower();
  for (const auto signal : {&SessionFollower::recordsAdded, &SessionFollower::recordsReread})
    connect(&follower, signal, this, [this] {
      if (follows_ && !again_.isActive()) again_.start();
    });
}

void RaceReader::choose(const std::string& race) {
  chosen_ = race;
  read();
}

void RaceReader::follow(bool follows) {
  follows_ = follows;
  if (follows)
    read();
  else
    again_.stop();
}

void RaceReader::followDocument() {
  if (document_.state() != DocumentState::Ready) {
    reading_.leave();
    again_.stop();
    answer_ = {};
    chosen_.clear();
    problem_.clear();
    isRead_ = false;
    Q_EMIT changed();
  }
  read();
}

void RaceReader::read() {
  if (!follows_ || document_.state() != DocumentState::Ready) return;
  reading_.ask<RaceAnswer>(
      [file = document_.file().path(), wanted = chosen_,
       store = reading_.connection()](const Job&) { return readRaces(store->at(file), wanted); },
      [this](RaceAnswer answer) { take(std::move(answer)); },
      [this](const QString& why) {
        isRead_ = true;
        answer_ = {};
        problem_ = why;
        Q_EMIT changed();
      });
}

void RaceReader::take(RaceAnswer answer) {
  // Whoever runs it tells this window nothing.
  if (answer.hasRace() && !answer.result.race.isOver()) again_.start();
  if (isRead_ && problem_.isEmpty() && answer == answer_) return; // tables stay as they are
  isRead_ = true;
  answer_ = std::move(answer);
  problem_.clear();
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_race_reader.cpp"

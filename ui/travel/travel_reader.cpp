#include "ui/travel/travel_reader.h"

#include "core/record/store/store.h"
#include "core/travel/seed_file.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/kit/text.h"

#include <QFileInfo>

#include <utility>

namespace nestwright::ui {
namespace {

TravelChoice choiceOf(const QString& path, const TravelSettings& settings) {
  TravelChoice choice;
  choice.data.files = {path.toStdString()};
  choice.settings = settings;
  return choice;
}

} // namespace

TravelReader::TravelReader(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &TravelReader::followDocument);
  connect(&reading_, &Background::busyChanged, this, &TravelReader::changed);
}

void TravelReader::followDocument() {
  const bool ready = document_.state() == DocumentState::Ready;
  if (ready && document_.file().path() == readPath_) return;
  reading_.cancel();
  looking_.cancel();
  answer_ = {};
  problem_.clear();
  readPath_.clear();
  Q_EMIT changed();
}

void TravelReader::read(bool anew) {
  if (document_.state() != DocumentState::Ready) return;
  const QString path = document_.file().path();
  if (path == readPath_ && !anew) return;
  readPath_ = path;
  problem_.clear();
  looking_.cancel();
  reading_.ask<Read>(
      [choice = choiceOf(path, settings_)](const Job& job) {
        const std::vector<RecordStore> files = openFiles(choice.data);
        TravelTimes times = readTravelTimes(files, choice, [&job](double) {
          job.check();
          return true;
        });
        Read read;
        read.problem = travelProblem(times, choice.data.files.front());
        if (read.problem.empty()) read.answer.map = travelMap(times, choice.settings);
        read.answer.times = std::make_shared<TravelTimes>(std::move(times));
        return read;
      },
      [this](Read read) { take(std::move(read)); },
      [this](const QString& why) {
        problem_ = why;
        Q_EMIT changed();
      });
  Q_EMIT changed();
}

void TravelReader::take(Read read) {
  answer_ = std::move(read.answer);
  problem_ = qs(read.problem);
  // It may have been set otherwise meanwhile.
  if (hasMap() && (answer_.map.settings.within != settings_.within ||
                   answer_.map.settings.programs != settings_.programs))
    lookAgain();
  Q_EMIT changed();
}

void TravelReader::stop() {
  reading_.cancel();
  if (!hasMap()) problem_ = tr("Reading was stopped. Press Read Again to read the records.");
  Q_EMIT changed();
}

void TravelReader::look(double within, std::size_t programs) {
  if (settings_.within == within && settings_.programs == programs) return;
  settings_.within = within;
  settings_.programs = programs;
  if (hasMap()) lookAgain();
}

void TravelReader::lookAgain() {
  looking_.ask<TravelMap>(
      [map = answer_.map, times = answer_.times, settings = settings_](const Job& job) {
        TravelMap again = map;
        nestwright::lookAgain(again, *times, settings.within, settings.programs,
                              [&job] { job.check(); });
        return again;
      },
      [this](TravelMap map) {
        answer_.map = std::move(map);
        Q_EMIT changed();
      },
      [this](const QString& why) {
        problem_ = why;
        Q_EMIT changed();
      });
}

void TravelReader::writeSeeds() {
  const QFileInfo document(document_.file().path());
  const QString file = document.absolutePath() + QLatin1Char('/') + document.completeBaseName() +
                       QStringLiteral(".seeds.json");
  writing_.ask<bool>(
      [answer = answer_, file,
       choice = choiceOf(document.absoluteFilePath(), settings_)](const Job&) {
        nestwright::writeSeeds(portfolioSeeds(answer.map, *answer.times, openFiles(choice.data)),
                               file.toStdString());
        return true;
      },
      [this, file](bool) { Q_EMIT seedsWritten(file); },
      [this](const QString& why) { Q_EMIT seedsFailed(why); });
}

} // namespace nestwright::ui

#include "moc_travel_reader.cpp"

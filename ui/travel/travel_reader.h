#pragma once
/// \file The travel map of the document's records, read beside the window: once when it is asked
/// for, however many records there are; other bounds of what is good are looked at again without
/// reading.

#include "core/travel/travel_map.h"
#include "ui/kit/background.h"

#include <QObject>

#include <memory>

namespace nestwright::ui {

class Document;

struct TravelAnswer {
  std::shared_ptr<const TravelTimes> times = std::make_shared<TravelTimes>();
  TravelMap map;
};

class TravelReader : public QObject {
  Q_OBJECT
 public:
  explicit TravelReader(Document& document, QObject* parent = nullptr);

  /// Reads the document's records, unless they were read; `anew`: all the same.
  void read(bool anew = false);
  /// Ends the reading; what was read before stays.
  void stop();
  /// Share above the best up to which a program is good, and programs of a portfolio (0: as many as
  /// it takes).
  void look(double within, std::size_t programs);

  const TravelAnswer& answer() const { return answer_; }
  bool hasMap() const { return !answer_.map.tasks.empty(); }
  bool isReading() const { return reading_.isBusy(); }
  /// Why there is no map, and what to do; empty while there is one, or it is being read.
  const QString& problem() const { return problem_; }

  /// Writes the portfolios' programs beside the document, and tells where.
  void writeSeeds();

 Q_SIGNALS:
  /// The map, what is wrong, or whether it is being read.
  void changed();
  void seedsWritten(const QString& file);
  void seedsFailed(const QString& why);

 private:
  struct Read {
    TravelAnswer answer;
    std::string problem;
  };
  void followDocument();
  void take(Read read);
  void lookAgain();

  Document& document_;
  TravelSettings settings_;
  TravelAnswer answer_;
  QString problem_, readPath_;             // of which it is
  Background writing_, looking_, reading_; // last: their answers use the others
};

} // namespace nestwright::ui

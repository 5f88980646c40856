#pragma once
/// \file The races of the document's file and what one of them says, read beside the window: again
/// while it is under way, whoever runs it.

#include "core/session/race/race_result.h"
#include "ui/document/reading/file_asking.h"

#include <QObject>
#include <QTimer>

#include <string>
#include <vector>

namespace nestwright::ui {

class Document;

/// A race to choose.
struct RaceChoice {
  std::string name;
  std::vector<std::string> racers;
  std::size_t tasks = 0, seeds = 0;
  std::int64_t createdAt = 0; // microseconds since the epoch
  friend bool operator==(const RaceChoice&, const RaceChoice&) = default;
};

struct RaceAnswer {
  std::vector<RaceChoice> races; // the newest first
  RaceResult result;             // of the one that was asked for; without a name when there is none
  std::string runner;            // who runs it: "process 123 on host7 since …"; empty: nobody
  bool hasRace() const { return !result.race.name.empty(); }
  friend bool operator==(const RaceAnswer&, const RaceAnswer&) = default;
};

class RaceReader : public QObject {
  Q_OBJECT
 public:
  explicit RaceReader(Document& document, QObject* parent = nullptr);

  const RaceAnswer& answer() const { return answer_; }
  /// Why nothing could be read; empty when all could, or nothing was asked.
  const QString& problem() const { return problem_; }
  /// The file was read since the document was opened.
  bool isRead() const { return isRead_; }
  /// Which race is read from now on; empty: the newest.
  void choose(const std::string& race);
  const std::string& chosen() const { return chosen_; }
  /// Reads it now, and from now on whenever it changed, or no longer.
  void follow(bool follows);

 Q_SIGNALS:
  void changed();

 private:
  void read();
  void take(RaceAnswer answer);
  void followDocument();

  Document& document_;
  RaceAnswer answer_;
  std::string chosen_;
  QString problem_;
  bool isRead_ = false, follows_ = false;
  QTimer again_;
  StoreAsking reading_; // last: its answers use the others
};

} // namespace nestwright::ui

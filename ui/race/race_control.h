#pragma once
/// \file The race that this window runs, made in the document's file or gone on with. GUI thread
/// only; the race itself has a thread of its own, and what it measured is in the file at once.

#include "core/session/race/race_run.h"
#include "ui/document/event_queue.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace nestwright::ui {

class Document;

class RaceControl : public QObject {
  Q_OBJECT
 public:
  explicit RaceControl(Document& document, QObject* parent = nullptr);
  /// Pauses the race and waits until that is stored.
  ~RaceControl() override;

  // Commands. All return at once; changed() follows.
  void start(RaceWish wish);
  /// The file's race, where it was left. A racer that is a program is run as it was when the race
  /// was made in this window, else as the person's own policy if that has its name.
  void goOn(const Race& race);
  /// So does leaving the document, and starting its session.
  void pause();
  /// A test's: programs are not really measured.
  void setMeasure(MeasureFunction measure) { measure_ = std::move(measure); }

  // Facts.
  bool isRunning() const { return running_ != nullptr; }
  /// The race of this name is run here.
  bool runs(const std::string& race) const;
  bool isPausing() const;
  /// "heat 3 of 10: evolutionary, 48 trials"; empty before the first.
  const QString& moment() const { return moment_; }
  /// Why no race can be made now, in a sentence; empty when one can.
  QString whyNotStart() const;
  /// The same of going on with a race.
  QString whyNotGoOn(const Race& race) const;

 Q_SIGNALS:
  /// Anything of the above changed.
  void changed();
  /// The race was made: it is in the file.
  void made(const std::string& race);

 private:
  struct Running;

  /// The program that the race's racer of this name is; nothing where nobody said what is run.
  std::optional<PolicyLaunch> programOf(const Race& race, const std::string& racer) const;
  void begin(std::function<std::string()> name, RaceStart start);
  void ended(const RaceEnd& end, const QString& error);
  void takeMoments();

  Document& document_;
  MeasureFunction measure_;
  /// Programs that race, by the race's name and the racer: no file says what is run.
  std::map<std::string, std::map<std::string, PolicyLaunch>> programs_;
  std::shared_ptr<Running> running_; // null: none does
  QString moment_;
  BatchQueue<QString> told_;
  WorkQueue work_; // last: it waits for what uses the others
};

} // namespace nestwright::ui

#pragma once
/// \file A program that a view had measured, followed to its time, so that the view can tell at its
/// own button what becomes of it.

#include "core/record/rows/record.h"
#include "core/session/run/command.h"
#include "core/session/run/events.h"
#include "ui/document/reading/reader.h"

#include <QObject>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace nestwright::ui {

class Document;

class DemandWatch : public QObject {
  Q_OBJECT
 public:
  enum class State : std::uint8_t {
    None,      // nothing was asked for
    Waiting,   // for the session, which begins with it when the work under way is done
    Measuring, // the session has it
    Ended,     // there is a record
    Refused    // the session does not measure it, or has ended before it could
  };

  /// Reads on this channel, which is its own.
  DemandWatch(Document& document, Reader::Channel channel, QObject* parent = nullptr);

  /// Tells the session to measure the program, which has this id. What was followed before is
  /// followed no more.
  void measure(const MeasureProgram& command, const std::string& programId);
  void forget();

  State state() const { return state_; }
  bool isUnderWay() const { return state_ == State::Waiting || state_ == State::Measuring; }
  /// The program that was asked for; empty when none was.
  const std::string& program() const { return program_; }
  /// What came of it, once that is known.
  const std::optional<Record>& record() const { return record_; }
  /// The state in a sentence: what is waited for, or the time beside the task's best.
  QString text() const;

 Q_SIGNALS:
  void changed();

 private:
  void take(const std::vector<Event>& events);
  void take(const StateChanged& change);
  void read(RowId record);
  void setState(State state, const QString& reason = {});
  QString resultText() const;

  Document& document_;
  Reader::Channel channel_;
  State state_ = State::None;
  RowId task_ = 0;
  std::string program_;
  double bestBefore_ = 0;   // of the task when it was asked for; infinity without one
  std::vector<RowId> told_; // records that may be its
  std::optional<Record> record_;
  QString reason_;
};

} // namespace nestwright::ui

#pragma once
/// \file Whether another program, such as the command line, is tuning the session that is shown,
/// as far as the file and the session's lock say.

#include "core/record/store/store.h"
#include "core/support/row_id.h"

#include <QElapsedTimer>
#include <QString>

#include <cstdint>
#include <string>

namespace nestwright::ui {

/// What a look at the file finds.
struct FileLook {
  std::int64_t trials = 0;  // of the session
  std::int64_t records = 0; // of the file
  std::string runner;       // who holds the session while it runs; empty when nobody does
  bool isHeldHere = false;  // in this process: by the document that is shown, or in another window
  bool isOurs = false;      // by the document itself, so that nobody else can add trials
};

FileLook lookAt(const RecordStore& store, RowId session);

class Elsewhere {
 public:
  /// What follows from a look.
  struct News {
    bool contents = false; // the file holds more than is shown
    bool status = false;   // who tunes is another
  };

  bool isBusy() const { return grown_.isValid() || !runner_.isEmpty(); }
  /// Who, "process 123 on host7 since …"; empty when that is not known.
  const QString& runner() const { return runner_; }

  /// trialsShown: how many of the session are known. While curves are still being read a file that
  /// grows is no news.
  News take(const FileLook& look, std::int64_t trialsShown, bool curvesLoading);
  /// Somebody else has done writing to the file.
  void writerEnded() { grown_.invalidate(); }

 private:
  QString runner_;
  std::int64_t recordsSeen_ = -1; // of the file, when it was last looked at; -1: not yet
  QElapsedTimer grown_;           // since trials came that were not ours; invalid when none do
};

} // namespace nestwright::ui

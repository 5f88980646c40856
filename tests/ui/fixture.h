#pragma once
/// \file A document on disk and a session under the test's control.

#include "core/record/rows/session_status.h"
#include "core/session/run/session.h"
#include "ui/document/document.h"

#include <QTemporaryDir>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nestwright {
/// For messages of tests that compare what was posted.
char* toString(const Command& command);
char* toString(const std::vector<Command>& commands);
} // namespace nestwright

namespace nestwright::ui::testing {

/// What the document did to its session, and the way to tell it events.
struct SessionScript {
  std::vector<Command> commands; // in the order of posting
  Session::Observer observer;
  int alive = 0; // sessions that exist
  /// Answer start, pause and stop with the status they lead to, as a real session does.
  bool answers = true;
  void tell(const Event& event) { observer(event); }
};

SessionFactory scripted(SessionScript& script);

/// Makes `<folder>/<name>.nwdb` with a session of three matmul tasks and `trials` records, of which
/// every tenth is an error. The tasks have naive times, and bests when trials were made.
struct Sample {
  QTemporaryDir folder;
  QString path;
  RowId session = 0;
  std::vector<RowId> tasks;
  std::vector<RowId> records;
};
std::unique_ptr<Sample> makeSample(int trials, SessionStatus status = SessionStatus::Paused);

/// Opens the sample and waits until its history is read.
void openSample(Document& document, const Sample& sample);

} // namespace nestwright::ui::testing

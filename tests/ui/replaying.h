#pragma once
/// \file Steps that tests of a replay have in common.

#include "tests/support/patience.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"

namespace nestwright::ui::testing {

/// Starts as soon as the document allows it (what views show may come before its whole history),
/// and waits for the past to be read.
inline void startReplay(Document& document) {
  ReplayMode& mode = document.replayMode();
  QTRY_VERIFY_WITH_TIMEOUT(mode.canStart(), 60'000);
  mode.start();
  QVERIFY(mode.isOn());
  QTRY_VERIFY_WITH_TIMEOUT(mode.replay() && mode.replay()->isReady(), 60'000);
}

/// Its session from the beginning.
inline void replayFrom(Document& document) {
  startReplay(document);
  if (QTest::currentTestFailed()) return;
  QTRY_COMPARE(document.session().progress().trials, 0);
}

inline void seekTo(Document& document, std::size_t position) {
  document.replayMode().replay()->seek(position);
  QTRY_COMPARE_WITH_TIMEOUT(document.replayMode().replay()->position(), position, 30'000);
}

} // namespace nestwright::ui::testing

#pragma once
/// \file Steps that tests of a replay have in common.

#include "ui/document/document.h"
#include "ui/document/replay.h"
#include "ui/document/replay_mode.h"

#include <QTest>

namespace nestwright::ui::testing {

/// Its session from the beginning.
inline void replayFrom(Document& document) {
  document.replayMode().start();
  QVERIFY(document.replayMode().isOn());
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().replay()->isReady(), 60'000);
  QTRY_COMPARE(document.session().progress().trials, 0);
}

inline void seekTo(Document& document, std::size_t position) {
  document.replayMode().replay()->seek(position);
  QTRY_COMPARE_WITH_TIMEOUT(document.replayMode().replay()->position(), position, 30'000);
}

} // namespace nestwright::ui::testing

#pragma once
/// \file Steps that tests of a replay have in common.

#include "ui/document/document.h"
#include "ui/document/replay.h"

#include <QTest>

namespace nestwright::ui::testing {

/// Its session from the beginning.
inline void replayFrom(Document& document) {
  document.startReplay();
  QVERIFY(document.isReplaying());
  QTRY_VERIFY_WITH_TIMEOUT(document.replay()->isReady(), 60'000);
  QTRY_COMPARE(document.progress().trials, 0);
}

inline void seekTo(Document& document, std::size_t position) {
  document.replay()->seek(position);
  QTRY_COMPARE_WITH_TIMEOUT(document.replay()->position(), position, 30'000);
}

} // namespace nestwright::ui::testing

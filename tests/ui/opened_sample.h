#pragma once
/// \file The window of the workbench with a sample document in it.

#include "tests/support/patience.h"
#include "tests/ui/fixture.h"
#include "ui/window/main_window.h"

#include <utility>

namespace nestwright::ui::testing {

struct OpenedSample {
  std::unique_ptr<Sample> sample;
  MainWindow window;

  /// Its session is a real one, or of a script, as scripted(script) gives it.
  explicit OpenedSample(int trials, SessionFactory sessions = realSessions())
      : sample(makeSample(trials)), window(coreCatalogue(), std::move(sessions)) {
    window.resize(1280, 800);
    window.show();
    window.openFile(sample->path);
    waitUntilReady();
  }

 private:
  void waitUntilReady() { QTRY_COMPARE(window.document().state(), DocumentState::Ready); }
};

} // namespace nestwright::ui::testing

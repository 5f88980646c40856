#pragma once
/// \file Pictures for paper and slides, whatever colours the window has.

#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

namespace nestwright::ui {

/// The light colours while it lives, where pictures are wanted in them.
class PrintColours {
 public:
  PrintColours() : before_(Theme::instance().choice()) {
    changes_ = Settings::printColours() && colours().dark;
    // Nobody sees it: the window is painted when all is as before. (Its updates must stay enabled;
    // a widget without them draws nothing into a picture either.)
    if (changes_) Theme::instance().choose(ThemeChoice::Light);
  }
  ~PrintColours() {
    if (changes_) Theme::instance().choose(before_);
  }
  PrintColours(const PrintColours&) = delete;
  PrintColours& operator=(const PrintColours&) = delete;

 private:
  ThemeChoice before_;
  bool changes_ = false;
};

} // namespace nestwright::ui

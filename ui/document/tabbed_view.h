#pragma once
/// \file Views that are tabs already: a further view of their panel becomes one more of them,
/// instead of all standing behind tabs above.

class QTabWidget;

namespace nestwright::ui {

class TabbedView {
 public:
  virtual ~TabbedView() = default;
  virtual QTabWidget* pages() const = 0;
};

} // namespace nestwright::ui

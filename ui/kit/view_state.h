#pragma once
/// \file What a view wants to find again when its document is reopened: filters, columns, options.
/// It is kept in the document, so that a copy opens with the same screen.

#include <nlohmann/json_fwd.hpp>

namespace nestwright::ui {

/// Implemented by views as a second base class.
class StatefulView {
 public:
  virtual ~StatefulView() = default;
  /// Called when the document is left.
  virtual nlohmann::json viewState() const = 0;
  /// Called when a document was opened, with what viewState() gave for it, or with an empty object
  /// for one that was never shown: then the view begins as new. Values may be missing or wrong.
  virtual void restoreViewState(const nlohmann::json& state) = 0;
};

} // namespace nestwright::ui

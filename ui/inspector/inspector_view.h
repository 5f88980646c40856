#pragma once
/// \file The search inspector: how sketches are derived, how generations are bred, and where the
/// present round is. For teaching, and for those who wonder.

#include "ui/kit/exportable.h"

#include <QWidget>

class QTabWidget;

namespace nestwright::ui {

class DerivationView;
class Document;
class GenerationsView;
class PhasesView;

class InspectorView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  explicit InspectorView(Document& document, QWidget* parent = nullptr);
  QTabWidget* pages() const { return pages_; }
  PhasesView* phases() const { return phases_; }
  DerivationView* derivation() const { return derivation_; }
  GenerationsView* generations() const { return generations_; }
  /// Of the page that is shown.
  Exports exports() override;

 private:
  QTabWidget* pages_;
  PhasesView* phases_;
  DerivationView* derivation_;
  GenerationsView* generations_;
};

} // namespace nestwright::ui

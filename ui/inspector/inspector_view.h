#pragma once
/// \file The search inspector: where the present round is, and of sketches how they are derived and
/// bred and which decisions matter, of templates which configurations were measured and how they
/// are planned. For teaching, and for those who wonder.

#include "ui/document/tabbed_view.h"
#include "ui/kit/exportable.h"

#include <QWidget>

class QTabWidget;

namespace nestwright::ui {

class ConfigurationsView;
class CourseReader;
class DerivationView;
class Document;
class GenerationsView;
class KnobReader;
class PhasesView;
class PlanView;
class PolishView;
class PolicyOffer;

class InspectorView : public QWidget, public ExportableView, public TabbedView {
  Q_OBJECT
 public:
  explicit InspectorView(Document& document, QWidget* parent = nullptr);
  QTabWidget* pages() const override { return pages_; }
  PhasesView* phases() const { return phases_; }
  DerivationView* derivation() const { return derivation_; }
  GenerationsView* generations() const { return generations_; }
  ConfigurationsView* configurations() const { return configurations_; }
  PlanView* plan() const { return plan_; }
  PolishView* polish() const { return polish_; }
  /// Of the page that is shown.
  Exports exports() override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void choosePages();
  void tellWanted();

  Document& document_;
  KnobReader* knobs_;
  CourseReader* course_;
  QTabWidget* pages_;
  PhasesView* phases_;
  DerivationView* derivation_;
  GenerationsView* generations_;
  ConfigurationsView* configurations_;
  PlanView* plan_;
  PolishView* polish_;
  PolicyOffer* offer_;
};

} // namespace nestwright::ui

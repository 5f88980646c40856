#pragma once
/// \file Recombination: of a network's programs (TenSet 5.6), and of the programs of one task.

#include "ui/kit/command_palette.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/recombination/recombination_control.h"

#include <QWidget>

class QTabWidget;

namespace nestwright::ui {

class Document;
class CrossingControl;
class CrossingPage;
class RecombinationPage;

class RecombinationView : public QWidget,
                          public ExportableView,
                          public StatefulView,
                          public PaletteSource {
  Q_OBJECT
 public:
  enum Tab { Network, Crossing };
  explicit RecombinationView(Document& document, QWidget* parent = nullptr,
                             RecombinationFactory factory = realRecombinations(),
                             RecombinationMaker maker = realRecombinationMaker());

  RecombinationControl& control() { return *control_; }
  RecombinationPage* page() const { return page_; }
  CrossingControl& crossing() { return *crossing_; }
  CrossingPage* crossingPage() const { return crossingPage_; }
  QTabWidget* tabs() const { return tabs_; }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;
  std::vector<PaletteItem> paletteItems(const QString& text) override;

 private:
  Exports exportsOfCrossing() const;

  Document& document_;
  RecombinationControl* control_;
  RecombinationPage* page_;
  CrossingControl* crossing_;
  CrossingPage* crossingPage_;
  QTabWidget* tabs_;
};

} // namespace nestwright::ui

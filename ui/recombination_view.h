#pragma once
/// \file Recombination: of a network's programs (TenSet 5.6), and of two programs of one task.

#include "ui/command_palette.h"
#include "ui/exportable.h"
#include "ui/recombination_control.h"
#include "ui/view_state.h"

#include <QWidget>

class QTabWidget;

namespace nestwright::ui {

class Document;
class RecombinationPage;

class RecombinationView : public QWidget,
                          public ExportableView,
                          public StatefulView,
                          public PaletteSource {
  Q_OBJECT
 public:
  explicit RecombinationView(Document& document, QWidget* parent = nullptr,
                             RecombinationFactory factory = realRecombinations(),
                             RecombinationMaker maker = realRecombinationMaker());

  RecombinationControl& control() { return *control_; }
  RecombinationPage* page() const { return page_; }
  QTabWidget* tabs() const { return tabs_; }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;
  std::vector<PaletteItem> paletteItems(const QString& text) override;

 private:
  Document& document_;
  RecombinationControl* control_;
  RecombinationPage* page_;
  QTabWidget* tabs_;
};

} // namespace nestwright::ui

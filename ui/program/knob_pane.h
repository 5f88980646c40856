#pragma once
/// \file The knobs of a template's program: each with its value, which can be set to any other that
/// the template has; then that configuration can be measured, or offered to the search.

#include "core/session/run/command.h"
#include "core/story/decisions/weigh_config.h"
#include "ui/document/reading/connection_cache.h"
#include "ui/kit/background.h"
#include "ui/program/program_text.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QStandardItemModel;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class DemandWatch;
class Document;

class KnobPane : public QWidget {
  Q_OBJECT
 public:
  explicit KnobPane(Document& document, QWidget* parent = nullptr);
  ~KnobPane() override;

  /// Is hidden where the program is no template's; for the same one as before, what was changed
  /// stays.
  void show(const ProgramText& program);
  void clear();

  // Commands; the first two can be undone.
  /// `value` is the place of the value in the knob's list.
  void setValue(int knob, int value);
  void reset();
  void measure();
  void offerAsSeed();

  bool isChanged() const { return digits_ != base_; }
  /// As it is chosen now.
  TemplateConfig config() const;
  bool isBusy() const { return weighing_.isBusy(); }
  QString verdict() const;
  QTableView* table() const { return table_; }
  QToolButton* measureButton() const { return measure_; }
  QToolButton* seedButton() const { return seed_; }
  QToolButton* resetButton() const { return reset_; }

 private:
  using Digits = std::vector<std::size_t>; // the place of each knob's value in its list
  void change(const QString& what, Digits digits);
  void apply(RowId record, const Digits& digits);
  void weigh();
  /// Other records came: is it measured by now?
  void weighAgain();
  void ask();
  void refresh();
  void fill();
  void tell();
  /// Beside the buttons: whether it makes a program, and what became of its measurement.
  QString verdictText() const;
  QString whyNotMeasure() const;
  /// The configuration that is shown is the one that was measured last.
  bool isDemanded() const;
  /// With the trace that the record of its measurement keeps.
  NamedProgram program() const;

  Document& document_;
  QString file_;
  RowId task_ = 0, record_ = 0;
  std::string parent_; // programId of the record
  std::optional<TaskTemplate> of_;
  Digits base_, digits_;
  std::optional<ConfigOutcome> outcome_; // none while it is being weighed
  QString failure_;                      // why it could not be
  DemandWatch* demand_;
  QLabel *title_, *verdict_;
  QStandardItemModel* rows_;
  QTableView* table_;
  QToolButton *measure_, *seed_, *reset_;
  bool filling_ = false;
  bool more_ = false; // records came while it was being weighed
  std::shared_ptr<StoreCache> store_ = std::make_shared<StoreCache>();
  Background weighing_; // last: its thread ends first
};

} // namespace nestwright::ui

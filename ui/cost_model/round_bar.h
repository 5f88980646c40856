#pragma once
/// \file Which rounds of the predictions are looked at, and how: one round or the newest, how many
/// before it, of which tasks, and how many best programs count.

#include "ui/cost_model/prediction_plot.h"

#include <nlohmann/json_fwd.hpp>

#include <QWidget>

#include <array>
#include <vector>

class QComboBox;
class QLabel;
class QToolButton;

namespace nestwright::ui {

class RoundBar : public QWidget {
  Q_OBJECT
 public:
  /// Choices of how many best programs count.
  static constexpr std::array<std::size_t, 4> kBestCounts{1, 4, 8, 16};

  explicit RoundBar(QWidget* parent = nullptr);

  /// The rounds that there are, ascending. `cut`: older ones are left out.
  void setRounds(std::vector<int> rounds, bool cut);
  const std::vector<int>& rounds() const { return rounds_; }
  /// The round that is shown; 0 while there is none.
  int round() const { return round_; }
  /// The first of the rounds that are looked at with it; there are some.
  int firstRound() const;
  /// Whether rounds before the one shown may be looked at.
  bool looksBack() const;
  void showRound(int round);
  /// The newest from now on.
  void follow();
  std::size_t bestCount() const;
  /// Programs of all tasks, or of the selected one.
  bool allTasks() const;
  void setAllTasks(bool all);
  /// What only concerns a single round's predictions is seen, or not.
  void showOfOneRound(bool shown);

  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 Q_SIGNALS:
  void changed();
  void layoutChosen(nestwright::ui::PredictionPlot::Layout layout);

 private:
  void restyle();
  void step(int direction);

  QComboBox *before_, *best_, *layouts_;
  QToolButton *allTasks_, *back_, *forward_, *newest_;
  QLabel* place_;
  std::vector<int> rounds_;
  bool followsNewest_ = true;
  int round_ = 0;
};

} // namespace nestwright::ui

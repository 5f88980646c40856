#include "ui/cost_model/round_bar.h"

#include "ui/cost_model/prediction_history.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/theme.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr std::array<int, 3> kBefore{0, 7, 1'000'000}; // rounds before the one shown

std::size_t indexOf(const QComboBox& box) {
  return static_cast<std::size_t>(std::max(0, box.currentIndex()));
}

} // namespace

RoundBar::RoundBar(QWidget* parent) : QWidget(parent) {
  back_ = flatButton(this, QStringLiteral("◀"), tr("The round before with predictions"));
  forward_ = flatButton(this, QStringLiteral("▶"), tr("The next round with predictions"));
  newest_ =
      flatToggle(this, tr("Latest"), tr("The latest round, and each new one as it is measured"));
  place_ = new QLabel(this);
  before_ =
      choiceBox(this, {tr("this round"), tr("and 7 before"), tr("and all before")}, tr("Rounds"),
                tr("Earlier rounds are drawn faintly as context, and their surprises are "
                   "listed too."));
  before_->setCurrentIndex(1);
  layouts_ =
      choiceBox(this, {tr("Scores"), tr("Ranks")}, tr("Drawing"),
                tr("Scores: predicted and measured share of the fastest program's throughput. "
                   "Ranks: a line from each program's predicted rank to its measured one; level "
                   "lines are what a good model gives."));
  QStringList counts;
  for (const std::size_t count : kBestCounts)
    counts.append(tr("best %1").arg(count));
  best_ = choiceBox(this, counts, tr("How many best programs count"),
                    tr("Recall: how many of the so many fastest programs of a round are among the "
                       "so many best predicted. A search measures the best predicted, so this is "
                       "what it lives on."));
  best_->setCurrentIndex(2);
  allTasks_ = flatToggle(this, tr("All tasks"),
                         tr("Rounds of all tasks, instead of those of the selected "
                            "task. One model learns from all of them."));
  auto* line = new FlowLayout(this, 4);
  line->setContentsMargins(8, 4, 8, 4);
  for (QWidget* widget : std::initializer_list<QWidget*>{back_, place_, forward_, newest_, before_,
                                                         layouts_, best_, allTasks_})
    line->addWidget(widget);
  connect(back_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(forward_, &QToolButton::clicked, this, [this] { step(1); });
  connect(newest_, &QToolButton::clicked, this, [this] {
    followsNewest_ = true;
    Q_EMIT changed();
  });
  for (QComboBox* choice : {before_, best_})
    connect(choice, &QComboBox::currentIndexChanged, this, &RoundBar::changed);
  connect(layouts_, &QComboBox::currentIndexChanged, this,
          [this](int index) { Q_EMIT layoutChosen(static_cast<PredictionPlot::Layout>(index)); });
  connect(allTasks_, &QToolButton::toggled, this, &RoundBar::changed);
  connect(&Theme::instance(), &Theme::changed, this, &RoundBar::restyle);
  restyle();
}

void RoundBar::restyle() {
  place_->setFont(smallFont());
}

void RoundBar::setRounds(std::vector<int> rounds, bool cut) {
  rounds_ = std::move(rounds);
  if (followsNewest_ || std::ranges::find(rounds_, round_) == rounds_.end())
    round_ = rounds_.empty() ? 0 : rounds_.back();
  followsNewest_ = followsNewest_ || rounds_.empty() || round_ == rounds_.back();
  const auto at = std::ranges::find(rounds_, round_) - rounds_.begin();
  place_->setText(rounds_.empty() ? tr("no rounds")
                                  : tr("Round %1 (%2 of %3)")
                                        .arg(round_)
                                        .arg(countText(at + 1), countText(std::ssize(rounds_))));
  place_->setToolTip(cut ? tr("Rounds among the newest %1 trials of the session; older ones are "
                              "left out.")
                               .arg(countText(PredictionHistory::kMaxTrials))
                         : tr("Rounds in which the model had predicted the measured programs."));
  const QString none = rounds_.empty() ? tr("No round had predictions yet.") : QString();
  enableUnless(back_, none.isEmpty() && at == 0 ? tr("This is the first round.") : none);
  enableUnless(forward_, none.isEmpty() && at + 1 >= std::ssize(rounds_)
                             ? tr("This is the newest round.")
                             : none);
  enableUnless(newest_, none);
  newest_->setChecked(followsNewest_ && !rounds_.empty());
}

int RoundBar::firstRound() const {
  const auto at = std::ranges::find(rounds_, round_) - rounds_.begin();
  return rounds_[static_cast<std::size_t>(
      std::max<std::ptrdiff_t>(0, at - kBefore[indexOf(*before_)]))];
}

bool RoundBar::looksBack() const {
  return before_->currentIndex() != 0;
}

void RoundBar::step(int direction) {
  const auto at = std::ranges::lower_bound(rounds_, round_) - rounds_.begin() + direction;
  if (at >= 0 && at < std::ssize(rounds_)) showRound(rounds_[static_cast<std::size_t>(at)]);
}

void RoundBar::showRound(int round) {
  followsNewest_ = !rounds_.empty() && round == rounds_.back();
  round_ = round;
  Q_EMIT changed();
}

void RoundBar::follow() {
  followsNewest_ = true;
  round_ = 0;
}

std::size_t RoundBar::bestCount() const {
  return kBestCounts[indexOf(*best_)];
}

bool RoundBar::allTasks() const {
  return allTasks_->isChecked();
}

void RoundBar::setAllTasks(bool all) {
  allTasks_->setChecked(all);
}

void RoundBar::showOfOneRound(bool shown) {
  before_->setVisible(shown);
  layouts_->setVisible(shown);
}

nlohmann::json RoundBar::state() const {
  return {{"before", before_->currentIndex()},
          {"layout", layouts_->currentIndex()},
          {"best", best_->currentIndex()},
          {"allTasks", allTasks_->isChecked()}};
}

void RoundBar::restore(const nlohmann::json& state) {
  const auto choose = [&](QComboBox* box, const char* key, int byDefault) {
    box->setCurrentIndex(std::clamp(storedValue(state, key, byDefault), 0, box->count() - 1));
  };
  choose(before_, "before", 1);
  choose(layouts_, "layout", 0);
  choose(best_, "best", 2);
  allTasks_->setChecked(storedValue(state, "allTasks", false));
}

} // namespace nestwright::ui

#include "moc_round_bar.cpp"

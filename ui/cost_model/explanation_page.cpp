#include "ui/cost_model/explanation_page.h"

#include "ui/cost_model/attention_model.h"
#include "ui/cost_model/cost_model_export.h"
#include "ui/cost_model/waterfall_plot.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

QString noteOf(const ScoreStory& story) {
  const QString expects =
      story.ranking.isEmpty()
          ? ExplanationPage::tr("Program %1: the model as it is now expects %2 of the fastest "
                                "program's throughput.")
          : ExplanationPage::tr("Program %1: the model as it is now gives it the score %2; the "
                                "higher, the faster.");
  const QString bars =
      isBySteps(story)
          ? ExplanationPage::tr(" Each bar is what one step adds (to the right) or takes away (to "
                                "the left); a click shows it in the program.")
          : ExplanationPage::tr(
                " Each bar is what one feature adds (to the right) or takes away (to "
                "the left).");
  return expects.arg(story.program).arg(story.score, 0, 'f', 3) + bars;
}

QString attentionNote(const ScoreStory& story) {
  const std::size_t read = story.attention->rows;
  QString text =
      ExplanationPage::tr("Program %1: each row is a step, and says in percent how its attention "
                          "is spread over the steps, whose numbers are above, and the padding "
                          "behind them. It is what the network looks at, not which way that works. "
                          "A click shows the row's step in the program.")
          .arg(story.program);
  if (read < story.parts.size())
    text += ExplanationPage::tr(" The network reads %1 steps: it does not see the last %2.")
                .arg(read)
                .arg(story.parts.size() - read);
  return text;
}

} // namespace

ExplanationPage::ExplanationPage(QWidget* parent)
    : NotedPage(parent), waterfall_(new WaterfallPlot(this)), model_(new AttentionModel(this)),
      table_(new QTableView(this)),
      button_(flatToggle(this, tr("Steps look at …"),
                         tr("The network's attention: which steps each step looks at, instead of "
                            "what each step added."))),
      stack_(new QStackedWidget(this)) {
  buildTable();
  stack_->addWidget(waterfall_);
  stack_->addWidget(table_);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(6, 0, 6, 2);
  line->addWidget(button_);
  line->addStretch();
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(line);
  column->addWidget(stack_, 1);
  setContent(content);
  button_->hide();
  connect(button_, &QToolButton::toggled, this, &ExplanationPage::follow);
  connect(waterfall_, &WaterfallPlot::stepPicked, this, &ExplanationPage::stepPicked);
  connect(&Theme::instance(), &Theme::changed, this, &ExplanationPage::restyle);
  restyle();
}

void ExplanationPage::buildTable() {
  table_->setModel(model_);
  table_->setAccessibleName(tr("Which steps each step looks at"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setShowGrid(false);
  addCopying(table_);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setMinimumSectionSize(1);
  table_->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(table_, signal, this,
            [this](const QModelIndex& cell) { Q_EMIT stepPicked(cell.row()); });
}

void ExplanationPage::restyle() {
  table_->verticalHeader()->setDefaultSectionSize(tableRowHeight() + 2);
}

bool ExplanationPage::showsAttention() const {
  return stack_->currentWidget() == table_;
}

void ExplanationPage::show(const ScoreStory& story, const QString& behind) {
  story_ = story;
  behind_ = behind;
  waterfall_->show(story);
  model_->show(story);
  follow();
}

void ExplanationPage::showMessage(const QString& message, const QString& note) {
  story_ = {};
  behind_ = note;
  waterfall_->showMessage(message);
  model_->show({});
  follow();
}

void ExplanationPage::follow() {
  const bool has = story_.attention.has_value();
  const bool looks = has && button_->isChecked();
  button_->setVisible(has);
  stack_->setCurrentWidget(looks ? static_cast<QWidget*>(table_) : waterfall_);
  setNote(story_.record == 0 ? behind_
                             : (looks ? attentionNote(story_) : noteOf(story_)) + behind_);
}

Exports ExplanationPage::exports() {
  Exports exports;
  if (showsAttention()) {
    exports = seenOf(this);
    exports.name = QStringLiteral("step-attention");
    exports.title = tr("Attention between the steps of program %1").arg(story_.program);
    exports.text = note();
    exports.table = model_->exportTable();
    exports.more.clear();
    return exports;
  }
  exports.name = QStringLiteral("score-explanation");
  exports.title = note();
  exports.table = partsTable(story_.record == 0 ? std::nullopt : std::optional(story_));
  waterfall_->exportPicture(exports);
  return exports;
}

} // namespace nestwright::ui

#include "moc_explanation_page.cpp"

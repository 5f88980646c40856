#include "ui/lab/two_models_page.h"

#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/lab/agreement_plot.h"
#include "ui/lab/figure_model.h"
#include "ui/lab/lab_parts.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

QString differenceText(const JudgedLook& look) {
  if (look.a == look.b) return TwoModelsPage::tr("Choose two models to see how they differ.");
  const ModelEvaluation& evaluation = look.judged->evaluation;
  const BoundedFigures differences = differenceOf(evaluation, look.a, look.b);
  const std::vector<FigureId>& ids = evaluation.comparison.ids;
  QStringList texts;
  for (const Figure figure : {Figure::MeanOfNetworks, Figure::RatioOfSums}) {
    const auto id = std::ranges::find(ids, FigureId{figure, evaluation.ks[look.k], 0});
    if (id == ids.end()) continue;
    const BoundedFigure& difference = differences[std::size_t(id - ids.begin())];
    texts << TwoModelsPage::tr("%1: %2, %3")
                 .arg(figureTitle(*id, evaluation), boundedText(difference),
                      !isClear(difference)   ? TwoModelsPage::tr("≈ they cannot be told apart")
                      : difference.value > 0 ? TwoModelsPage::tr("▲ the first is better")
                                             : TwoModelsPage::tr("▼ the second is better"));
  }
  return TwoModelsPage::tr("%1 less %2, on the same tasks. %3.")
      .arg(modelTitle(evaluation.models[look.a].name), modelTitle(evaluation.models[look.b].name),
           texts.join(QStringLiteral("; ")));
}

std::size_t modelOf(const QComboBox* box) {
  return std::size_t(std::max(0, box->currentData().toInt()));
}

} // namespace

TwoModelsPage::TwoModelsPage(QWidget* parent) : QWidget(parent) {
  a_ = narrowChoiceBox(this, tr("First model"),
                       tr("The model along the horizontal axis, and the one whose worst tasks are "
                          "listed."));
  b_ = narrowChoiceBox(this, tr("Second model"), tr("The model along the vertical axis."));
  for (QComboBox* box : {a_, b_})
    connect(box, &QComboBox::activated, this,
            [this] { Q_EMIT modelsChosen(modelOf(a_), modelOf(b_)); });
  difference_ = wordsLabel(this);
  difference_->setAccessibleName(tr("Difference of the two models"));
  agreement_ = new AgreementPlot(this);
  auto* flow = new FlowLayout(nullptr, 4);
  flow->setContentsMargins(6, 4, 6, 2);
  for (QWidget* part : std::initializer_list<QWidget*>{a_, new QLabel(tr("against"), this), b_})
    flow->addWidget(part);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(flow);
  column->addWidget(difference_);
  column->addWidget(agreement_, 1);
  connect(agreement_, &AgreementPlot::picked, this, &TwoModelsPage::taskPicked);
}

QString TwoModelsPage::difference() const {
  return difference_->text();
}

void TwoModelsPage::showLook(const JudgedLook& look) {
  const bool same = isSameBesidesTask(look, look_);
  if (look.judged != look_.judged) fillModels(look.judged);
  look_ = look;
  agreement_->show(look);
  if (same) return;
  a_->setCurrentIndex(a_->findData(int(look.a)));
  b_->setCurrentIndex(b_->findData(int(look.b)));
  difference_->setText(look.judged ? differenceText(look) : QString());
}

void TwoModelsPage::fillModels(const Judged& judged) {
  for (QComboBox* box : {a_, b_}) {
    box->clear();
    if (!judged) continue;
    for (const std::size_t model : shownOrder(judged->evaluation))
      box->addItem(modelTitle(judged->evaluation.models[model].name), int(model));
  }
}

} // namespace nestwright::ui

#include "moc_two_models_page.cpp"

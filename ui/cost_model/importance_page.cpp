#include "ui/cost_model/importance_page.h"

#include "ui/cost_model/importance_model.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QTableView>

namespace nestwright::ui {

QString featuresNote(const ModelStory& story) {
  if (story.splits == ModelStory::Splits::None)
    return ImportancePage::tr(
        "The model is a network: it has no splits of which features could have shares. The page "
        "Explanation says what each feature or step adds to a program's score.");
  const QString shares = countedText(
      std::ssize(story.features), ImportancePage::tr("1 feature has splits in the model's trees."),
      ImportancePage::tr(
          "%1 features have splits in the model's trees, the most important first."));
  return story.splits == ModelStory::Splits::OfTheModel
             ? shares
             : shares +
                   ImportancePage::tr(" These are shares of the model's trees alone: the network "
                                      "beside them has no splits.");
}

ImportancePage::ImportancePage(QWidget* parent)
    : NotedPage(parent), model_(new ImportanceModel(this)), table_(new QTableView(this)) {
  auto* sorted = new SortedRows(this);
  sorted->setSourceModel(model_);
  table_->setModel(sorted);
  table_->setAccessibleName(tr("Features by importance"));
  setUpTable(table_);
  table_->setItemDelegateForColumn(ImportanceModel::Share, new BarDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ImportanceModel::Rank, Qt::AscendingOrder);
  setContent(table_);
  connect(&Theme::instance(), &Theme::changed, this, &ImportancePage::restyle);
  restyle();
}

void ImportancePage::restyle() {
  fitColumn(table_, ImportanceModel::Rank, QStringLiteral("184"));
  fitColumn(table_, ImportanceModel::Feature, QStringLiteral("B0.reuse_dis_in_bytes_xxxx"));
  fitColumn(table_, ImportanceModel::Share, QStringLiteral("99.9 % ____________"));
  table_->horizontalHeader()->setStretchLastSection(true);
}

void ImportancePage::show(const std::vector<FeatureShare>& features, const QString& note) {
  model_->show(features);
  setNote(note);
  table_->show();
}

void ImportancePage::showMessage(const QString& message) {
  model_->show({});
  setNote(message);
  table_->hide();
}

} // namespace nestwright::ui

#include "moc_importance_page.cpp"

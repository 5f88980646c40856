#include "ui/window/welcome_page.h"

#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/theme.h"
#include "ui/lesson/tour.h"

#include <QAction>
#include <QCommandLinkButton>
#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// A rule above each document; the one that a click opens is written in the accent.
class DocumentDelegate : public PaddedDelegate {
 public:
  explicit DocumentDelegate(QObject* parent) : PaddedDelegate(parent, QSize(2, 5)) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver))
      cell.palette.setColor(QPalette::Text, colours().accent);
    PaddedDelegate::paint(painter, cell, index);
    painter->fillRect(QRect(option.rect.topLeft(), QSize(option.rect.width(), 1)), colours().line);
  }
};

} // namespace

WelcomePage::WelcomePage(const QList<QAction*>& beginnings, QWidget* parent)
    : QWidget(parent), title_(new QLabel(tr("Nestwright"), this)),
      claim_(
          new QLabel(tr("Tune the loop nests of a neural network for this machine, and watch the "
                        "search while it works."),
                     this)),
      recentTitle_(new QLabel(tr("Recent documents"), this)),
      toursTitle_(new QLabel(tr("Guided tours"), this)),
      hint_(new QLabel(tr("Drop a document (.nwdb), a model (.onnx) or logs of TVM and TenSet "
                          "here. Ctrl+K finds commands, "
                          "F1 explains."),
                       this)),
      recent_(new QListWidget(this)) {
  claim_->setWordWrap(true);
  auto* column = new QWidget(this);
  auto* layout = new QVBoxLayout(column);
  layout->setSpacing(8);
  layout->addWidget(title_);
  layout->addWidget(claim_);
  layout->addSpacing(12);
  auto* row = new FlowLayout(nullptr, 8);
  for (QAction* action : beginnings) {
    if (!action->isVisible()) continue;
    auto* button = new QToolButton(column);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    row->addWidget(button);
  }
  layout->addLayout(row);
  layout->addSpacing(20);
  layout->addWidget(toursTitle_);
  layout->addWidget(buildTours(column));
  layout->addSpacing(20);
  layout->addWidget(recentTitle_);
  layout->addWidget(recent_, 10);
  layout->addStretch(1);
  layout->addWidget(hint_);
  recent_->setAccessibleName(tr("Recent documents"));
  recent_->setItemDelegate(new DocumentDelegate(recent_));
  recent_->viewport()->setAutoFillBackground(false);
  recent_->viewport()->setAttribute(Qt::WA_Hover);
  recent_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  recent_->setTextElideMode(Qt::ElideMiddle);
  hint_->setWordWrap(true);
  // Enlarged for a lecture hall, it is scrolled.
  auto* whole = new QWidget(this);
  auto* page = new QHBoxLayout(whole);
  page->setContentsMargins(32, 72, 32, 32);
  page->addStretch(1);
  page->addWidget(column, 8);
  page->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(whole);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);
  const auto widen = [column] {
    column->setMaximumWidth(qRound(760 * std::max(1.0, Theme::instance().zoom())));
  };
  widen();
  connect(&Theme::instance(), &Theme::changed, column, widen);
  connect(recent_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    Q_EMIT openRequested(item->data(PathRole).toString());
  });
  connect(recent_, &QListWidget::itemClicked, recent_, &QListWidget::itemActivated);
  connect(&Theme::instance(), &Theme::changed, this, &WelcomePage::restyle);
  restyle();
  refresh();
}

QWidget* WelcomePage::buildTours(QWidget* parent) {
  auto* cards = new QWidget(parent);
  auto* row = new QHBoxLayout(cards);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  for (const Tour& tour : tours()) {
    auto* card = new QCommandLinkButton(tour.title, tour.purpose, cards);
    card->setAccessibleDescription(tour.purpose);
    card->setIcon(QIcon());
    connect(card, &QCommandLinkButton::clicked, this,
            [this, name = tour.name] { Q_EMIT tourRequested(name); });
    row->addWidget(card, 1);
  }
  return cards;
}

void WelcomePage::restyle() {
  QFont font = this->font();
  font.setPointSizeF(font.pointSizeF() * 2);
  font.setWeight(QFont::DemiBold);
  title_->setFont(font);
  const QColor dim = colours().dim;
  setTextColour(claim_, dim);
  for (QLabel* label : {recentTitle_, toursTitle_, hint_})
    setTextColour(label, dim);
}

void WelcomePage::refresh() {
  recent_->clear();
  for (const QString& path : Settings::recentFiles()) {
    const QFileInfo file(path);
    const QString when = file.exists()
                             ? file.lastModified().toString(QStringLiteral("yyyy-MM-dd hh:mm"))
                             : tr("not found");
    auto* item = new QListWidgetItem(
        QStringLiteral("%1   ·   %2   ·   %3").arg(file.completeBaseName(), when, file.path()),
        recent_);
    item->setData(PathRole, path);
    item->setToolTip(path);
    if (!file.exists()) item->setForeground(colours().faint);
  }
  recentTitle_->setVisible(recent_->count() > 0);
  recent_->setVisible(recent_->count() > 0);
}

} // namespace nestwright::ui

#include "moc_welcome_page.cpp"

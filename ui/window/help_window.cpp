#include "ui/window/help_window.h"

#include "ui/kit/colours.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/theme.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

const QString kFolder = QStringLiteral(":/help/");

QString text(const QString& page) {
  QFile file(kFolder + page + QStringLiteral(".md"));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Shows pages, and for a picture "shot:curves" the screenshot that fits theme and width.
class Browser : public QTextBrowser {
 public:
  using QTextBrowser::QTextBrowser;

  QVariant loadResource(int type, const QUrl& name) override {
    if (name.scheme() != QLatin1String("shot")) return QTextBrowser::loadResource(type, name);
    const QString view = name.path();
    const QString shade = colours().dark ? QStringLiteral("dark") : QStringLiteral("light");
    const int room = std::max(300, viewport()->width() - 40);
    for (const QString& size : room > 1100 ? QStringList{"2560x1440", "1280x800"}
                                           : QStringList{"1280x800", "2560x1440"}) {
      const QImage picture(QStringLiteral("%1%2-%3-%4.png").arg(kFolder, view, shade, size));
      if (picture.isNull()) continue;
      return picture.width() > room ? picture.scaledToWidth(room, Qt::SmoothTransformation)
                                    : picture;
    }
    return {};
  }
};

} // namespace

QStringList helpPages() {
  QStringList pages;
  for (const QString& file : QDir(kFolder).entryList({QStringLiteral("*.md")}, QDir::Files))
    pages.append(file.chopped(3));
  const QStringList first{"index", "sessions", "glossary"};
  std::stable_sort(pages.begin(), pages.end(), [&](const QString& a, const QString& b) {
    const auto rank = [&](const QString& page) {
      const qsizetype at = first.indexOf(page);
      return at < 0 ? first.size() : at;
    };
    return rank(a) != rank(b) ? rank(a) < rank(b) : helpTitle(a) < helpTitle(b);
  });
  return pages;
}

QString helpTitle(const QString& page) {
  const QString all = text(page);
  const QString line = all.section(QLatin1Char('\n'), 0, 0);
  return line.startsWith(QLatin1String("# ")) ? line.mid(2).trimmed()
         : all.isEmpty()                      ? QString()
                                              : page;
}

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent, Qt::Window), index_(new QListWidget(this)), browser_(new Browser(this)),
      find_(new QLineEdit(this)), back_(new QToolButton(this)), forward_(new QToolButton(this)) {
  setWindowTitle(tr("Nestwright Help"));
  for (const QString& page : helpPages()) {
    auto* item = new QListWidgetItem(helpTitle(page), index_);
    item->setData(PathRole, page);
  }
  index_->setAccessibleName(tr("Pages"));
  index_->viewport()->setBackgroundRole(QPalette::Window);
  index_->setItemDelegate(new PaddedDelegate(index_, QSize(8, 4)));
  browser_->setAccessibleName(tr("Page"));
  browser_->setOpenLinks(false);
  auto* bar = new QHBoxLayout;
  buildBar(bar);
  auto* split = new QSplitter(this);
  split->setHandleWidth(1);
  split->addWidget(index_);
  split->addWidget(browser_);
  split->setStretchFactor(1, 1);
  split->setSizes({210, 650});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(split, 1);
  resize(900, 700);
  connect(index_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    if (item && item->data(PathRole).toString() != page())
      showSource(item->data(PathRole).toString(), {});
  });
  connect(browser_, &QTextBrowser::sourceChanged, this, &HelpWindow::follow);
  connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (!link.scheme().isEmpty() && link.scheme() != QLatin1String("qrc")) {
      QDesktopServices::openUrl(link);
      return;
    }
    const QString file = link.fileName();
    showSource(file.endsWith(QLatin1String(".md")) ? file.chopped(3) : page(), link.fragment());
  });
  connect(&Theme::instance(), &Theme::changed, this, &HelpWindow::restyle);
  restyle();
}

void HelpWindow::buildBar(QHBoxLayout* bar) {
  bar->setContentsMargins(6, 4, 6, 4);
  const auto button = [&](QToolButton* made, const QString& sign, const QString& tip) {
    made->setText(sign);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    bar->addWidget(made);
  };
  auto* home = new QToolButton(this);
  button(back_, QStringLiteral("←"), tr("Back (Alt+Left)"));
  button(forward_, QStringLiteral("→"), tr("Forward (Alt+Right)"));
  button(home, tr("Index"), tr("Index of all pages"));
  back_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
  forward_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Right));
  bar->addStretch();
  find_->setPlaceholderText(tr("Search all pages"));
  find_->setAccessibleName(tr("Search all pages"));
  find_->setToolTip(tr("Lists the pages that have these words; Enter goes to the next place."));
  find_->setClearButtonEnabled(true);
  find_->setMaximumWidth(260);
  bar->addWidget(find_);
  connect(back_, &QToolButton::clicked, browser_, &QTextBrowser::backward);
  connect(forward_, &QToolButton::clicked, browser_, &QTextBrowser::forward);
  connect(home, &QToolButton::clicked, this, [this] { showSource(QStringLiteral("index"), {}); });
  const auto offerBack = [this](bool some) {
    enableUnless(back_, some ? QString() : tr("No page was shown before this one."));
  };
  const auto offerForward = [this](bool some) {
    enableUnless(forward_, some ? QString() : tr("You have not gone back from a page."));
  };
  connect(browser_, &QTextBrowser::backwardAvailable, this, offerBack);
  connect(browser_, &QTextBrowser::forwardAvailable, this, offerForward);
  connect(find_, &QLineEdit::textChanged, this, &HelpWindow::filter);
  connect(find_, &QLineEdit::returnPressed, this, [this] { browser_->find(find_->text()); });
  offerBack(false);
  offerForward(false);
}

void HelpWindow::restyle() {
  browser_->document()->setDocumentMargin(18);
  browser_->document()->setDefaultStyleSheet(
      QStringLiteral("a { color: %1; }").arg(colours().accent.name()));
  // Pictures in the colours that are now in force.
  if (browser_->source().isValid()) browser_->reload();
}

QString HelpWindow::page() const {
  const QString file = browser_->source().fileName();
  return file.endsWith(QLatin1String(".md")) ? file.chopped(3) : QString();
}

void HelpWindow::showPage(const QString& page, const QString& heading) {
  showSource(helpTitle(page).isEmpty() ? QStringLiteral("index") : page, heading);
  show();
  raise();
  activateWindow();
  browser_->setFocus();
}

void HelpWindow::showSource(const QString& page, const QString& heading) {
  browser_->setSource(QUrl(QStringLiteral("qrc") + kFolder + page + QStringLiteral(".md")),
                      QTextDocument::MarkdownResource);
  if (heading.isEmpty()) return;
  for (QTextBlock block = browser_->document()->begin(); block.isValid(); block = block.next()) {
    QString title = block.text().toCaseFolded();
    if (block.blockFormat().headingLevel() == 0) continue;
    if (title.replace(QLatin1Char(' '), QLatin1Char('-')) != heading.toCaseFolded()) continue;
    browser_->setTextCursor(QTextCursor(browser_->document()->lastBlock()));
    browser_->setTextCursor(QTextCursor(block)); // from below, so that it lies at the top
    return;
  }
}

void HelpWindow::follow() {
  for (int row = 0; row < index_->count(); ++row)
    if (index_->item(row)->data(PathRole).toString() == page()) index_->setCurrentRow(row);
}

void HelpWindow::filter(const QString& wanted) {
  for (int row = 0; row < index_->count(); ++row) {
    QListWidgetItem* item = index_->item(row);
    item->setHidden(!wanted.isEmpty() &&
                    !text(item->data(PathRole).toString()).contains(wanted, Qt::CaseInsensitive));
  }
}

} // namespace nestwright::ui

#include "moc_help_window.cpp"

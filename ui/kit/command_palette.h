#pragma once
/// \file Everything by name (Ctrl+K): commands, tasks, sessions and whatever views offer.

#include <QDialog>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace nestwright::ui {

/// One thing that can be chosen.
struct PaletteItem {
  QString title;  // what is searched and shown
  QString kind;   // "Command", "Task", "Session", "Filter", "Record"
  QString detail; // at the right: a shortcut, a number
  std::function<void()> run;
  bool enabled = true; // a command that cannot be used now is shown, and says so
};

/// Gives what may match the text, which is empty at first. Quick, because it is asked with every
/// key: no files, no waiting. At most some hundreds of items.
using PaletteProvider = std::function<std::vector<PaletteItem>(const QString& text)>;

/// Implemented by views (as a second base class) in which things have names.
class PaletteSource {
 public:
  virtual ~PaletteSource() = default;
  virtual std::vector<PaletteItem> paletteItems(const QString& text) = 0;
};

/// How well the text matches what was typed; 0 when not at all. Every typed letter must occur in
/// order; letters at the beginning of words and letters in a row count more, and shorter texts win.
int matchScore(const QString& typed, const QString& text);

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  explicit CommandPalette(QWidget* parent);
  /// Words that mean the same: what is called by one of a group is found by another of it.
  void setSynonyms(std::vector<QStringList> groups) { synonyms_ = std::move(groups); }
  void addProvider(PaletteProvider provider) { providers_.push_back(std::move(provider)); }
  /// Shows it over the window, empty and with all that is offered first.
  void popUp();
  /// What is listed for what is typed now, best first.
  const std::vector<PaletteItem>& items() const { return items_; }
  QLineEdit* line() const { return line_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  void choose();
  /// What was typed, and the same with words in place of which there are others.
  QStringList wordings(const QString& typed) const;

  std::vector<PaletteProvider> providers_;
  std::vector<QStringList> synonyms_;
  std::vector<PaletteItem> items_;
  QLineEdit* line_;
  QListView* list_;
  QStandardItemModel* model_;
};

} // namespace nestwright::ui

#pragma once
/// \file Program text of any length: lines with numbers, colours, cost bars and links. Only what is
/// seen is looked at, so 50,000 lines of assembly scroll like fifty.

#include "ui/kit/code_line.h"
#include "ui/kit/comparison_side.h"

#include <QAbstractListModel>
#include <QListView>

#include <vector>

namespace nestwright::ui {

/// What is told beside a line, once it is known.
struct LineCost {
  float share = -1; // as CodeLine::share
  QString tip;
  QString added = {}; // as CodeLine::added
  bool takesAway = false;
};

class CodeModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  void setLines(std::vector<CodeLine> lines);
  /// Of the first lines, in their order.
  void setCosts(std::vector<LineCost> costs);
  const std::vector<CodeLine>& lines() const { return lines_; }
  const CodeLine& line(int row) const { return lines_[static_cast<std::size_t>(row)]; }
  int longest() const { return longest_; }
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  std::vector<CodeLine> lines_;
  int longest_ = 0; // characters
};

class CodeView : public QListView {
  Q_OBJECT
 public:
  explicit CodeView(CodeLanguage language, QWidget* parent = nullptr);

  void setLines(std::vector<CodeLine> lines);
  void setLines(const QString& text) { setLines(codeLines(text)); }
  /// Of the lines that are shown, from the first one on; what one looks at stays.
  void setCosts(std::vector<LineCost> costs);
  /// How lines are coloured from now on.
  void setLanguage(CodeLanguage language);
  void setReductions(const QSet<QString>& names) { reductions_ = names; }
  /// Which side of a comparison it shows; decides the colour of its marks.
  void setSide(Side side) { side_ = side; }
  CodeModel* code() const { return model_; }
  /// All lines, without gaps of a comparison.
  QString text() const;

  /// Emphasises the lines whose link is within [from, to), and scrolls to the first unless one is
  /// visible. An empty range emphasises nothing.
  void showLinked(int from, int to);
  int linkedFrom() const { return linkedFrom_; }
  int linkedTo() const { return linkedTo_; }
  void goTo(int row);
  /// The next row from `row` on (or the one before it) that contains the text; -1 if none does.
  int find(const QString& text, int row, bool forward) const;

  CodeLanguage language() const { return language_; }
  const QSet<QString>& reductions() const { return reductions_; }
  Side side() const { return side_; }
  int gutterWidth() const;
  /// Of it what the bar of a share has.
  int shareWidth() const;
  int characterWidth() const { return characterWidth_; }

 Q_SIGNALS:
  /// The current line changed, by mouse or keyboard.
  void lineChosen(int row);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void restyle();
  void copySelected();

  CodeModel* model_;
  CodeLanguage language_;
  QSet<QString> reductions_;
  Side side_ = Side::None;
  int characterWidth_ = 8;
  int linkedFrom_ = 0, linkedTo_ = 0;
  bool hasNumbers_ = false, hasShares_ = false;
  bool settingLines_ = false;
};

} // namespace nestwright::ui

#pragma once
/// \file What a column of a table says. A table is a list of these, so that its columns are read,
/// and a new one is written, in one place.

#include <QString>
#include <QVariant>

#include <concepts>
#include <functional>
#include <utility>

namespace nestwright::ui {

/// Words in a header: fixed, or asked for each time since they change ("Best, ms").
class HeaderText {
 public:
  HeaderText() noexcept {} // written out, as GCC 12 wants it for the defaults below
  HeaderText(const QString& text) : text_(text) {}
  template <std::invocable Words>
  HeaderText(Words words) : words_(std::move(words)) {}
  QString operator()() const { return words_ ? words_() : text_; }

 private:
  QString text_;
  std::function<QString()> words_;
};

inline constexpr Qt::Alignment kLeft = Qt::AlignLeft | Qt::AlignVCenter;
inline constexpr Qt::Alignment kRight = Qt::AlignRight | Qt::AlignVCenter; // numbers

/// Only what a column needs is given; the rest has a meaning without.
template <class Row>
struct TableColumn {
  template <class Value>
  using Of = std::function<Value(const Row&)>;

  HeaderText title{};
  HeaderText tip{};            // what it is, in which unit, and which way is better
  Of<QString> text{};          // none: an empty cell
  Qt::Alignment align = kLeft; // of title and cells
  Of<QVariant> sort{};         // none: by the text
  Of<QVariant> bare{};         // for other programs, without unit; none: the text
  HeaderText bareTitle{};      // the title with the unit of what is bare; none: the title
  Of<QString> toolTip{};       // none: what the row has
  Of<QVariant> colour{};       // of the text; none or invalid: what the row has
  Of<QVariant> fraction{};     // length of a bar, 0 to 1; invalid: none
  Qt::SortOrder firstOrder = Qt::AscendingOrder; // by the first click on the title
  /// Whatever else by its role: an icon, a box to tick, what a delegate draws; invalid: what the
  /// row has.
  std::function<QVariant(const Row&, int role)> other{};
};

} // namespace nestwright::ui

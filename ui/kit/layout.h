#pragma once
/// \file The named arrangements of the panels, as data: which place each panel has in them, and how
/// large the places are.

#include <QString>

#include <array>

namespace nestwright::ui {

/// Six places, each a stack of tabs: three columns of two rows. Places without panels take no room.
enum class Place { Hidden, LeftTop, LeftBottom, CentreTop, CentreBottom, RightTop, RightBottom };

enum class Layout { Tune, Browse, Teach, Lab };
inline constexpr int kLayoutCount = 4;
inline constexpr std::array<Layout, kLayoutCount> kLayouts{Layout::Tune, Layout::Browse,
                                                           Layout::Teach, Layout::Lab};

/// "Tune", "Browse", "Teach", "Lab", translated.
QString title(Layout layout);
/// What the layout is for, in a sentence.
QString purpose(Layout layout);
/// The name under which it is stored: never translated.
QString key(Layout layout);

/// Shares of the width for the three columns, and of the height for the upper row of each.
struct Proportions {
  std::array<int, 3> columns; // per cent
  std::array<int, 3> upper;   // per cent
};
Proportions proportions(Layout layout);

} // namespace nestwright::ui

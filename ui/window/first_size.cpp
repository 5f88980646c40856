#include "ui/window/first_size.h"

namespace nestwright::ui {
namespace {

constexpr int kTitleBar = 40, kBorders = 4; // px

} // namespace

QSize firstSize(QSize wanted, const QRect& available) {
  return wanted.boundedTo(available.size() - QSize(kBorders, kTitleBar + kBorders));
}

} // namespace nestwright::ui

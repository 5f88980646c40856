#pragma once
/// \file Which colours a person wants.

namespace nestwright::ui {

enum class ThemeChoice { System, Light, Dark };

} // namespace nestwright::ui

#pragma once
/// \file An example of a user-defined template.
///
/// A plugin with templates of its own is this much: a folder in plugins/ (or a shared object
/// nestwright_NAME.so built against core's headers, in a folder of $NESTWRIGHT_PLUGIN_PATH) that
/// exports `nestwright_plugin` (plugin.cpp) and one PluginTemplate for each (dense_rows.cpp). It
/// stands behind our own wherever these are listed, and is chosen by its name:
///
///     nestwright templates matmul:m=64,n=64,k=64 --template dense_rows.example_template
///     nestwright tune matmul:m=64,n=64,k=64 --space templates
///                     --templates dense_rows.example_template
///
/// A template declares knobs, says how the tensors lie that it reads and writes, and writes down
/// the schedule of a configuration. What operator a task computes, which of its dimensions are rows
/// or channels, and what is fused behind it is found out for it (TaskOperator). A record keeps the
/// configuration, and its program is made from that again: a template that gives other programs
/// for configurations than it did before needs a new name.

#include "core/template/plugin_template.h"

namespace nestwright::example_template {

/// Dense Rows: a product whose weights are [K, N], as networks store them, where our own templates
/// have them transposed or packed. A tile of some rows and columns keeps its sums in registers
/// while it goes through K; each row of weights that it needs is read as vectors.
PluginTemplate denseRows();

} // namespace nestwright::example_template

#pragma once
/// \file The cost models that sessions keep in their file.

#include "core/record/store/rows.h"
#include "core/support/row_id.h"

#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// At most one cost model a session.
class ModelRows : public Rows {
 public:
  using Rows::Rows;

  /// Keeps the session's cost model, in the plugin's own form; replaces the one before.
  void save(RowId session, std::string_view name, std::string_view bytes);
  /// Takes the session's cost models out of the file, if it has any.
  void drop(RowId session);

  /// The session's cost model, if one of this name was kept.
  std::optional<std::string> of(RowId session, std::string_view name) const;
};

} // namespace nestwright

#pragma once
/// \file Whose measurements the numbers of a document are made of. A file may have many sessions,
/// and each knows the bests of those before it; what one session found by itself is another
/// question. Both have their numbers, and a window shows one kind of them everywhere.

#include "core/support/name_table.h"

namespace nestwright {

enum class Scope { WholeFile, ThisSession };

/// As the file keeps the choice.
inline constexpr NameTable<Scope, 2> kScopeNames = {{"file", "session"}};

} // namespace nestwright

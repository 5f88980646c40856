#pragma once
/// \file Single values of a record filter: from text and back.

#include "core/record/rows/record_filter.h"

#include <string>
#include <string_view>

namespace nestwright {

/// The value that the text says for this field: "conv2d", "1ms..5ms", "<=3". A text that stood in
/// quotes is no number where a pattern may be meant. Throws InputError with what is wrong and what
/// to write.
FilterValue parseFilterValue(const FilterFieldInfo& field, std::string_view text, bool quoted);
/// The text that gives the same value again; after `:`, so with a sign where one is needed.
std::string printFilterValue(const FilterFieldInfo& field, const FilterValue& value);
/// For people: "below 1 ms", "3 to 5", "conv2d".
std::string inWords(const FilterFieldInfo& field, const FilterValue& value);

} // namespace nestwright

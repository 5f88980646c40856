#pragma once
/// \file Which questions are counted sooner than their records are put into order.

namespace nestwright {

struct RecordFilter;

/// Whether the tables know how many records match, so that none has to be read for it.
bool countsWithoutReading(const RecordFilter& filter);

} // namespace nestwright

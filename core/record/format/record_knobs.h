#pragma once
/// \file The configuration of a template that a record is of, for people.

#include "core/record/rows/record.h"

#include <string>
#include <vector>

namespace nestwright {

/// A knob and what it is set to.
struct RecordKnob {
  std::string knob;  // "tile_y"
  std::string kind;  // "split", "order", "annotation" or "value"
  std::string value; // "-1, 4", -1 standing for what is left
};

/// Those of a record of a template, in the order of the configuration, whether the template is
/// known or not; none for a record of steps. Throws InputError where what the file says of it is no
/// configuration.
std::vector<RecordKnob> recordKnobs(const Record& record);

/// A line each, in columns; empty when there are none.
std::string knobTable(const std::vector<RecordKnob>& knobs);

} // namespace nestwright

#pragma once
/// \file A choice of data as a file for others, and as the command that says the same.

#include "core/dataset/data_choice.h"

#include <string>

namespace nestwright {

/// What `nestwright dataset -o` wrote. Throws InputError that names the file.
DataChoice readChoice(const std::string& file);

/// Writes the choice with the places of its files complete, in place of what was there. Throws
/// SystemError, and leaves what was there.
void writeChoice(DataChoice choice, const std::string& file);

/// `nestwright dataset --db a.nwdb --hold-out zoo_test`: what differs from DataChoice's defaults,
/// in words that a shell takes as they are meant.
std::string datasetCommand(const DataChoice& choice);

} // namespace nestwright

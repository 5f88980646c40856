#pragma once
/// \file Changing protobuf messages of any type.

#include "core/support/random.h"

#include <google/protobuf/message.h>

#include <string>

namespace nestwright::fuzz {

/// Changes one to four fields, somewhere in the message: numbers become extreme ones, texts others
/// of the message or nasty ones, and elements of lists are lost, doubled, swapped or many.
void alterMessage(google::protobuf::Message& message, const std::string& marker, Random& random);

} // namespace nestwright::fuzz

#pragma once
/// \file What a training puts beside its model's file: but for networks of epochs nothing of it is
/// left once the model is there.

#include "core/support/own_lock.h"
#include "core/training/model_wish.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// The state of a network after each epoch, until the model is there.
std::string checkpointOf(const std::string& model);
/// The wish, so that whoever finds the checkpoint can go on.
std::string wishFileOf(const std::string& model);
/// The model whose checkpoint it is.
std::string modelOfCheckpoint(const std::string& checkpoint);

/// The network of an epoch, from 1, where each is kept: a model's file, which stays: "m-epoch3.nwm"
/// beside "m.nwm".
std::string epochFileOf(const std::string& model, int epoch);

/// Whether the model is there, and no training that would replace it.
bool isModelThere(const std::string& model);
/// Throws InputError where there is no folder for the model, and UsageError where a model is there
/// already.
void requireFreePlace(const std::string& model);

/// Writes the wish and reads it back. Throw SystemError and InputError, with the path.
void writeWish(const std::string& model, const ModelWish& wish);
ModelWish readWish(const std::string& model);
/// What a training of the model holds: two of one name would write each other's checkpoint. Throws
/// InputError where somebody has it, which says who.
std::unique_ptr<OwnLock> lockTraining(const std::string& model);
/// Which process trains it now, as thisProcessText() says it there; nothing where none does.
std::optional<std::string> trainerOf(const std::string& model);
/// Removes checkpoint and wish, as far as they are there.
void removeTraining(const std::string& model);

/// Models of a folder that are there, or whose training was interrupted: their paths, the newest
/// first. Nothing of a folder that cannot be read.
std::vector<std::string> modelsIn(const std::string& folder);

} // namespace nestwright

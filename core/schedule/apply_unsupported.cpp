/// \file Steps of public records that are read and printed but cannot be applied yet.

#include "core/schedule/step_applier.h"

namespace nestwright {

void StepApplier::operator()(const FollowFusedSplitStep&) {
  refuse("not supported yet: follow-fused-split steps (FFSP)");
}

void StepApplier::operator()(const StorageAlignStep&) {
  refuse("not supported yet: storage-align steps (SA)");
}

void StepApplier::operator()(const CacheReadStep&) {
  refuse("not supported yet: cache-read steps (CHR)");
}

void StepApplier::operator()(const RfactorStep&) {
  refuse("not supported yet: rfactor steps (RF)");
}

} // namespace nestwright

#pragma once
/// \file Parts of a `.nwdb` file as files of their own.

#include "core/record/care/merge_files.h"
#include "core/record/rows/record_query.h"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

class RecordStore;

enum class SplitBy : std::uint8_t { Task, Session, Target, Network };

/// A part of a file: the records that any of the queries asks for, whatever their orders and
/// limits.
struct SplitPart {
  std::string suffix;      // for a file name: "task3", "session1"
  std::string description; // "conv2d 56x56 64->64 k3 +relu"
  std::vector<RecordQuery> queries;
};

/// The parts of the file, only those that have records. A record whose task is in several networks
/// is in the part of each; single operators make up one of their own, also those that a network
/// has.
std::vector<SplitPart> splitParts(const RecordStore& store, SplitBy by);

/// Writes the records of the part into a new file, with the networks, targets, tasks and sessions
/// that they belong to, their texts and tags. A session of which all records come along brings its
/// log, generations, marks and cost model; one that does not is there as a finished one. A log that
/// was imported can be imported again for the records of it that stay behind. Recombinations and
/// choices of programs come where all the records are there that they name. Others may write to
/// `from` meanwhile. The file appears under its name when it is complete; throws InputError when
/// there is one of this name, and leaves nothing behind after that or `stop`.
MergeReport extractPart(const std::string& from, const std::string& to, const SplitPart& part,
                        const std::atomic<bool>& stop,
                        const std::function<void(const MergeProgress&)>& onProgress = {});

} // namespace nestwright

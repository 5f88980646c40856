#include "core/target/target_json.h"

#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/target/instruction_set.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

template <class Io>
void fields(Io& io, GpuFacts& gpu) {
  io("name", gpu.name);
  io("major", gpu.architecture.major);
  io("minor", gpu.architecture.minor);
  io("multiprocessors", gpu.multiprocessors);
  io("warp_threads", gpu.warpThreads);
  io("threads_per_block", gpu.threadsPerBlock);
  io("threads_per_multiprocessor", gpu.threadsPerMultiprocessor);
  io("blocks_per_multiprocessor", gpu.blocksPerMultiprocessor);
  io("registers_per_multiprocessor", gpu.registersPerMultiprocessor);
  io("registers_per_thread", gpu.registersPerThread);
  io("vector_bytes", gpu.vectorBytes);
  io("shared_bytes_per_block", gpu.sharedBytesPerBlock);
  io("shared_bytes_per_block_opt_in", gpu.sharedBytesPerBlockOptIn);
  io("shared_bytes_per_multiprocessor", gpu.sharedBytesPerMultiprocessor);
  io("shared_bytes_reserved", gpu.sharedBytesReserved);
  io("l2_bytes", gpu.l2Bytes);
  io("memory_bytes", gpu.memoryBytes);
  io("clock_khz", gpu.clockKilohertz);
  io("memory_clock_khz", gpu.memoryClockKilohertz);
  io("bus_bits", gpu.busBits);
  io("driver_version", gpu.driverVersion);
  io("nvrtc_version", gpu.nvrtcVersion);
}

template <class Io>
void fields(Io& io, TargetFacts& facts) {
  io("backend", facts.backend);
  io.namedIfAny("lowering", facts.lowering, loweringFromName);
  io.namedIfAny("isa", facts.instructionSet, instructionSetFromName);
  io.ifSet("recorded", facts.recorded);
  io("cpu", facts.cpuName);
  io("model", facts.modelName);
  io("features", facts.features);
  io("cores", facts.cores);
  io("vector_bytes", facts.vectorBytes);
  io("cache_line_bytes", facts.cacheLineBytes);
  io("l1_bytes", facts.l1Bytes);
  io("l2_bytes", facts.l2Bytes);
  io("l3_bytes", facts.l3Bytes);
  io("memory_bytes", facts.memoryBytes);
  io("peak_flops_per_core", facts.peakFlopsPerCore);
  io("peak_bytes_per_core", facts.peakBytesPerCore);
  io.objectIfAny("gpu", facts.gpu); // files of CPU targets have none
}

json toJson(const TargetFacts& facts) {
  return toFields(facts);
}

namespace {

/// What is divided by, or is a limit of something that there is.
void requireSensible(const GpuFacts& gpu) {
  for (const std::int64_t count :
       {std::int64_t(gpu.warpThreads), std::int64_t(gpu.threadsPerBlock),
        std::int64_t(gpu.threadsPerMultiprocessor), std::int64_t(gpu.blocksPerMultiprocessor),
        std::int64_t(gpu.registersPerMultiprocessor), std::int64_t(gpu.registersPerThread),
        std::int64_t(gpu.vectorBytes)})
    if (count <= 0)
      throw InputError(fmt::format("the stored facts of the GPU '{}' cannot be right: {} of what "
                                   "every GPU has",
                                   gpu.name, count));
}

} // namespace

TargetFacts targetFactsFromJson(const json& j) {
  TargetFacts facts;
  try {
    readFields(j, facts);
    if (facts.gpu) requireSensible(*facts.gpu);
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the stored facts of a target cannot be read ({})", e.what()));
  }
  return facts;
}

} // namespace nestwright

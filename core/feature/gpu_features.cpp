#include "core/feature/gpu_features.h"

#include "core/feature/kernel_work.h"
#include "core/lower/gpu/unroll_registers.h"
#include "core/lower/gpu/verify_kernel.h"
#include "core/lower/unroll_loops.h"
#include "core/space/kernel_demand.h"
#include "core/target/occupancy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace nestwright {

namespace {

// Of a multiprocessor in a clock (CUDA C++ Programming Guide, "Arithmetic Instructions").
constexpr double kInstructions = 128; // of threads: four warps
constexpr double kSpecial = 16;
constexpr double kL2Bytes = 32;      // what public measurements reach
constexpr double kL2BytesOfOne = 64; // of a multiprocessor that has the cache for itself
/// Clocks from asking Global memory to the answer.
constexpr double kGlobalLatency = 600;

enum GpuEntry : std::size_t {
  // of the statements of a row
  MultiplyAdds,
  OtherArithmetic,
  Special,
  IndexArithmetic,
  TensorInstructions,
  SharedRequests,
  SharedWavefronts,
  SharedBytes,
  GlobalRequests,
  GlobalSectors,
  SectorsPerRequest,
  L2Bytes,
  DramBytes,
  Barriers,
  // of their kernel
  Waves,
  Tail,
  ResidentWarps,
  Registers,
  Spilled,
  BlockSharedBytes,
  BlockBarriers,
  BytesInFlight,
  ArithmeticClocks,
  IssueClocks,
  SpecialClocks,
  SharedClocks,
  L2Clocks,
  DramClocks,
  LatencyClocks,
  KernelClocks,
  // of the whole program
  AllSharedBytes,
  AllL2Bytes,
  AllDramBytes,
  AllMultiplyAdds,
  AllKernels,
  AllClocks,
  kGpuEntries
};
static_assert(kGpuEntries == kGpuFeatureCount);

struct NamedEntry {
  const char* name;
  const char* meaning;
};

constexpr NamedEntry kNamed[] = {
    {"gpu.multiply_adds", "products with a sum, of all threads"},
    {"gpu.other_arithmetic", "other arithmetic instructions of values, of all threads"},
    {"gpu.special", "functions that a unit of their own computes, divisions among them"},
    {"gpu.index_arithmetic", "instructions for divisions and remainders in indices and conditions"},
    {"gpu.tensor_instructions", "instructions of the tensor cores, of all warps"},
    {"gpu.shared_requests", "accesses of warps to shared memory"},
    {"gpu.shared_wavefronts",
     "answers of shared memory to these: more than one for a request where threads want different "
     "words of one bank"},
    {"gpu.shared_bytes", "bytes that threads get from shared memory or give to it"},
    {"gpu.global_requests", "accesses of warps to the device's memory"},
    {"gpu.global_sectors", "pieces of 32 bytes that these touch"},
    {"gpu.sectors_per_request", "of these, for each access of a warp"},
    {"gpu.l2_bytes", "bytes that multiprocessors get from the second-level cache or give to it"},
    {"gpu.dram_bytes", "bytes moved between the second-level cache and the device's memory"},
    {"gpu.barriers", "barriers among these statements that a block waits at"},
    {"gpu.waves", "blocks over those that the device holds at a time"},
    {"gpu.tail_share", "share of the last wave's places that stay empty, over all waves"},
    {"gpu.resident_warps", "warps that a multiprocessor holds at a time"},
    {"gpu.registers", "registers of a thread, estimated"},
    {"gpu.spilled_registers", "registers that a thread needs, by the estimate, and cannot have"},
    {"gpu.block_shared_bytes", "bytes of shared memory that a block takes"},
    {"gpu.block_barriers", "barriers that a block waits at"},
    {"gpu.bytes_in_flight",
     "bytes that a multiprocessor has asked the device's memory for at a time, at most"},
    {"gpu.arithmetic_clocks", "clocks that arithmetic takes on the busiest multiprocessor"},
    {"gpu.issue_clocks", "clocks in which its warps start their instructions"},
    {"gpu.special_clocks", "clocks that special functions take there"},
    {"gpu.shared_clocks", "clocks that shared memory takes there"},
    {"gpu.l2_clocks", "clocks that the second-level cache takes"},
    {"gpu.dram_clocks", "clocks that the device's memory takes; 0 where its speed is not known"},
    {"gpu.latency_clocks", "clocks that a thread waits for what it loads, one load after another"},
    {"gpu.clocks", "the most of these: estimated clocks of the kernel"},
    {"gpu.all_shared_bytes", "bytes that threads get from shared memory or give to it, in all"},
    {"gpu.all_l2_bytes", "bytes moved to and from the second-level cache by all kernels"},
    {"gpu.all_dram_bytes", "bytes moved to and from the device's memory by all kernels"},
    {"gpu.all_multiply_adds", "products with a sum, in all kernels"},
    {"gpu.all_kernels", "kernels of the program"},
    {"gpu.all_clocks", "estimated clocks of all kernels"},
};
static_assert(std::size(kNamed) == kGpuFeatureCount);

template <class F>
std::array<std::string, kGpuFeatureCount> texts(const F& text) {
  std::array<std::string, kGpuFeatureCount> result;
  std::ranges::transform(kNamed, result.begin(), text);
  return result;
}

using GpuTotals = std::array<double, kGpuFeatureCount>;

/// How the blocks of a kernel fill the device.
struct Placement {
  std::string kernel;
  double blocks = 1;
  double multiprocessors = 1;
  double resident = 1; // blocks of a multiprocessor
  double warps = 1;    // of these
  double sharedBytes = 0;

  double places() const { return multiprocessors * resident; }
  double waves() const { return blocks / places(); }
  /// Blocks of the busiest multiprocessor.
  double busiest() const { return std::ceil(blocks / multiprocessors); }
  /// Of these, as many as it works on at a time; and how often.
  double atOnce() const { return std::min(resident, busiest()); }
  double rounds() const { return std::ceil(busiest() / resident); }
};

Placement placementOf(const Stmt& launch, int registers, const GpuFacts& gpu) {
  Placement place;
  place.kernel = launch->launch->kernel;
  const std::int64_t sharedBytes = blockMemoryBytes(launch);
  place.sharedBytes = static_cast<double>(sharedBytes);
  const Occupancy occupancy =
      occupancyOf(gpu, {launch->launch->threadsPerBlock(), registers, sharedBytes});
  place.blocks = static_cast<double>(launch->launch->blocks());
  place.multiprocessors = std::max(gpu.multiprocessors, 1);
  place.resident = std::max(occupancy.blocks, 1);
  place.warps = std::max(occupancy.warps, 1);
  return place;
}

/// The bytes of Global memory that an access touches in one wave of blocks, which lie one after
/// another along x first.
double bytesOfWave(const MemoryAccess& reach, const Launch& launch, double places) {
  MemoryAccess wave = reach;
  for (std::size_t axis = 0; axis < kBlockLoops; ++axis) { // x, y, z
    const auto extent = static_cast<double>(launch.grid[axis].extent);
    wave = wave.limitedTo(kBlockLoops - 1 - axis, std::max(1.0, std::floor(places)));
    places /= extent;
  }
  return wave.touched(0, kSectorBytes).lines * kSectorBytes;
}

class ProgramReader {
 public:
  ProgramReader(const std::vector<std::string>& statements, const GpuFacts& gpu)
      : gpu_(gpu), rows_(statements.size()), kernelOf_(statements.size(), -1) {
    for (std::size_t i = 0; i < statements.size(); ++i)
      rowOf_.emplace(statements[i], i);
  }

  /// Only marks the loops that will be written out.
  void read(const Stmt& body, std::span<const double> registers) {
    std::size_t launches = 0;
    visit(unrollLoops(unrollRegisterLoops(body)), [&](const Stmt& s) {
      if (s->kind != StmtKind::Launch) return;
      readKernel(s, launches < registers.size() ? registers[launches] : 0);
      ++launches;
    });
  }

  std::vector<KernelTime> times() const {
    std::vector<KernelTime> result;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const GpuTotals& kernel = kernels_[i];
      const Placement& place = places_[i];
      KernelTime& time = result.emplace_back();
      time.kernel = place.kernel;
      time.arithmetic = kernel[ArithmeticClocks];
      time.issue = kernel[IssueClocks];
      time.special = kernel[SpecialClocks];
      time.tensor = kernel[TensorInstructions] * place.busiest() / place.blocks *
                    gpu_.tensorInstructionClocks();
      time.shared = kernel[SharedClocks];
      const double few = std::min(place.blocks, place.multiprocessors);
      time.l2 = std::max(kernel[L2Clocks], kernel[L2Bytes] / (kL2BytesOfOne * few));
      time.memory = kernel[DramClocks];
      time.latency = kernel[LatencyClocks];
      time.warps = place.warps * place.atOnce() / place.resident;
      time.barriers = kernel[BlockBarriers] * place.rounds();
    }
    return result;
  }

  std::vector<GpuRow> rows() const {
    GpuTotals all{};
    for (const GpuTotals& kernel : kernels_) {
      all[AllSharedBytes] += kernel[SharedBytes];
      all[AllL2Bytes] += kernel[L2Bytes];
      all[AllDramBytes] += kernel[DramBytes];
      all[AllMultiplyAdds] += kernel[MultiplyAdds];
      all[AllKernels] += 1;
      all[AllClocks] += kernel[KernelClocks];
    }
    std::vector<GpuRow> result;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      GpuTotals row = rows_[i];
      if (row[GlobalRequests] > 0)
        row[SectorsPerRequest] = row[GlobalSectors] / row[GlobalRequests];
      if (kernelOf_[i] >= 0) {
        const GpuTotals& kernel = kernels_[static_cast<std::size_t>(kernelOf_[i])];
        std::copy(&kernel[Waves], &kernel[KernelClocks] + 1, &row[Waves]);
      }
      std::copy(&all[AllSharedBytes], &all[AllClocks] + 1, &row[AllSharedBytes]);
      GpuRow& scaled = result.emplace_back();
      std::ranges::transform(row, scaled.begin(),
                             [](double x) { return static_cast<float>(std::log2(x + 1)); });
    }
    return result;
  }

 private:
  void readKernel(const Stmt& launch, double registers) {
    const KernelWork work = kernelWork(
        *launch, rows_.size(), [this](const std::string& buffer) { return rowFor(buffer); });
    const int most = registerLimit(launch->launch->threadsPerBlock(), gpu_);
    const Placement place =
        placementOf(launch, std::min(most, static_cast<int>(std::ceil(registers))), gpu_);
    GpuTotals kernel{};
    for (std::size_t row = 0; row < rows_.size(); ++row)
      addArithmetic(work.rows[row], rows_[row], kernel);
    addRequests(work, *launch->launch, place, kernel);
    kernel[Waves] = place.waves();
    kernel[Tail] = 1 - place.waves() / std::ceil(place.waves());
    kernel[ResidentWarps] = place.warps;
    kernel[Registers] = std::min<double>(registers, most);
    kernel[Spilled] = std::max(0.0, registers - most);
    kernel[BlockSharedBytes] = place.sharedBytes;
    kernel[BlockBarriers] = work.barriers;
    kernel[BytesInFlight] = work.bytesAtOnce * place.warps * kWarpLanes;
    addClocks(work, place, kernel);
    for (const WarpRequests& request : work.requests)
      kernelOf_[request.row] = static_cast<int>(kernels_.size());
    kernels_.push_back(kernel);
    places_.push_back(place);
  }

  static void addArithmetic(const RowWork& work, GpuTotals& row, GpuTotals& kernel) {
    const std::pair<GpuEntry, double> counts[] = {{MultiplyAdds, work.multiplyAdds},
                                                  {OtherArithmetic, work.otherArithmetic},
                                                  {Special, work.special},
                                                  {IndexArithmetic, work.indexArithmetic},
                                                  {TensorInstructions, work.tensorInstructions},
                                                  {Barriers, work.barriers}};
    for (const auto& [entry, count] : counts) {
      row[entry] += count;
      kernel[entry] += count;
    }
  }

  void addRequests(const KernelWork& work, const Launch& launch, const Placement& place,
                   GpuTotals& kernel) {
    const double l1Bytes = gpu_.sharedBytesPerMultiprocessor - place.resident * place.sharedBytes;
    double ofBlock = 0; // bytes of Global memory that a block reads, each once
    for (const WarpRequests& request : work.requests)
      if (request.reach && !request.isStore)
        ofBlock += request.reach->touched(kBlockLoops, kSectorBytes).lines * kSectorBytes;
    const bool fitsL1 = ofBlock * place.resident <= l1Bytes;
    for (const WarpRequests& request : work.requests) {
      const double bytes = request.requests * request.bytes;
      if (!request.reach) {
        add(request.row, SharedRequests, request.requests, kernel);
        add(request.row, SharedWavefronts, request.requests * request.wavefronts, kernel);
        add(request.row, SharedBytes, bytes, kernel);
        continue;
      }
      double moved = request.requests * request.sectors * kSectorBytes;
      add(request.row, GlobalRequests, request.requests, kernel);
      add(request.row, GlobalSectors, request.requests * request.sectors, kernel);
      if (!request.isStore && fitsL1)
        moved = std::min(moved, place.blocks * kSectorBytes *
                                    request.reach->touched(kBlockLoops, kSectorBytes).lines);
      add(request.row, L2Bytes, moved, kernel);
    }
    addDramBytes(work, launch, place, kernel);
  }

  /// What a wave of blocks shares comes once, and what all blocks share, if the cache holds it.
  void addDramBytes(const KernelWork& work, const Launch& launch, const Placement& place,
                    GpuTotals& kernel) {
    struct Buffers {
      const WarpRequests* largest = nullptr;
      double bytes = 0;
    };
    std::map<std::pair<bool, const BufferNode*>, Buffers> buffers;
    std::vector<const WarpRequests*> order; // of the buffers: addresses would not repeat
    double all = 0;
    for (const WarpRequests& request : work.requests) {
      if (!request.reach) continue;
      Buffers& known = buffers[{request.isStore, request.reach->buffer()}];
      const double bytes = request.reach->touched(0, kSectorBytes).lines * kSectorBytes;
      if (known.largest && bytes <= known.bytes) continue;
      all += bytes - known.bytes;
      known = {&request, bytes};
    }
    for (const WarpRequests& request : work.requests)
      if (request.reach && buffers[{request.isStore, request.reach->buffer()}].largest == &request)
        order.push_back(&request);
    const bool fits = all <= static_cast<double>(gpu_.l2Bytes);
    for (const WarpRequests* request : order) {
      double bytes = buffers[{request->isStore, request->reach->buffer()}].bytes;
      if (!fits && !request->isStore)
        bytes = std::max(bytes, std::ceil(place.waves()) *
                                    bytesOfWave(*request->reach, launch, place.places()));
      add(request->row, DramBytes, bytes, kernel);
    }
  }

  void add(std::size_t row, GpuEntry entry, double amount, GpuTotals& kernel) {
    rows_[row][entry] += amount;
    kernel[entry] += amount;
  }

  /// The roofline of each part of the device.
  void addClocks(const KernelWork& work, const Placement& place, GpuTotals& kernel) const {
    constexpr double kFlopsOfMultiplyAdd = 2;
    const double busiest = place.busiest() / place.blocks; // share of all work
    kernel[ArithmeticClocks] = (kernel[MultiplyAdds] + kernel[OtherArithmetic]) * busiest /
                               (gpu_.flopsPerClock() / kFlopsOfMultiplyAdd);
    kernel[IssueClocks] = work.instructions * busiest / kInstructions;
    kernel[SpecialClocks] = kernel[Special] * busiest / kSpecial;
    kernel[SharedClocks] = kernel[SharedWavefronts] * busiest;
    kernel[L2Clocks] = kernel[L2Bytes] / (kL2Bytes * place.multiprocessors);
    const double clocks = double(gpu_.clockKilohertz) * 1e3;
    if (gpu_.peakMemoryBytes() > 0 && clocks > 0)
      kernel[DramClocks] = kernel[DramBytes] / gpu_.peakMemoryBytes() * clocks;
    kernel[LatencyClocks] = work.waits * kGlobalLatency * std::ceil(place.waves());
    kernel[KernelClocks] = *std::max_element(&kernel[ArithmeticClocks], &kernel[LatencyClocks] + 1);
  }

  /// The row of a buffer: "C.local" and "C.share.other" belong to C where they have none.
  std::size_t rowFor(const std::string& buffer) const {
    std::string name = buffer;
    while (true) {
      if (const auto found = rowOf_.find(name); found != rowOf_.end()) return found->second;
      const std::size_t end = name.find_last_of(".+");
      if (end == std::string::npos) return rows_.size() - 1;
      name.resize(end);
    }
  }

  const GpuFacts& gpu_;
  std::unordered_map<std::string, std::size_t> rowOf_;
  std::vector<GpuTotals> rows_;
  std::vector<int> kernelOf_; // by row; -1: it accesses no memory
  std::vector<GpuTotals> kernels_;
  std::vector<Placement> places_; // of these
};

} // namespace

const std::array<std::string, kGpuFeatureCount>& gpuFeatureNames() {
  static const auto names = texts([](const NamedEntry& entry) { return entry.name; });
  return names;
}

const std::array<std::string, kGpuFeatureCount>& gpuFeatureMeanings() {
  static const auto meanings = texts([](const NamedEntry& entry) { return entry.meaning; });
  return meanings;
}

std::vector<GpuRow> gpuFeatures(const LoopFunction& function,
                                const std::vector<std::string>& statements,
                                std::span<const double> registers, const GpuFacts& gpu) {
  if (statements.empty()) return {};
  ProgramReader reader(statements, gpu);
  reader.read(function.body, registers);
  return reader.rows();
}

std::vector<KernelTime> kernelTimes(const LoopFunction& function, std::span<const double> registers,
                                    const GpuFacts& gpu) {
  const std::vector<std::string> all{"all"}; // whatever a statement is called
  ProgramReader reader(all, gpu);
  reader.read(function.body, registers);
  return reader.times();
}

} // namespace nestwright

#include "tests/plugins/cuda/host_threads.h"

#include "core/support/error.h"

#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace nestwright::test {
namespace {

constexpr std::size_t kStackBytes = 64 << 10, kWarp = 32;

enum class Wait { None, Barrier, Shuffle, Ended };

struct Fibre {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStackBytes);
  Wait wait = Wait::None;
  std::array<unsigned, 3> index{};
  unsigned mask = 0; // of the shuffle that it waits for
  std::uint64_t told = 0, heard = 0;
};

/// The block that runs; fibres have no other way to find it.
class Block* running = nullptr;

class Block {
 public:
  Block(const std::array<std::int64_t, 3>& block, const std::function<void()>& kernel,
        HostThreads::Link& link, int order)
      : kernel_(kernel), link_(link), order_(order) {
    for (unsigned z = 0; z < block[2]; ++z)
      for (unsigned y = 0; y < block[1]; ++y)
        for (unsigned x = 0; x < block[0]; ++x) {
          fibres_.push_back(std::make_unique<Fibre>());
          fibres_.back()->index = {x, y, z};
        }
  }

  void run() {
    running = this;
    for (const auto& fibre : fibres_)
      begin(*fibre);
    while (!all(Wait::Ended)) {
      for (std::size_t i = 0; i < fibres_.size(); ++i)
        resume(inOrder(i));
      if (!releaseWarps() && !releaseBarrier() && !all(Wait::Ended))
        throw Error("threads of a block wait at different places");
    }
  }

  void wait(Wait wait) {
    fibres_[current_]->wait = wait;
    swapcontext(&fibres_[current_]->context, &scheduler_);
  }
  unsigned lane() const { return static_cast<unsigned>(current_ % kWarp); }
  unsigned thread() const { return static_cast<unsigned>(current_); }
  std::uint64_t shuffle(unsigned mask, std::uint64_t told, unsigned lane) {
    fibres_[current_]->told = told;
    fibres_[current_]->mask = mask;
    wait(Wait::Shuffle);
    const std::size_t from = current_ / kWarp * kWarp + lane;
    // What nobody tells is anything: a program that makes use of it is wrong.
    return from < fibres_.size() ? fibres_[from]->heard : ~std::uint64_t{0};
  }

 private:
  static void body() {
    running->kernel_();
    running->fibres_[running->current_]->wait = Wait::Ended;
  }

  void begin(Fibre& fibre) {
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.data();
    fibre.context.uc_stack.ss_size = fibre.stack.size();
    fibre.context.uc_link = &scheduler_;
    fibre.wait = Wait::None;
    makecontext(&fibre.context, body, 0);
  }

  void resume(std::size_t number) {
    if (fibres_[number]->wait != Wait::None) return;
    current_ = number;
    std::ranges::copy(fibres_[number]->index, link_.threadIdx);
    swapcontext(&scheduler_, &fibres_[number]->context);
  }

  std::size_t inOrder(std::size_t i) const {
    const std::size_t odd = fibres_.size() / 2;
    if (order_ == 1) return fibres_.size() - 1 - i;
    if (order_ == 2) return i < odd ? 2 * i + 1 : 2 * (i - odd);
    return i;
  }

  bool all(Wait wait) const {
    return std::ranges::all_of(fibres_, [&](const auto& fibre) { return fibre->wait == wait; });
  }

  bool releaseBarrier() {
    if (!all(Wait::Barrier)) return false;
    for (const auto& fibre : fibres_)
      fibre->wait = Wait::None;
    return true;
  }

  /// Lets the warps go on whose threads have all come to one shuffle, with what these told.
  bool releaseWarps() {
    bool any = false;
    for (std::size_t first = 0; first < fibres_.size(); first += kWarp) {
      const std::size_t end = std::min(first + kWarp, fibres_.size());
      bool together = true;
      for (std::size_t i = first; i < end; ++i)
        together &= fibres_[i]->wait == Wait::Shuffle && fibres_[i]->mask == fibres_[first]->mask &&
                    (fibres_[i]->mask >> (i - first) & 1u) != 0;
      if (!together) continue;
      for (std::size_t i = first; i < end; ++i) {
        fibres_[i]->heard = fibres_[i]->told;
        fibres_[i]->wait = Wait::None;
      }
      any = true;
    }
    return any;
  }

  const std::function<void()>& kernel_;
  HostThreads::Link& link_;
  int order_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  std::size_t current_ = 0;
  ucontext_t scheduler_;
};

} // namespace

void HostThreads::run(const std::array<std::int64_t, 3>& grid,
                      const std::array<std::int64_t, 3>& block, const std::function<void()>& kernel,
                      Link& link, const std::function<void()>& newBlock, int order) {
  link.barrier = [] { running->wait(Wait::Barrier); };
  link.shuffle = [](unsigned mask, unsigned long long told, unsigned lane) -> unsigned long long {
    return running->shuffle(mask, told, lane);
  };
  link.lane = [] { return running->lane(); };
  link.thread = [] { return running->thread(); };
  Block threads(block, kernel, link, order);
  for (unsigned z = 0; z < grid[2]; ++z)
    for (unsigned y = 0; y < grid[1]; ++y)
      for (unsigned x = 0; x < grid[0]; ++x) {
        link.blockIdx[0] = x, link.blockIdx[1] = y, link.blockIdx[2] = z;
        newBlock();
        threads.run();
      }
}

} // namespace nestwright::test

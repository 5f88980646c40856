#include "tests/lower/random_gpu_program.h"

#include "core/schedule/bounds.h"
#include "core/schedule/pipeline.h"
#include "core/support/error.h"

#include <numeric>

namespace nestwright {
namespace {

class Generator {
 public:
  Generator(const ComputeDag& dag, Random& random) : state_(dag), random_(random) {}

  State generate() {
    inlineSome();
    for (int id = state_.stageCount(); id-- > 0;) {
      const Stage& stage = state_.stage(id);
      if (!stage.op->reducer || stage.location != ComputeLocation::Root) continue;
      const std::string name = stage.name(); // the stage goes with the first attempt
      const double draw = random_.unit();
      if (draw < 0.55)
        tile(name);
      else if (draw < 0.85)
        reduceAcrossThreads(name);
    }
    for (int id = state_.stageCount(); id-- > 0;)
      bind(std::string(state_.stage(id).name()));
    for (int id = 0; id < state_.stageCount(); ++id)
      decorate(id);
    return state_;
  }

 private:
  using Iterators = std::vector<int>;

  bool chance(double probability) { return random_.unit() < probability; }
  std::int64_t pickOf(const std::vector<std::int64_t>& values) { return random_.pick(values); }

  bool attempt(const Step& step) {
    State next = state_;
    try {
      next.apply(step);
      inferBounds(next);
    } catch (const IllegalSchedule&) {
      return false;
    }
    state_ = next;
    return true;
  }

  int idOf(const std::string& name) const {
    for (int id = 0; id < state_.stageCount(); ++id)
      if (state_.stage(id).name() == name) return id;
    return -1;
  }
  const Stage& stage(const std::string& name) const { return state_.stage(idOf(name)); }

  Iterators ofKind(const std::string& name, IteratorKind kind) const {
    Iterators found;
    for (std::size_t i = 0; i < stage(name).iterators.size(); ++i)
      if (stage(name).iterators[i].kind == kind) found.push_back(static_cast<int>(i));
    return found;
  }

  std::vector<std::string> readersOf(const std::string& name) const {
    std::vector<std::string> readers;
    const Buffer& buffer = stage(name).op->output;
    for (int id = 0; id < state_.stageCount(); ++id) {
      const Stage& reader = state_.stage(id);
      if (reader.isPlaceholder()) continue;
      bool reads = false;
      visit(reader.op->body, [&](const Expr& e) {
        reads |= e->kind == ExprKind::Load && e->buffer == buffer;
        return !reads;
      });
      if (reads) readers.push_back(reader.name());
    }
    return readers;
  }

  void inlineSome() {
    for (int id = 0; id < state_.stageCount(); ++id)
      if (!state_.stage(id).isPlaceholder() && !state_.stage(id).op->reducer && chance(0.6))
        attempt(ComputeInlineStep{id});
  }

  /// Applies a split and remembers which step it is.
  int split(const std::string& name, int at, const std::vector<TileSize>& factors) {
    const TileSize extent = stage(name).iterators[static_cast<std::size_t>(at)].extent;
    if (!attempt(SplitStep{idOf(name), at, extent, factors, true})) return -1;
    return static_cast<int>(state_.steps().size()) - 1;
  }

  std::int64_t upTo(std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most)));
  }

  /// block, vthread, thread, k0, k1, inner, k2, innermost; fused with a consumer or not.
  void tile(const std::string& reduction) {
    std::string name = reduction, consumer;
    if (chance(0.7) && attempt(CacheWriteStep{idOf(name), "local"})) {
      consumer = name;
      name += ".local";
      // The copy keeps the name; the stage before it is the product.
    } else if (const std::vector<std::string> readers = readersOf(name); readers.size() == 1) {
      const Stage& reader = stage(readers[0]);
      if (!reader.op->reducer && reader.location == ComputeLocation::Root &&
          reader.op->output->shape == stage(name).op->output->shape)
        consumer = readers[0];
    }
    const State before = state_;
    const std::size_t spatial = ofKind(name, IteratorKind::Spatial).size();
    const std::size_t reduced = ofKind(name, IteratorKind::Reduction).size();
    if (spatial == 0 || reduced == 0) return;
    std::vector<int> splits;
    std::int64_t threads = 1;
    int at = 0;
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::int64_t thread = threads > 32 ? 1 : pickOf({1, 2, 3, 4, 8});
      threads *= thread;
      splits.push_back(split(name, at, {pickOf({1, 1, 2}), thread, upTo(2), pickOf({1, 2, 4})}));
      at += 5;
    }
    for (std::size_t i = 0; i < reduced; ++i) {
      if (split(name, at, {upTo(4), upTo(3)}) < 0) splits.push_back(-1);
      at += 3;
    }
    if (std::find(splits.begin(), splits.end(), -1) != splits.end()) {
      state_ = before;
      return;
    }
    ReorderStep order{idOf(name), {}};
    const auto level = [&](int part, bool reduction) {
      const int first = reduction ? static_cast<int>(5 * spatial) : 0;
      for (std::size_t i = 0; i < (reduction ? reduced : spatial); ++i)
        order.order.push_back(first + static_cast<int>(i) * (reduction ? 3 : 5) + part);
    };
    for (int part : {0, 1, 2})
      level(part, false);
    level(0, true);
    level(1, true);
    level(3, false);
    level(2, true);
    level(4, false);
    if (!attempt(order)) {
      state_ = before;
      return;
    }
    const int outer = static_cast<int>(3 * spatial);
    if (!consumer.empty() && !follow(name, consumer, splits, outer)) consumer.clear();
    const std::string root = consumer.empty() ? name : consumer;
    bindTiles(root, spatial);
    // From here on the reduction's outer loops have another number where it is its own root.
    fetch(name, splits, threads);
  }

  bool follow(const std::string& name, const std::string& consumer, const std::vector<int>& splits,
              int outer) {
    const State before = state_;
    const std::size_t spatial = ofKind(consumer, IteratorKind::Spatial).size();
    bool good = splits.size() >= spatial;
    for (std::size_t i = 0; good && i < spatial; ++i)
      good = attempt(FollowSplitStep{idOf(consumer), static_cast<int>(4 * i), splits[i], 3});
    ReorderStep order{good ? idOf(consumer) : 0, {}};
    for (int part = 0; part < 4; ++part)
      for (std::size_t i = 0; i < spatial; ++i)
        order.order.push_back(static_cast<int>(4 * i) + part);
    good = good && attempt(order) && attempt(ComputeAtStep{idOf(name), idOf(consumer), outer - 1});
    if (!good) state_ = before;
    return good;
  }

  void bindTiles(const std::string& root, std::size_t spatial) {
    const Annotation levels[] = {Annotation::BlockX, Annotation::VThread, Annotation::ThreadX};
    for (int part = 0; part < 3; ++part) {
      FuseStep fuse{idOf(root), Iterators(spatial)};
      std::iota(fuse.iterators.begin(), fuse.iterators.end(), part);
      attempt(fuse);
      attempt(AnnotationStep{idOf(root), part, levels[part]});
    }
  }

  /// Copies of what the stage reads, made by all threads at its outermost reduction tile.
  void fetch(const std::string& name, const std::vector<int>& splits, std::int64_t threads) {
    std::vector<std::string> sources;
    visit(stage(name).op->body, [&](const Expr& e) {
      if (e->kind != ExprKind::Load) return true;
      const std::string& source = e->buffer->name;
      if (std::find(sources.begin(), sources.end(), source) == sources.end())
        sources.push_back(source);
      return true;
    });
    for (const std::string& source : sources) {
      if (idOf(source) < 0 || chance(0.25)) continue;
      const State before = state_;
      const Iterators reduction = ofKind(name, IteratorKind::Reduction);
      // After k0 of all axes: half of the iterators that stand before the inner tile.
      int outermost = -1;
      for (const int i : reduction) {
        const std::string& loop = stage(name).iterators[static_cast<std::size_t>(i)].name;
        if (loop.ends_with(".0")) outermost = i;
      }
      if (outermost < 0 || !attempt(CacheReadStep{idOf(source), "shared", {idOf(name)}})) continue;
      // Inserting shifted what comes behind, and the steps' numbers stay.
      const std::string copy = state_.stage(idOf(source) + 1).name();
      bool good = attempt(ComputeAtStep{idOf(copy), idOf(name), outermost});
      const Iterators all = ofKind(copy, IteratorKind::Spatial);
      if (good && chance(0.3)) {
        const std::int64_t unit = pickOf({1, 2, 4});
        const int rows = std::max(0, static_cast<int>(all.size()) - 2);
        attempt(StorageAlignStep{idOf(copy), chance(0.7) ? rows : 0, static_cast<int>(2 * unit),
                                 static_cast<int>(unit)});
      }
      if (all.size() > 1) good = good && attempt(FuseStep{idOf(copy), all});
      good = good && split(copy, 0, {pickOf({1, 1, 2, 4})}) >= 0 &&
             attempt(AnnotationStep{idOf(copy), 1, Annotation::Vectorize});
      std::vector<int> spatialSplits(splits.rbegin(), splits.rend());
      FollowFusedSplitStep follow{good ? idOf(copy) : 0, 0, spatialSplits, 1, true};
      good = good && (chance(0.7) ? attempt(follow) : split(copy, 0, {threads}) >= 0) &&
             attempt(AnnotationStep{idOf(copy), 1, Annotation::ThreadX});
      if (good && chance(0.2)) attempt(StorageAlignStep{idOf(copy), 0, 32, 4});
      if (!good) state_ = before;
    }
  }

  void reduceAcrossThreads(const std::string& name) {
    const State before = state_;
    Iterators reduction = ofKind(name, IteratorKind::Reduction);
    if (reduction.empty()) return;
    if (reduction.size() > 1 && !attempt(FuseStep{idOf(name), reduction})) return;
    const int at = reduction[0];
    const std::int64_t threads = pickOf({2, 5, 8, 16, 24, 32, 32, 33, 48, 64, 100});
    const Annotation axis = chance(0.85) ? Annotation::ThreadX : Annotation::ThreadY;
    if (split(name, at, {threads}) < 0 || !attempt(AnnotationStep{idOf(name), at + 1, axis})) {
      state_ = before;
      return;
    }
    acrossThreads_[name] = threads;
    const std::vector<std::string> readers = readersOf(name);
    if (readers.size() != 1 || chance(0.4)) return;
    const Stage& reader = stage(readers[0]);
    if (reader.op->reducer || reader.location != ComputeLocation::Root) return;
    const int last = static_cast<int>(reader.iterators.size()) - 1;
    if (last < 1) return;
    const State unfused = state_;
    const auto found = shared_.find(readers[0]);
    bool good = found == shared_.end()
                    ? split(readers[0], last, {threads}) >= 0 &&
                          attempt(AnnotationStep{idOf(readers[0]), last + 1, axis})
                    : found->second == threads;
    const int outside = found == shared_.end() ? last - 1 : last - 2;
    good = good && attempt(ComputeAtStep{idOf(name), idOf(readers[0]), outside});
    if (good)
      shared_[readers[0]] = threads;
    else
      state_ = unfused;
  }

  /// What is at root and has no blocks yet.
  void bind(const std::string& name) {
    const Stage& s = stage(name);
    if (s.isPlaceholder() || s.location != ComputeLocation::Root) return;
    for (const Iterator& iterator : s.iterators)
      if (iterator.annotation == Annotation::BlockX) return;
    const bool across = acrossThreads_.contains(name) || shared_.contains(name);
    // Outer spatial loops, up to where something is attached.
    Iterators outer;
    for (int i = 0; i < static_cast<int>(s.iterators.size()); ++i) {
      if (s.iterators[static_cast<std::size_t>(i)].kind != IteratorKind::Spatial ||
          s.iterators[static_cast<std::size_t>(i)].annotation != Annotation::None)
        break;
      outer.push_back(i);
      if (state_.hasAttachedAt({idOf(name), i})) break;
    }
    if (shared_.contains(name) && !outer.empty() &&
        !state_.hasAttachedAt({idOf(name), outer.back()}))
      outer.clear();
    if (chance(0.1)) return; // one thread does it all
    if (outer.size() != 1 && !attempt(FuseStep{idOf(name), outer})) return;
    if (across) {
      attempt(AnnotationStep{idOf(name), 0, Annotation::BlockX});
      return;
    }
    if (split(name, 0, {pickOf({3, 16, 32, 64})}) < 0) return;
    attempt(AnnotationStep{idOf(name), 0, Annotation::BlockX});
    attempt(AnnotationStep{idOf(name), 1, Annotation::ThreadX});
  }

  void decorate(int id) {
    const auto now = [&]() -> const Stage& { return state_.stage(id); }; // until the next attempt
    if (now().isPlaceholder() || now().iterators.empty() ||
        now().location == ComputeLocation::Inlined)
      return;
    static const std::vector<std::int64_t> steps = {0, 16, 64, 512};
    if (now().op->reducer && chance(0.5))
      attempt(PragmaStep{id, 0, fmt::format("auto_unroll_max_step${}", random_.pick(steps))});
    if (innermostFetchLoop(state_, id) >= 0 && chance(0.6))
      attempt(PragmaStep{id, 0, fmt::format("pipeline_stages${}", pickOf({2, 2, 3, 4, 5}))});
    if (now().location == ComputeLocation::Root && chance(0.3))
      attempt(PragmaStep{id, 0, fmt::format("raster${}", pickOf({2, 3, 4}))});
    if (now().location == ComputeLocation::Root && chance(0.1))
      attempt(PragmaStep{id, 0, "min_blocks$2"});
    if (now().location == ComputeLocation::Root && chance(0.1))
      attempt(PragmaStep{id, 0, "unroll_explicit$1"});
    const int last = static_cast<int>(now().iterators.size()) - 1;
    if (now().iterators.back().annotation == Annotation::None && chance(0.2))
      attempt(AnnotationStep{id, last, Annotation::Unroll});
  }

  State state_;
  Random& random_;
  std::map<std::string, std::int64_t> acrossThreads_; // stages that threads reduce, and by how many
  std::map<std::string, std::int64_t> shared_;        // stages that these are computed in
};

} // namespace

State randomGpuProgram(const ComputeDag& dag, Random& random) {
  return Generator(dag, random).generate();
}

} // namespace nestwright

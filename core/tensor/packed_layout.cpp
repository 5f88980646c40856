#include "core/tensor/packed_layout.h"

#include "core/support/error.h"

#include <algorithm>
#include <cstring>

namespace nestwright {

namespace {

/// Where the elements of one dimension go: the offset that each index adds.
std::vector<std::int64_t> offsetsOf(const PackedLayout& layout, std::size_t dimension) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(layout.shape[dimension]), 0);
  std::int64_t stride = 1;
  for (auto part = layout.parts.rbegin(); part != layout.parts.rend(); ++part) {
    if (part->dimension == static_cast<int>(dimension)) {
      const std::vector<std::int64_t> enclosing = layout.enclosingSizes(*part);
      for (std::size_t x = 0; x < offsets.size(); ++x) {
        auto index = static_cast<std::int64_t>(x);
        for (const std::int64_t size : enclosing)
          index %= size;
        offsets[x] += index / part->size * stride;
      }
    }
    stride *= part->extent;
  }
  return offsets;
}

/// Neighbours in the last dimension that stay neighbours.
struct Run {
  std::size_t first = 0, count = 0;
  std::int64_t offset = 0;
};

std::vector<Run> runsOf(const std::vector<std::int64_t>& offsets) {
  std::vector<Run> runs;
  for (std::size_t x = 0; x < offsets.size(); ++x)
    if (x > 0 && offsets[x] == offsets[x - 1] + 1)
      ++runs.back().count;
    else
      runs.push_back({x, 1, offsets[x]});
  return runs;
}

class Packer {
 public:
  Packer(const PackedLayout& layout, const void* given, void* packed, std::size_t elementBytes)
      : given_(static_cast<const std::uint8_t*>(given)),
        packed_(static_cast<std::uint8_t*>(packed)), bytes_(elementBytes) {
    for (std::size_t d = 0; d < layout.shape.size(); ++d)
      offsets_.push_back(offsetsOf(layout, d));
    runs_ = runsOf(offsets_.back());
  }

  void copy(std::size_t dimension, std::int64_t offset) {
    if (dimension + 1 == offsets_.size()) return copyRow(offset);
    for (const std::int64_t step : offsets_[dimension])
      copy(dimension + 1, offset + step);
  }

 private:
  void copyRow(std::int64_t offset) {
    for (const Run& run : runs_)
      std::memcpy(packed_ + static_cast<std::size_t>(offset + run.offset) * bytes_,
                  given_ + run.first * bytes_, run.count * bytes_);
    given_ += offsets_.back().size() * bytes_;
  }

  const std::uint8_t* given_; // the next row
  std::uint8_t* packed_;
  std::size_t bytes_;
  std::vector<std::vector<std::int64_t>> offsets_; // per dimension
  std::vector<Run> runs_;
};

std::string axisName(const PackedLayout& layout, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  return d < layout.axes.size() ? layout.axes[d] : fmt::format("d{}", dimension);
}

} // namespace

std::vector<std::int64_t> PackedLayout::packedShape() const {
  std::vector<std::int64_t> extents;
  for (const Part& part : parts)
    extents.push_back(part.extent);
  return extents;
}

std::int64_t PackedLayout::packedElements() const {
  std::int64_t elements = 1;
  for (const Part& part : parts)
    elements *= part.extent;
  return elements;
}

std::vector<std::int64_t> PackedLayout::enclosingSizes(const Part& part) const {
  std::vector<std::int64_t> larger;
  for (const Part& other : parts)
    if (other.dimension == part.dimension && other.size > part.size) larger.push_back(other.size);
  std::sort(larger.begin(), larger.end()); // smallest first: it decides which others matter
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : larger)
    if (sizes.empty() || size % sizes.back() != 0) sizes.push_back(size);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

std::int64_t PackedLayout::whole(const Part& part) const {
  const std::vector<std::int64_t> enclosing = enclosingSizes(part);
  return enclosing.empty() ? shape[static_cast<std::size_t>(part.dimension)] : enclosing.back();
}

void PackedLayout::pack(const void* given, void* packed, std::size_t elementBytes) const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape)
    elements *= extent;
  if (packedElements() != elements)
    std::memset(packed, 0, static_cast<std::size_t>(packedElements()) * elementBytes);
  Packer(*this, given, packed, elementBytes).copy(0, 0);
}

void validate(const PackedLayout& layout) {
  const auto refuse = [&](const char* why) {
    throw InputError(fmt::format("{} is no layout of an array of {}: {}", toString(layout),
                                 givenOrderText(layout), why));
  };
  if (layout.shape.empty()) refuse("it has no dimension");
  for (const PackedLayout::Part& part : layout.parts)
    if (part.dimension < 0 || part.dimension >= static_cast<int>(layout.shape.size()) ||
        part.extent < 1 || part.size < 1)
      refuse("a part is of no dimension or of no size");
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] < 1) refuse("it is empty");
    std::int64_t smallest = layout.shape[d]; // below it, positions are shared
    for (const PackedLayout::Part& part : layout.parts) {
      if (part.dimension != static_cast<int>(d)) continue;
      if (part.extent < (layout.whole(part) + part.size - 1) / part.size)
        refuse("a part is too short");
      smallest = std::min(smallest, part.size);
    }
    if (smallest != 1) refuse("elements share a place");
  }
}

std::string toString(const PackedLayout& layout) {
  std::string text;
  for (const PackedLayout::Part& part : layout.parts)
    text += fmt::format("{}{}", part.extent, axisName(layout, part.dimension));
  return text;
}

std::string givenOrderText(const PackedLayout& layout) {
  std::string text;
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    text += fmt::format("{}{}", layout.shape[d], axisName(layout, static_cast<int>(d)));
  return text;
}

} // namespace nestwright

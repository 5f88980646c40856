#pragma once
/// \file The order in which a constant array is stored for the program that reads it
/// (handbook/ansor.md 11.4).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// The dimensions of an array cut into parts, and the parts in another order. The element with
/// index x in a dimension lies, in a part of it, at ((x mod s1) mod s2 ...) div size, where s1 >
/// s2 > ... are the larger sizes of that dimension. Where sizes do not divide, the packed array has
/// elements that nobody reads; they are zero.
struct PackedLayout {
  struct Part {
    int dimension = 0;
    std::int64_t extent = 1; // positions
    std::int64_t size = 1;   // elements of the dimension that share a position
    friend bool operator==(const Part&, const Part&) = default;
  };

  std::vector<std::int64_t> shape; // of the array as given, row-major
  std::vector<std::string> axes;   // a name per dimension, for people
  std::vector<Part> parts;         // outermost first

  std::vector<std::int64_t> packedShape() const;
  std::int64_t packedElements() const;
  /// The sizes of the larger parts of the same dimension that matter, largest first: a size that
  /// the next one divides says nothing more.
  std::vector<std::int64_t> enclosingSizes(const Part& part) const;
  /// The elements of its dimension that a part cuts: the size of the next larger part, or all.
  std::int64_t whole(const Part& part) const;

  /// Copies an array as given to one of packedElements(), zeros included.
  void pack(const void* given, void* packed, std::size_t elementBytes) const;

  friend bool operator==(const PackedLayout& a, const PackedLayout& b) {
    return a.shape == b.shape && a.parts == b.parts;
  }
};

/// Throws InputError unless every element of the array has one place of its own.
void validate(const PackedLayout& layout);

/// Extent and axis name of each part, "8j512k64j"; of the array as given, "512k512j".
std::string toString(const PackedLayout& layout);
std::string givenOrderText(const PackedLayout& layout);

} // namespace nestwright

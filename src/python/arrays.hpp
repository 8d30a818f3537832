/// NumPy arrays of what C++ computed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace tasfg::python {

/// An array that owns its memory, filled with `fill`.
template <typename Value>
class Filled {
 public:
  Filled(std::vector<std::size_t> shape, Value fill) : shape_(std::move(shape)) {
    std::size_t size = 1;
    for (const std::size_t n : shape_) size *= n;
    values_ = std::make_unique<std::vector<Value>>(size, fill);
  }
  [[nodiscard]] Value* data() { return values_->data(); }
  /// Hands the memory to Python.
  [[nodiscard]] nanobind::object release() {
    std::vector<Value>* raw = values_.release();
    const nanobind::capsule owner(raw, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, Value>(raw->data(), shape_.size(), shape_.data(), owner));
  }

 private:
  std::vector<std::size_t> shape_;
  std::unique_ptr<std::vector<Value>> values_;
};

/// A copy as an array of one dimension.
inline nanobind::object array_of(std::span<const double> values) {
  Filled<double> out({values.size()}, 0.0);
  std::copy(values.begin(), values.end(), out.data());
  return out.release();
}

/// What Python code hands over: doubles, row by row.
template <std::size_t Dimensions>
using Doubles =
    nanobind::ndarray<const double, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;

}  // namespace tasfg::python

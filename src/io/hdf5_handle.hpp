/// Owners for what the HDF5 library hands out. Private to the io layer.
#pragma once

#include <stdexcept>
#include <utility>

#include <hdf5.h>

namespace tasfg {

/// Closes an HDF5 identifier.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() { reset(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }

  /// Closes now; negative where the library could not (a full disk shows itself here).
  herr_t reset() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id >= 0 ? close_(id) : 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

/// HDF5 prints its error stack to stderr unless told otherwise; our messages are one line.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// How datasets are opened. A link that leads out of the file could lead anywhere (another user's file, a
/// FIFO): it is not followed.
inline Handle dataset_access() {
  Handle access(H5Pcreate(H5P_DATASET_ACCESS), &H5Pclose);
  const H5L_elink_traverse_t refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                                         void*) -> herr_t { return -1; };
  if (!access.valid() || H5Pset_elink_cb(access, refuse, nullptr) < 0)
    throw std::runtime_error("HDF5: cannot make an access property list");
  return access;
}

}  // namespace tasfg

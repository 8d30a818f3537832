#include "tasfg/model/npy.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size());
  text.append(version == 1 ? 1 : 3, '\0');
  return text + header + data;
}

template <typename Value>
std::string bytes(std::initializer_list<Value> values) {
  std::string text;
  for (const Value value : values) {
    char at[sizeof value];
    std::memcpy(at, &value, sizeof value);
    text.append(at, sizeof value);
  }
  return text;
}

TEST(Npy, ReadsRowsColumnsAndTypes) {
  const auto values = [](const std::string& header, const std::string& data, char version = 1) {
    return parse_npy(npy(header, data, version), "G.npy").values;
  };
  const std::vector<double> expected{1, 0, 0.5, 0.25};
  EXPECT_EQ(
      values("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", bytes({1.0, 0.0, 0.5, 0.25})),
      expected);
  EXPECT_EQ(
      values("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", bytes({1.0, 0.5, 0.0, 0.25}), 2),
      expected);
  EXPECT_EQ(
      values("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", bytes({1.F, 0.F, 0.5F, 0.25F})),
      expected);
  EXPECT_EQ(values("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", bytes({true, false})),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(values("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", bytes<std::int64_t>({-3, 7})),
            (std::vector<double>{-3, 7}));
  EXPECT_EQ(
      parse_npy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", bytes({1.0, 2.0})), "x")
          .shape,
      (std::vector<std::size_t>{1, 2}));
}

TEST(Npy, RefusesWhatIsCutOrOfAnotherKind) {
  const std::string good =
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", bytes({1.0, 0.0}));
  EXPECT_NO_THROW((void)parse_npy(good, "x"));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW((void)parse_npy(good.substr(0, size), "x"), InputError) << size;
  EXPECT_THROW((void)parse_npy(good + "x", "x"), InputError);
  for (const char* header :
       {"{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }", "{'descr': '<f8', 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 99999999), }"})
    EXPECT_THROW((void)parse_npy(npy(header, bytes({1.0, 0.0})), "x"), InputError) << header;
}

}  // namespace
}  // namespace tasfg

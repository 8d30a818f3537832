#include "tasfg/io/record_batch.hpp"

#include "io/made_results.hpp"
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>

namespace tasfg {
namespace {

class RecordBatchTest : public InFolder {};

TEST_F(RecordBatchTest, ABatchArrivesAsItWasSent) {
  const ResultLayout layout = a_full_layout();
  const RunFormat format(layout.shape());
  std::mt19937_64 random(7);
  RunBatch sent;
  for (std::int64_t seed = 0; seed < 5; ++seed)
    format.append(sent, {CellId(2), seed}, 3, a_run(layout, CellId(2), TaskStatus::done, random));
  std::stringstream stream;
  boost::archive::binary_oarchive(stream) << static_cast<const BatchBytes&>(sent);
  RunBatch received;
  boost::archive::binary_iarchive(stream) >> static_cast<BatchBytes&>(received);
  EXPECT_EQ(received.columns, sent.columns);
  EXPECT_EQ(received.seeds, sent.seeds);
  received.append(sent);
  EXPECT_EQ(received.size(), 10U);
  EXPECT_TRUE(format.sound(received, 9, 3));
  format.values(received, &RunRecord::steps)[9] += 1;
  EXPECT_FALSE(format.sound(received, 9, 3));
}

TEST_F(RecordBatchTest, AChecksumCoversEveryValueButTimingAndVerticesThatAreNotThere) {
  const ResultLayout layout = a_full_layout();
  const RunFormat format(layout.shape());
  std::mt19937_64 random(9);
  RunBatch batch;
  format.append(batch, {}, 3, a_run(layout, CellId(0), TaskStatus::done, random));
  const std::uint32_t sum = format.checksum(batch, 0, 3);
  std::size_t silent = 0;
  for (auto& column : batch.columns)
    for (unsigned char& byte : column) {
      byte ^= 0x40U;
      silent += format.checksum(batch, 0, 3) == sum ? 1 : 0;
      byte ^= 0x40U;
    }
  // seconds, attempts, sitting, checksum; two vertices past K in pulls, and at either δ in pulls_at
  EXPECT_EQ(silent, 8U + 4U + 4U + 4U + 2U * 8U + 2U * 2U * 8U);
}

TEST_F(RecordBatchTest, AStatusThatIsNoneFitsNoChecksum) {
  const ResultLayout layout = a_layout();
  const RunFormat format(layout.shape());
  std::mt19937_64 random(9);
  RunBatch batch;
  format.append(batch, {}, 3, a_run(layout, CellId(0), static_cast<TaskStatus>(77), random));
  EXPECT_EQ(format.values(batch, &RunRecord::checksum)[0], format.checksum(batch, 0, 3));
  EXPECT_FALSE(format.sound(batch, 0, 3));
}

}  // namespace
}  // namespace tasfg

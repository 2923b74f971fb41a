// A checkpoint is believed only when every byte is right and it is of this run.

#include <filesystem>
#include <fstream>
#include <limits>

#include "checkpoint/container.hpp"
#include "polyak/checkpoint.hpp"
#include "support/problems.hpp"

namespace polyak::test {
namespace {

namespace fs = std::filesystem;

class Checkpoints : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("polyak-checkpoints-") + test->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "run.ckpt").string(); }
  CheckpointFile file() const { return {path(), {{"A", "1"}, {"b", "2"}}}; }

  static Snapshot sample(Index iteration) {
    Snapshot out;
    out.run.method = {.iteration = iteration, .row_products = 7, .vectors = {{1.5, -0.0}, {3.0}}};
    out.run.best = {0.1, 5e-324};
    out.run.history.resize(2);
    out.run.history[1].error = 0.3;
    out.run.distances = {std::numeric_limits<double>::infinity(), 2.0};
    out.run.largest_x = std::numeric_limits<double>::infinity();
    Report& report = out.finished.emplace_back();
    report.status = Status::stagnated;
    report.used.rank = 3;
    report.warnings = {"one", "two"};
    report.x = Array({1.0, 2.0}, 2, 1);
    out.disk = DiskRates{.sweep_bytes = 1.1e9, .single_rows = 4.9e4};
    return out;
  }

  std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }

  fs::path folder_;
};

TEST_F(Checkpoints, hold_what_was_saved_to_the_bit) {
  file().save(sample(12));
  const auto loaded = file().load();
  ASSERT_TRUE(loaded);
  const Snapshot& s = loaded->snapshot;
  EXPECT_EQ(s.run.method.iteration, 12);
  EXPECT_EQ(s.run.method.vectors, sample(12).run.method.vectors);
  EXPECT_TRUE(std::signbit(s.run.method.vectors[0][1]));
  EXPECT_EQ(s.run.best, sample(12).run.best);
  EXPECT_EQ(s.run.distances, sample(12).run.distances);
  EXPECT_EQ(s.run.largest_x, std::numeric_limits<double>::infinity());
  EXPECT_EQ(s.run.history[1].error, 0.3);
  EXPECT_FALSE(s.run.history[0].error);
  ASSERT_EQ(s.finished.size(), 1u);
  EXPECT_EQ(s.finished[0].status, Status::stagnated);
  EXPECT_EQ(s.finished[0].used.rank, 3);
  EXPECT_FALSE(s.finished[0].used.batch);
  EXPECT_EQ(s.finished[0].warnings, sample(12).finished[0].warnings);
  EXPECT_EQ(s.finished[0].x(1), 2.0);
  ASSERT_TRUE(s.disk);
  EXPECT_EQ(s.disk->sweep_bytes, 1.1e9);
  EXPECT_EQ(s.disk->single_rows, 4.9e4);
}

TEST_F(Checkpoints, hold_every_saved_field_of_a_report) {
  SolveOptions options = ample("minibatch-hbm");
  options.max_iterations = 50;
  options.tol = 0.0;
  Report report = solve(Problem(consistent()), options);
  report.looks = {{3, 0.5}};
  report.pages_read = 11;
  report.used.exchange = "all columns";
  report.used.lambda_min_range = {0.9, 1.1};
  report.dependent_columns = {{4, {1, 2}}};
  Snapshot snapshot = sample(1);
  snapshot.finished = {report};
  file().save(snapshot);
  Report loaded = file().load()->snapshot.finished.at(0);
  EXPECT_EQ(solution(loaded), solution(report));
  EXPECT_EQ(history_csv(loaded.history), history_csv(report.history));
  // What is only in the JSON follows from the problem and the options.
  loaded.passes = report.passes;
  loaded.asked = report.asked;
  loaded.rows = report.rows, loaded.cols = report.cols, loaded.nnz = report.nnz;
  loaded.right_hand_sides = report.right_hand_sides;
  loaded.matrix = report.matrix, loaded.simd = report.simd;
  EXPECT_EQ(to_json(loaded), to_json(report));
}

TEST_F(Checkpoints, are_nothing_where_there_is_no_file) { EXPECT_FALSE(file().load()); }

TEST_F(Checkpoints, keep_the_last_two) {
  for (Index k : {1, 2, 3}) file().save(sample(k));
  EXPECT_EQ(file().load()->snapshot.run.method.iteration, 3);
  fs::remove(path());
  const auto before = file().load();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->snapshot.run.method.iteration, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "something else was left";
}

TEST_F(Checkpoints, cut_at_any_byte_are_refused_and_the_one_before_serves) {
  file().save(sample(1));
  file().save(sample(2));
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    const auto loaded = file().load();
    ASSERT_TRUE(loaded);
    ASSERT_EQ(loaded->snapshot.run.method.iteration, 1) << size;
    ASSERT_EQ(loaded->warnings.size(), 1u);
  }
}

TEST_F(Checkpoints, with_any_bit_flipped_are_refused) {
  file().save(sample(1));
  fs::remove(file().previous());
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ (1 << (i % 8)));
    put(other);
    try {
      (void)file().load();
      ADD_FAILURE() << "byte " << i << " was not missed";
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_data);
      ASSERT_NE(std::string(error.what()).find(path()), std::string::npos);
    }
  }
}

TEST_F(Checkpoints, with_a_flipped_bit_give_way_to_the_one_before) {
  file().save(sample(1));
  file().save(sample(2));
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ (1 << (i % 8)));
    put(other);
    const auto loaded = file().load();
    ASSERT_TRUE(loaded) << i;
    ASSERT_EQ(loaded->snapshot.run.method.iteration, 1) << i;
    ASSERT_EQ(loaded->warnings.size(), 1u) << i;
  }
}

// Whole, with a checksum that fits, but of a format that is not known here.
TEST_F(Checkpoints, of_another_format_are_refused_by_its_number) {
  file().save(sample(1));
  fs::remove(file().previous());
  std::string other = bytes();
  other[8] = static_cast<char>(other[8] + 1);
  put(other);
  try {
    (void)file().load();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find("format"), std::string::npos) << error.what();
  }
}

TEST_F(Checkpoints, of_another_version_or_instructions_are_refused_by_that_name) {
  ProblemData parts;
  parts.A = dense_matrix(std::vector<double>{1.0, 2.0}, 2, 1);
  parts.b = Array({1.0, 2.0}, 2);
  const Fingerprint now = fingerprint(Problem(parts), {});
  int tried = 0;
  for (const auto& [name, value] : now) {
    if (name.find("version") == std::string::npos && name.find("instructions") == std::string::npos)
      continue;
    Fingerprint then = now;
    for (auto& [part, text] : then)
      if (part == name) text = "another";
    ++tried;
    CheckpointFile(path(), then).save(sample(1));
    fs::remove(file().previous());
    try {
      (void)CheckpointFile(path(), now).load();
      FAIL() << "accepted with another " << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name + " differs"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(tried, 2);
}

TEST_F(Checkpoints, of_another_run_are_refused_by_the_name_of_what_differs) {
  file().save(sample(1));
  const CheckpointFile other(path(), {{"A", "1"}, {"b", "3"}});
  try {
    (void)other.load();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find("b differs"), std::string::npos) << error.what();
  }
}

TEST_F(Checkpoints, with_a_right_checksum_and_wrong_parts_are_refused) {
  const std::string head = R"({"fingerprint":{"A":"1","b":"2"},"snapshot":)";
  for (
      const std::string& manifest :
      {std::string("not JSON"), std::string("[1]"), std::string("{}"), head + "{}}",
       head + R"({"finished":7,"run":{}}})",
       head +
           R"({"finished":[],"run":{"method":{"iteration":1,"row_products":0,"vectors":[[0,9]]}}}})",
       head +
           R"({"finished":[],"run":{"method":{"iteration":1,"row_products":0,"vectors":[[18446744073709551615,9]]}}}})"}) {
    put(checkpoint::pack({manifest, {1.0}}));
    EXPECT_THROW((void)file().load(), Error) << manifest;
  }
}

TEST_F(Checkpoints, claims_beyond_the_file_take_no_memory) {
  std::string claim = checkpoint::pack({"{}", {}});
  claim.replace(16, 16, std::string(16, '\x7f'));
  put(claim);
  EXPECT_THROW((void)file().load(), Error);
}

// Everything the bits depend on has its part.
TEST(Fingerprints, name_what_differs) {
  const auto differing = [](const Fingerprint& a, const Fingerprint& b) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) out.push_back(a[i].first);
    return out;
  };
  using Names = std::vector<std::string>;
  const Rows A = random(40, 5, 1), b = random(40, 1, 2);
  const SolveOptions options = with_method("minibatch-hbm");
  const Fingerprint base = fingerprint(Problem(data(A, b)), options);
  const auto of = [&](const ProblemData& other) {
    return differing(base, fingerprint(Problem(other), options));
  };
  EXPECT_EQ(of(data(A, b)), Names{});
  Rows A2 = A;
  A2(17, 3) += 1e-9;
  EXPECT_EQ(of(data(A2, b)), Names{"A"});
  EXPECT_EQ(of(data(A, -b)), Names{"b"});
  ProblemData other = data(A, b);
  other.weights.assign(40, 2.0);
  EXPECT_EQ(of(other), Names{"weights"});
  other = data(A, b);
  other.ridge = 0.5;
  EXPECT_EQ(of(other), Names{"ridge"});
  other = data(A, b);
  other.x0 = array(Rows::Ones(5, 1));
  EXPECT_EQ(of(other), Names{"x0"});
  other = data(A, b);
  other.lower = {0.0};
  EXPECT_EQ(of(other), (Names{"lower bounds", "upper bounds"}));

  const auto asked = [&](auto change) {
    SolveOptions changed = options;
    change(changed);
    return differing(base, fingerprint(Problem(data(A, b)), changed));
  };
  EXPECT_EQ(asked([](SolveOptions& o) { o.seed = 7; }), Names{"--seed"});
  EXPECT_EQ(asked([](SolveOptions& o) { o.batch_size = 7; }), Names{"--batch"});
  EXPECT_EQ(asked([](SolveOptions& o) { o.tol = 1e-3; }), Names{"--tol"});
  EXPECT_EQ(asked([](SolveOptions& o) { o.threads = 3; }), Names{});
  EXPECT_EQ(asked([](SolveOptions& o) { o.max_passes = 3.0; }), Names{});
}

}  // namespace
}  // namespace polyak::test

// What `run` says of how long it takes.

#include "tests/tools/cli/program.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tests {
namespace {

class HowLong : public ProgramTest {};

TEST_F(HowLong, ADryRunComputesNothing) {
  const std::string storm = " $samples/layer_60_storm_1.txt ";
  expect("bombard run 1e7" + storm + storm +
             "--engine=cpu_double --dry-run --layers all.npy --output r.json",
         "engine  cpu_double on *: it was asked for\n"
         "work    10000000 cells, 2 storms, 20 impacts\n"
         "time    about *\n"
         "memory  about 0.166 GB; * are free\n"
         "writes  r.json, all.npy (0.16 GB)\n"
         "nothing was computed\n");
  // The reference, whose layer takes 64 bytes a cell, and the copy that is compared.
  expect("bombard validate 1e7" + storm + "--engine=cpu_double --dry-run",
         "engine  cpu_double on *: it was asked for\nwork    10000000 cells, 1 storm, 10 impacts\n"
         "time    about *\nmemory  about 0.806 GB; *nothing was computed\n");
  const std::string dry_run = "bombard run 60 --dry-run" + storm;
  expect_refused(2, {{dry_run + "none.txt", "none.txt"},
                     {dry_run + "--output" + storm, "is read from"},
                     {dry_run + "--engine=none", "is not an engine"}});
  expect("ls -A", "");
}

// The memory that the run itself would ask for, and take.
TEST_F(HowLong, ADryRunAgreesWithTheRunInMemory) {
  const std::string storm = " $samples/layer_60_storm_1.txt";
  expect("bombard run 1e10 --method direct --dry-run --device cpu" + storm,
         "*\nmemory  about 0.0*");  // no cell of it is stored
  expect(
      "bombard generate --cells 1000000 --impacts 1000000 --directory . >names && "
      "bombard run 1000000 $(cat names) --method direct --device cpu --threads 2 "
      "--dry-run",
      "*\nmemory  about 0.0521 GB; *");  // 16 bytes for each impact, 1.3 MB for each thread
  const std::string too_large = "bombard run 1e15 --engine cpu_fast" + storm;
  expect_refused(3,
                 {{too_large, "cpu_fast needs 9"}, {too_large + " --dry-run", "cpu_fast needs 9"}});
  const std::string no_layer = "bombard run 60 --method sparse --dry-run --layer l.npy" + storm;
  expect_refused(2, {{no_layer, "cpu_sparse stores no layer"}});
}

TEST_F(HowLong, ALongRunIsAnnouncedWithWhatWouldBeQuicker) {
  const Outcome outcome = shell(
      "bombard generate --cells 20000000 --impacts 10000 --directory . >names && "
      "{ bombard run 20000000 $(cat names) --engine reference 2>messages & } && "
      "for i in {1..100}; do sleep 0.1; grep -q about messages && break; done; "
      "kill -KILL $!; wait $!; cat messages");
  EXPECT_TRUE(matches(outcome.out,
                      "bombard: this takes about * (--engine cpu_*: *, --engine cpu_*: *, "
                      "--engine cpu_*: *)\n"));
}

// A pseudo-terminal stands in for a terminal.
TEST_F(HowLong, SlowAProgressLineIsShownForLongWorkAndWipedAtItsEnd) {
  done("bombard generate --cells=1000000 --impacts=1100");
  // By its rate, over a second for the reference.
  const std::string long_work = "bombard run 1000000 layer*.txt --engine reference";
  EXPECT_TRUE(matches(terminal_of(STDERR_FILENO, long_work),
                      "\r\\[....................\\]   0%  storm 1 of 1, *\r\x1b\\[K"));
  EXPECT_EQ(terminal_of(STDERR_FILENO, long_work + " --quiet"), "");
  EXPECT_EQ(terminal_of(STDERR_FILENO, "TERM=dumb " + long_work), "");
  EXPECT_EQ(terminal_of(STDERR_FILENO, "bombard run 60 $samples/layer_60_storm_1.txt"), "");
}

TEST(ProgressBar, IsAsLongAsThePartThatIsDone) {
  EXPECT_EQ(tools::progress_bar(0, 10), "[....................]   0%  ");
  EXPECT_EQ(tools::progress_bar(3, 7), "[######..............]  30%  ");
  EXPECT_EQ(tools::progress_bar(10, 0), "[####################] 100%  ");
}

// The line goes before the message does, and the second signal leaves none either.
TEST_F(HowLong, ControlCLeavesNothingOfTheBar) {
  done("bombard generate --cells 2000000 --impacts 300000 --directory . >names");
  const std::string text = terminal_of(
      STDERR_FILENO,
      "{ bombard run 2000000 layer*.txt --engine reference & } && sleep 0.8 && kill -TERM $!; "
      "wait $!; true");
  const std::size_t message = text.find("bombard: ends with");
  ASSERT_NE(message, std::string::npos) << text;
  EXPECT_TRUE(text.substr(0, message).ends_with("\r\x1b[K")) << text;
  EXPECT_TRUE(ends_with(text, "nothing is written\r\n"));
}

TEST_F(HowLong, ErrorsAreInColourWhereATerminalHasIt) {
  const std::string wrong = "bombard run 0 storm || true";
  EXPECT_TRUE(starts_with(terminal_of(STDERR_FILENO, wrong), "\x1b[1;31mbombard:\x1b[0m CELLS 0 "));
  for (const std::string without : {"TERM=dumb ", "NO_COLOR=1 "}) {
    EXPECT_TRUE(starts_with(terminal_of(STDERR_FILENO, without + wrong), "bombard: CELLS 0 "));
  }
}

TEST(ProgressText, SaysWhatIsDoneThePaceAndWhatIsLeft) {
  Progress progress{.storms = 4, .interactions = 1e9, .seconds_left = 12};
  EXPECT_EQ(tools::progress_text(progress), "storm 1 of 4, 12 s left");
  progress = {3, 40, 4.2e10, 5e11, 2, 600};
  EXPECT_EQ(tools::progress_text(progress), "storm 4 of 40, 2.1e+10 interactions/s, 10 min left");
  progress.storms_done = 40;
  progress.seconds_left = 9000;
  EXPECT_EQ(tools::progress_text(progress), "storm 40 of 40, 2.1e+10 interactions/s, 2.5 h left");
}

}  // namespace
}  // namespace bombard::tests

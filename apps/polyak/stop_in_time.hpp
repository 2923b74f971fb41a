#pragma once

// A signal or the time limit ends the command within a second, whatever it is in the midst of.
// Between iterations the run sees both by itself and ends as it should; but a factorisation, a
// sweep over a slow file or a call of another library may last for minutes and asks nobody. So
// another thread waits for it a little, and then writes what is known and ends the process.

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "messages.hpp"
#include "polyak/report.hpp"

namespace polyak::cli {

class StopInTime {
 public:
  /// How long a run that is told to end may take to do so by itself.
  static constexpr double grace_s = 0.4;

  /// Writes what there is and returns the exit code: of a run ended by its limit, or interrupted.
  using WindUp = std::function<int(Status)>;

  /// The limit counts from here. Where the system gives no thread, nobody waits.
  StopInTime(std::optional<double> limit_s, Messages& messages);
  /// Stands down: from then on the command ends by itself. Does not return where it was too late.
  ~StopInTime() { stand_down(); }
  StopInTime(const StopInTime&) = delete;
  StopInTime& operator=(const StopInTime&) = delete;

  /// While `phase` lasts there is nothing to write: one line tells so.
  void in_phase(const std::string& phase);
  /// Stands down when it goes, before what the wind-up uses does.
  class [[nodiscard]] Watch {
   public:
    explicit Watch(StopInTime& owner) : owner_(owner) {}
    ~Watch() { owner_.stand_down(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    StopInTime& owner_;
  };
  /// From here on, and as long as the result lives, there is.
  Watch wind_up_by(WindUp wind_up);
  void stand_down();

  /// Held by whoever changes or uses what `wind_up` reads; once it is too late, for ever.
  std::mutex& turn() { return turn_; }
  double seconds() const;  ///< since the beginning

 private:
  void wait();
  bool take_turn();
  [[noreturn]] void end(Status status);
  int wind_up(Status status);

  Messages& messages_;
  std::optional<double> limit_s_;
  double started_s_;
  std::mutex turn_;
  std::string phase_;
  WindUp wind_up_;
  std::atomic<bool> standing_down_ = false;
  std::thread thread_;
};

}  // namespace polyak::cli

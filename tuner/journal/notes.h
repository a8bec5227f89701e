// A journal that may end: on a full disk, what was found so far is not lost for that.
//
//   Notes notes(&journal);   notes.add(entry)   ->  nothing, or from now on problem() says why nothing is
//   noted
#pragma once
#include "tuner/journal/journal.h"
#include "tuner/space/program_space.h"

namespace pbc::tuner {

class Notes {
public:
  /// `journal` may be null, and must outlive this.
  explicit Notes(Journal *journal = nullptr) : journal_(journal) {}

  void add(const JournalEntry &entry) {
    if (!journal_)
      return;
    try {
      journal_->add(entry);
    } catch (const TunerError &problem) {
      journal_ = nullptr;
      problem_ = problem.what();
    }
  }
  bool areTaken() const { return journal_ != nullptr; }
  /// "": none.
  const std::string &problem() const { return problem_; }

private:
  Journal *journal_;
  std::string problem_;
};

} // namespace pbc::tuner

#include "compiler/model/command/answer.h"
#include "compiler/model/problem.h"

namespace pbc::model {

std::string asSvg(const Answer &answer) { throw Problem("this answer has no curve: " + answer.title); }

} // namespace pbc::model

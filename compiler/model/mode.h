// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which form of a published model is computed.
//
//   stencilTime(..., Mode::Printed)     as the source prints it: reproduces its tables
//   stencilTime(..., Mode::Corrected)   what holds: everything that a user sees
//
// Source: cost-models.md, "Rule for implementers" and section 8 (errata). A function whose printed and
// corrected forms agree takes no mode.
#pragma once

namespace pbc::model {

enum class Mode { Printed, Corrected };

} // namespace pbc::model

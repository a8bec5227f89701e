// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The form of a published model that is computed.
//
//   stencilTime(..., Mode::Printed)     as in the source: reproduces its tables
//   stencilTime(..., Mode::Corrected)   the correct form: everything that a user sees
//
// Source: cost-models.md, "Rule for implementers" and section 8 (errata). A function whose printed and
// corrected forms agree takes no mode.
#pragma once

namespace pbc::model {

enum class Mode { Printed, Corrected };

} // namespace pbc::model

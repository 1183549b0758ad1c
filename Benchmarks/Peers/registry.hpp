// Where each file of peers announces them.
#pragma once

#include "support.hpp"

namespace peers {

struct Registration {
  Registration(const vicinity_peer &peer);
};

}  // namespace peers

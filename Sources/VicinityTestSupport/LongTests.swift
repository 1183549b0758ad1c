internal import CLibrary

/// Whether the long versions of tests run: `VICINITY_LONG_TESTS=1`.
public let runsLongTests = unsafe getenv("VICINITY_LONG_TESTS") != nil

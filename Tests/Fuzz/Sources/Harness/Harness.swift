#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What `main` is given.
public typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments?>,
  _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

nonisolated(unsafe) private var test: ([UInt8]) -> Void = { _ in }

/// Runs libFuzzer over `body`; or, called with `--seeds DIRECTORY`, writes the corpus to begin with.
public func fuzz(
  _ count: CInt, _ arguments: Arguments?, seeds: @autoclosure () throws -> [[UInt8]],
  _ body: @escaping ([UInt8]) -> Void
) -> CInt {
  if count == 3, let arguments, let option = arguments[1], strcmp(option, "--seeds") == 0,
    let directory = arguments[2]
  {
    guard let seeds = try? seeds() else { return fail("cannot make seeds") }
    for (i, seed) in seeds.enumerated() {
      guard write(seed, to: "\(String(cString: directory))/seed-\(i)") else {
        return fail("cannot write seeds")
      }
    }
    return 0
  }
  test = body
  var count = count
  var arguments = arguments
  return runDriver(&count, &arguments) { start, count in
    test(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
}

/// Ends the process as a finding, in words.
public func finding(_ message: String) -> Never {
  say("FINDING: \(message)")
  abort()
}

private func fail(_ message: String) -> CInt {
  say("fuzz: error: \(message)")
  return 1
}

private func say(_ message: String) {
  guard let errors = fdopen(2, "w") else { return }
  fputs("\(message)\n", errors)
  fflush(errors)
}

/// Makes or replaces a file.
@discardableResult
public func write(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "w") else { return false }
  let written = fwrite(bytes, 1, bytes.count, file)
  return fclose(file) == 0 && written == bytes.count
}

/// A file in memory, where there is such a thing, or else in the directory for temporary files or this one; for parsers
/// that take paths.
public func scratchPath(_ name: String) -> String {
<<<<<<< HEAD
  let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "."
  let directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporary
=======
  let directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir
>>>>>>> project
  return "\(directory)/vicinity-fuzz-\(getpid())-\(name)"
}

extension DeviceProfile {
  /// Checks every figure's range and source.
  public func check() throws(DeviceProfileError) {
    guard battery.value > 0 else { throw .outOfRange(path: "battery", value: battery.value) }
  }
}

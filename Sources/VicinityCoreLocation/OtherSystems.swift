#if os(watchOS) || os(tvOS) || os(visionOS)
  /// Only the name, so that the compiler can say why there is no more of it. Core Location monitors neither
  /// regions nor visits on these systems, and has no `CLMonitor` (Apple's pages of
  /// `CLLocationManager.startMonitoring(for:)`, `CLVisit` and `CLMonitor`).
  @available(
    *, unavailable,
    message: "Core Location monitors no regions on this system; give the fixes to a Monitor as they come"
  )
  public final class PhoneDevice {
    public init(_ name: String) {}
  }
#endif

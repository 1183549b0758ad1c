public import VicinityMonitor

/// An app that runs on a simulated phone.
///
/// A value of this type is one process. When the process ends, the value and everything in its memory are
/// gone. When the system starts the app again, a new value is made: it finds the registered regions and
/// ``SimulatedPhone/saved`` on the phone. Every call is work of the app's main thread. It takes the time that
/// the app reports with the method `work` of ``SimulatedPhone`` and no more. A suspended app is not called.
public protocol PhoneApp {
  mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent)

  /// Whether the app gets `PhoneEvent.willResignActive`, as one whose delegate has
  /// `applicationWillResignActive`; false by default.
  var isToldOfDeactivation: Bool { get }
}

extension PhoneApp {
  public var isToldOfDeactivation: Bool { false }
}

// swift-format-ignore-file
// Uses of Core Location and of its adapter that a system has not, or not yet, and the error that must come of
// each.

import CoreLocation
import VicinityCoreLocation

#if os(iOS)
  func tooNew(_ body: any CLBodyIdentifiable) {}  // expected-ios-error {{'CLBodyIdentifiable' is only available in iOS 27}} expected-ios-note *{{add}}
#elseif os(macOS)
  func session() { _ = CLServiceSession(authorization: .always) }  // expected-macos-error {{'CLServiceSession' is unavailable in macOS}}
#else
  func device() { _ = PhoneDevice("Zones") }  // expected-other-error {{'PhoneDevice' is unavailable: Core Location monitors no regions}}
  func monitor() async { _ = await CLMonitor("Zones") }  // expected-other-error {{'CLMonitor' is unavailable in}}
  func visits(_ manager: CLLocationManager) { manager.startMonitoringVisits() }  // expected-other-error {{'startMonitoringVisits()' is unavailable in}}
  func fix(_ location: CLLocation) -> Bool { CLLocation(.init(location)) === location }
#endif

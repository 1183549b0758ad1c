#if canImport(CoreLocation) && canImport(CoreBluetooth) && !os(macOS) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  public import CoreBluetooth
  internal import CoreLocation
  public import Foundation
  public import VicinityMonitor

  /// Makes the phone a beacon while the app is in front: Core Bluetooth stops that when it is left.
  ///
  ///     advertiser.start(BeaconIdentity(uuid: uuid))
  ///
  /// A UUID alone is enough; Core Location puts zeros for the numbers that are left open.
  @MainActor
  public final class BeaconAdvertiser: NSObject {
    /// Whether the phone advertises now.
    public private(set) var isAdvertising = false
    /// Why Core Bluetooth has not begun; nil where it has.
    public private(set) var lastError: (any Error)?

    private var manager: CBPeripheralManager?
    /// What is to be advertised as soon as Bluetooth is on.
    private var region: CLBeaconRegion?
    private var measuredPower: NSNumber?

    public override init() {}

    /// Advertises an identity, in place of one before, as soon as Bluetooth is on. The user is asked for
    /// permission the first time; the app's Info.plist says why (`NSBluetoothAlwaysUsageDescription`).
    ///
    /// - Parameters:
    ///   - identity: A UUID; major and minor may be left open.
    ///   - measuredPower: The level at one metre; nil for the phone's own figure.
    public func start(_ identity: BeaconIdentity, measuredPower: DecibelMilliwatts? = nil) {
      region = identity.region("advertised")
      self.measuredPower = measuredPower.map { NSNumber(value: $0) }
      guard let manager else {
        manager = CBPeripheralManager(delegate: self, queue: nil)
        return
      }
      manager.stopAdvertising()
      advertise()
    }

    /// Ends being a beacon.
    public func stop() {
      region = nil
      isAdvertising = false
      manager?.stopAdvertising()
    }

    private func advertise() {
      guard let manager, manager.state == .poweredOn, let region else { return }
      manager.startAdvertising(region.peripheralData(withMeasuredPower: measuredPower) as? [String: Any])
    }

    private func stateChanged() {
      if manager?.state != .poweredOn { isAdvertising = false }
      advertise()
    }

    private func began(_ error: (any Error)?) {
      lastError = error
      isAdvertising = error == nil
    }
  }

  // Without a queue of its own, the manager calls its delegate on the main one.
  extension BeaconAdvertiser: CBPeripheralManagerDelegate {
    public nonisolated func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      MainActor.assumeIsolated { stateChanged() }
    }

    public nonisolated func peripheralManagerDidStartAdvertising(
      _ peripheral: CBPeripheralManager, error: (any Error)?
    ) {
      MainActor.assumeIsolated { began(error) }
    }
  }
#endif

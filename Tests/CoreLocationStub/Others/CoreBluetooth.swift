// The part of Core Bluetooth that Sources/VicinityCoreLocation uses, by Apple's documentation, as
// CoreLocation.swift has that of Core Location. Pages under https://developer.apple.com/documentation/.

public import Foundation

// corebluetooth/cbmanagerstate
public enum CBManagerState: Int, Sendable {
  case unknown, resetting, unsupported, unauthorized, poweredOff, poweredOn
}

// corebluetooth/cbperipheralmanagerdelegate
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
}

// corebluetooth/cbperipheralmanager
open class CBPeripheralManager: NSObject {
  // corebluetooth/cbperipheralmanager/init(delegate:queue:)
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) { self.init() }
  public let state = CBManagerState.unknown
  public let isAdvertising = false
  public func startAdvertising(_ advertisementData: [String: Any]?) {}
  public func stopAdvertising() {}
}

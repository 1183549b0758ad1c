import Harness
internal import VicinitySimulation

/// Any bytes as an Android phone's power profile: read or refused, every value in its range, and what it
/// makes of a device profile one that passes its checks.
@_cdecl("FuzzPowerProfile_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  guard let base = try? DeviceProfile.named("nexus-6") else { finding("no base profile") }
  return fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    guard let profile = try? PowerProfile(xml: input) else { return }
    for (name, values) in profile.values {
      for value in values where !(0...1e9).contains(value) {
        finding("\(name): \(value)")
      }
    }
    guard
      let device = try? DeviceProfile(
        profile, source: "fuzz", name: "fuzz", title: "Fuzz", base: base)
    else { return }
    do {
      try device.check()
    } catch {
      finding("made, and refused by its check: \(error)")
    }
  }
}

private let seeds = [
  """
  <?xml version="1.0"?><!-- mA --><device name="Android"><item name="battery.capacity">2770</item>
  <array name="gps.signalqualitybased"><value>49</value><value>11</value></array><item \
  name="gps.voltage">3300</item>
  <item name="cpu.suspend">5.7</item><item name="cpu.idle">2.8</item><item name="cpu.active">18.8</item>
  <item name="bluetooth.controller.rx">8</item><modem><sleep>0</sleep></modem></device>
  """,
  """
  <device><item name="gps.on">76.23</item><item name="wifi.scan">75.48</item><item \
  name='radio.scanning'>99.2</item>
  <array name="cpu.active"><value>86</value><value>372</value></array><item name="cpu.awake">4.4</item>
  <item name="cpu.idle">3</item><array name="radio.on"><value>5</value></array><item \
  name="screen.on">82</item></device>
  """,
  "<device><item name=\"cpu.core_power.cluster0\">1</item><array name=\"gps.signalqualitybased\"/></device>",
]

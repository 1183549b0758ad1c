public import ArgumentParser
public import VicinityFormats
public import VicinityMonitor
public import VicinitySimulation
public import VicinitySynthesis

extension DeviceProfile.Era: ExpressibleByArgument {}

extension EventFormatter.Format: ExpressibleByArgument {}

extension MonitorEnvironment.Authorization: ExpressibleByArgument {}

extension RegionSetGenerator.Arrangement: ExpressibleByArgument {}

extension WideEdges: ExpressibleByArgument {}

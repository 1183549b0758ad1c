public import ArgumentParser
public import VicinityFormats
public import VicinityMonitor
public import VicinitySynthesis

extension EventFormatter.Format: ExpressibleByArgument {}

extension MonitorEnvironment.Authorization: ExpressibleByArgument {}

extension RegionSetGenerator.Arrangement: ExpressibleByArgument {}

extension WideEdges: ExpressibleByArgument {}

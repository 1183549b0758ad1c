public import ArgumentParser
public import VicinityFormats
public import VicinitySimulation
public import VicinitySynthesis

extension EventFormatter.Format: ExpressibleByArgument {}

extension AppCapabilities.Authorization: ExpressibleByArgument {}

extension RegionSetGenerator.Arrangement: ExpressibleByArgument {}

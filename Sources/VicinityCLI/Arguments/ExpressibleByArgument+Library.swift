public import VicinitySynthesis
public import ArgumentParser
public import VicinityFormats
public import VicinitySimulation

extension EventFormatter.Format: ExpressibleByArgument {}

extension AppCapabilities.Authorization: ExpressibleByArgument {}

extension RegionSetGenerator.Arrangement: ExpressibleByArgument {}

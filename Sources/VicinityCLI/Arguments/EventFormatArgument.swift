public import ArgumentParser
public import VicinityFormats

extension EventFormatter.Format: ExpressibleByArgument {}

/// A length or distance in metres.
public typealias Meters = Double

/// An angle in degrees.
public typealias Degrees = Double

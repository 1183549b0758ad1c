/// A sentence on what was made of an input, or on the input itself.
struct Note {
  enum Kind: String {
    /// A polygon was repaired.
    case repair
    /// How an edge that could be read in two ways was read.
    case edge
    /// A column may not be what it looks like.
    case column
    /// Bad rows were left out.
    case rejects
    /// An answer leaves out regions that contain a point.
    case cut
    /// Fixes and points whose times, places or gaps may mislead, and regions that have changed.
    case tracks
    /// Tiers that a phone's profile lacks.
    case phone
  }

  let kind: Kind
  let text: String
}

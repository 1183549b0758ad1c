/// Is told how far a run is.
package protocol RunProgress: AnyObject {
  /// The next stage of the work begins; `total` is how many items it has, where that is known.
  func stage(_ label: String, total: Int?)
  /// So many of the stage's items are done.
  func update(_ done: Int)
  /// So much of the stage is done, 0...1 where that is known, and what else there is to say.
  func update(fraction: Double?, detail: String)
}

extension RunProgress {
  func stage(_ label: String) { stage(label, total: nil) }
}

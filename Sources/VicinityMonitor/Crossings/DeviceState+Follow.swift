internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex

/// The second test: a fix before which no boundary of the shortlist can have been met, and so none at all
/// (``Shortlist``).
extension DeviceState {
  /// Takes fixes for as long as the shortlist tells that nothing has happened before them, and the quick test does not pay.
  ///
  /// - Returns: How many those are.
  mutating func follow(_ fixes: Span<Fix>, from start: Int, _ shortlist: inout Shortlist) -> Int {
    // SAFETY: the list lives as long as the shortlist, and nothing else refers to it.
    let list = unsafe shortlist.list
    shortlist.found = nil
    var x: Float = 0
    var y: Float = 0
    let limit2 = unsafe list.pointee.reach2
    guard limit2 > 0, unsafe vk_plane_place(&list.pointee.plane, latitude, longitude, &x, &y) != 0,
      unsafe vk_shortlist_offset2(list, x, y) < limit2
    else { return 0 }
    let slack = unsafe list.pointee.slack
    let due = nextDue
    var last = time
    var i = start
    var isHeld = false
    while i < fixes.count {
      // SAFETY: start <= i < fixes.count.
      let fix = unsafe fixes[unchecked: i]
      let time = fix.time.microseconds
      var nextX: Float = 0
      var nextY: Float = 0
      guard
        unsafe vk_plane_place(
          &list.pointee.plane, fix.coordinate.latitude, fix.coordinate.longitude, &nextX, &nextY) != 0,
        fix.horizontalAccuracy >= 0, time > last, time < due
      else { break }
      let (dx, dy) = (nextX - x, nextY - y)
      let length = (dx * dx + dy * dy).squareRoot()
      let offset2 = unsafe vk_shortlist_offset2(list, nextX, nextY)
      guard offset2 < limit2, unsafe length < list.pointee.longestWay else { break }
      var nearest = Float.greatestFiniteMagnitude
      // Where the device was last counts only where its end alone does not tell.
      var touched = unsafe vk_shortlist_move(list, nextX, nextY, length + slack, i > start ? 1 : 0, &nearest)
      if touched != 0 {
        if i == start {
          unsafe vk_shortlist_begin(list, x, y)
          touched = unsafe vk_shortlist_move(list, nextX, nextY, length + slack, 1, &nearest)
        }
        touched = unsafe vk_shortlist_met(list, touched, x, y, nextX, nextY)
        if touched != 0 {
          let reach = unsafe min(nearest, list.pointee.reach - offset2.squareRoot()) - slack
          shortlist.found = Shortlist.Look(
            start: i > start ? fixes[i - 1].coordinate : self.coordinate, end: fix.coordinate,
            touched: touched, reach: Double(reach))
          break
        }
      }
      (x, y) = (nextX, nextY)
      last = time
      i += 1
      if nearest > 4 * length + slack {
        let reach = unsafe min(nearest, list.pointee.reach - offset2.squareRoot()) - slack
        hold(at: fix.coordinate, metersPerDegree: shortlist.metersPerDegree, reach: Double(reach))
        isHeld = true
        break
      }
    }
    if i > start {
      move(to: fixes[i - 1].coordinate, at: last)
      // The device may have left the disc that it was in, and nothing is known of a way back into it.
      if !isHeld { letGo() }
    }
    return i - start
  }
}

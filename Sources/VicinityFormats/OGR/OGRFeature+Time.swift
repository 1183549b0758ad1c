internal import CGDAL
internal import VicinityCrossings

extension OGRFeature {
  /// The time in `field`, or what is wrong with it.
  ///
  /// OGR keeps dates with times to the millisecond, in a single-precision number of seconds.
  func time(in field: OGRLayer.Field, by times: inout TimeParser) -> RowValue<Timestamp> {
    guard hasValue(field) else { return .fault("the time is missing") }
    guard field.isDateTime else {
      return unsafe withText(of: field) { unsafe times.parse(TextCheck.trimmed($0)) }
    }
    var (year, month, day, hour, minute, zone): (Int32, Int32, Int32, Int32, Int32, Int32) = (
      0, 0, 0, 0, 0, 0
    )
    var second: Float = 0
    let isRead = unsafe OGR_F_GetFieldAsDateTimeEx(
      handle, field.index, &year, &month, &day, &hour, &minute, &second, &zone)
    guard isRead != 0, (0..<24).contains(hour), (0..<60).contains(minute), second >= 0, second < 61,
      let date = TimeParser.day(year: Int64(year), month: Int(month), day: Int(day))
    else { return .fault("the time is no date and time of day") }
    // 100 is UTC; a unit more or less is a quarter of an hour; below 2, nobody knows.
    guard let offset = zone > 1 ? Int(zone - 100) * 900 : times.zone else {
      return .fault("the time has no zone")
    }
    let minutes = date * 1440 + Int64(hour) * 60 + Int64(minute)
    let milliseconds = (minutes * 60 - Int64(offset)) * 1000 + Int64((Double(second) * 1000).rounded())
    guard let time = Timestamp(milliseconds: milliseconds) else { return .fault("the time is out of range") }
    return .value(time)
  }

  /// The times that a list, or the text of a JSON array of any depth, holds in order.
  ///
  /// - Throws: ``GeometryFault`` for one that is no time.
  func times(in field: OGRLayer.Field, by times: inout TimeParser) throws(GeometryFault) -> [Timestamp] {
    var texts: [[UInt8]] = []
    if field.isList {
      let list = unsafe OGR_F_GetFieldAsStringList(handle, field.index)
      let count = unsafe CSLCount(list)
      for i in 0..<count {
        if let text = unsafe CSLGetField(list, i) { unsafe texts.append(Array(String(cString: text).utf8)) }
      }
    } else {
      unsafe withText(of: field) { texts = unsafe Self.elements($0) }
    }
    var result: [Timestamp] = []
    result.reserveCapacity(texts.count)
    for text in texts {
      switch unsafe text.withUnsafeBufferPointer({ unsafe times.parse(TextCheck.trimmed($0)) }) {
      case .fault(let fault): throw GeometryFault(fault)
      case .value(let time): result.append(time)
      }
    }
    return result
  }

  /// The strings and numbers of a JSON array, without its brackets and quotes.
  private static func elements(_ text: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
    unsafe text.split { byte in
      [UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: "\""), 0x20, 0x0A, 0x09]
        .contains(byte)
    }.map { unsafe Array($0) }
  }
}

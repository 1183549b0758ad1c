import Testing

@testable import VicinityCrossings

@Suite struct TimestampTests {
  @Test func textOfKnownInstants() {
    #expect(Timestamp(microseconds: 0).description == "1970-01-01T00:00:00.000Z")
    #expect(Timestamp(microseconds: 1_552_576_166_535_499).description == "2019-03-14T15:09:26.535Z")
    #expect(Timestamp(microseconds: 1_552_576_166_535_500).description == "2019-03-14T15:09:26.536Z")
    #expect(Timestamp(microseconds: 951_782_400_000_000).description == "2000-02-29T00:00:00.000Z")
    #expect(Timestamp(microseconds: -1).description == "1970-01-01T00:00:00.000Z")
    #expect(Timestamp(microseconds: -501).description == "1969-12-31T23:59:59.999Z")
    #expect(Timestamp(microseconds: -2_177_452_800_000_000).description == "1901-01-01T00:00:00.000Z")
    #expect(Timestamp(microseconds: .max).description == "+294247-01-10T04:00:54.776Z")
    #expect(Timestamp(microseconds: .min).description == "-290308-12-21T19:59:05.224Z")
  }

  /// Day by day over five centuries, counting months and leap years by the calendar's own rules.
  @Test func everyDayOfFiveCenturies() {
    var (year, month, date) = (Int64(1700), 1, 1)
    var day = Timestamp.day(year: 1700, month: 1, day: 1)
    while year < 2200 {
      let civil = Timestamp.civil(day: day)
      #expect(civil.year == year && civil.month == month && civil.day == date)
      #expect(Timestamp.day(year: year, month: month, day: date) == day)
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      date += 1
      if date > lengths[month - 1] { (month, date) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
      day += 1
    }
    #expect(Timestamp.day(year: 1970, month: 1, day: 1) == 0)
  }

  @Test func secondsAndMilliseconds() throws {
    #expect(try #require(Timestamp(seconds: 1.25)).microseconds == 1_250_000)
    #expect(Timestamp(seconds: .nan) == nil)
    #expect(Timestamp(seconds: 1e300) == nil)
    #expect(Timestamp(milliseconds: .max) == nil)
    #expect(Timestamp(microseconds: .min).milliseconds == Int64.min / 1000 - 1)
    #expect(Timestamp(microseconds: .max).seconds(since: Timestamp(microseconds: .min)) > 1e13)
    #expect(Timestamp(microseconds: 5).advanced(by: .seconds(2)).microseconds == 2_000_005)
    #expect(Timestamp(microseconds: 5).advanced(by: .seconds(Int64.max)).microseconds == .max)
    #expect(Timestamp(microseconds: 7).duration(to: Timestamp(microseconds: 2)) == .microseconds(-5))
  }
}

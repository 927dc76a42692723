/// Dates as servers write them: the lenient reading that RFC 6265, section 5.1.1, prescribes for cookies, which covers
/// all three forms of RFC 9110, section 5.6.7.
package enum HTTPDate {
  /// Nil when the text names no date.
  package static func parse(_ text: String) -> UnixTime? {
    guard text.utf8.count <= 128 else { return nil }
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = clock(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = self.month(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
      }
    }
    guard let time, let day, let month, let year, year >= 1601, (1...31).contains(day), time.hour <= 23,
      time.minute <= 59, time.second <= 59
    else { return nil }
    let seconds = days(year: year, month: month, day: day) * 86_400 + time.hour * 3600 + time.minute * 60 + time.second
    return UnixTime(milliseconds: Int64(seconds) * 1000)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Leading digits, when there are as many as allowed and no digit follows.
  private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
    let run = token.prefix { (0x30...0x39).contains($0) }
    guard digits.contains(run.count) else { return nil }
    return Int(String(decoding: run, as: UTF8.self))
  }

  private static func clock(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func month(_ token: Substring.UTF8View) -> Int? {
    let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    return names.firstIndex(of: name).map { $0 + 1 }
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar; the year starts in March so that leap days come last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

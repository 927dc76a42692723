import AuthenticatorCore

/// Times as the tool prints them: RFC 3339, UTC, whole seconds.
enum RFC3339 {
  static func text(_ time: UnixTime) -> String {
    // Outside the years 0 to 9999 the format has no form; such a time can only come from a wrong clock.
    let seconds = min(max(time.seconds, -62_167_219_200), 253_402_300_799)
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let rest = seconds - day * 86_400
    let (year, month, date) = civil(from: day)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T"
      + "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
  }

  /// The Gregorian date of a day counted from 1970-01-01. Counts in eras of 400 years that begin on March 1, so that
  /// the leap day is the last of its year.
  private static func civil(from day: Int64) -> (year: Int64, month: Int64, date: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

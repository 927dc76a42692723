import AuthenticatorCore

/// A UTC date and time of the proleptic Gregorian calendar, free of any locale.
struct CalendarTime {
  let year: Int
  let month: Int
  let day: Int
  let secondOfDay: Int

  init(_ time: UnixTime) {
    // Four-digit years; what lies outside is shown as the nearest that fits.
    let seconds = min(max(Int(time.seconds), -62_167_219_200), 253_402_300_799)
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    secondOfDay = seconds - days * 86_400
    // Counted from 0000-03-01, so that leap days come last.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// `yyyyMMdd HH:mm:ss`
  var text: String {
    let date = Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(day, 2)
    let (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
    return "\(date) \(Self.digits(hour, 2)):\(Self.digits(minute, 2)):\(Self.digits(second, 2))"
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}

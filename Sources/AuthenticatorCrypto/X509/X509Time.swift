/// The times of certificates (RFC 5280 section 4.1.2.5).
package enum X509Time {
  /// Seconds since 1970-01-01T00:00:00Z of a UTCTime or GeneralizedTime in the form RFC 5280 prescribes: with seconds,
  /// without fractions, in `Z`.
  static func seconds(_ element: ASN1Element) throws(CryptoError) -> Int64 {
    var digits = element.content
    guard digits.popLast() == UInt8(ascii: "Z"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw ASN1Reader.malformed
    }
    func take(_ count: Int) -> Int64 {
      defer { digits = digits.dropFirst(count) }
      return digits.prefix(count).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    let year: Int64
    if element.isUniversal(ASN1Element.Tag.utcTime), digits.count == 12 {
      let short = take(2)
      year = short < 50 ? 2000 + short : 1900 + short
    } else if element.isUniversal(ASN1Element.Tag.generalizedTime), digits.count == 14 {
      year = take(4)
    } else {
      throw ASN1Reader.malformed
    }
    let (month, day, hour, minute, second) = (take(2), take(2), take(2), take(2), take(2))
    guard let days = days(year: year, month: month, day: day), hour < 24, minute < 60, second < 60 else {
      throw ASN1Reader.malformed
    }
    return ((days * 24 + hour) * 60 + minute) * 60 + second
  }

  /// The days from 1970-01-01 to a date of the Gregorian calendar; nil when there is no such date.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (0...9999).contains(year), (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else {
      return nil
    }
    // Years run from March, so that the leap day is the last day of its year.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

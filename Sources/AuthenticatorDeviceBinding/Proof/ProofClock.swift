import AuthenticatorCore
import AuthenticatorJourney

/// A proof's times, on the server's clock as far as it is known.
public struct ProofClock: Sendable {
  /// By how much `nbf` lies before the time of issue, for clocks that differ a little.
  public static let allowance: Duration = .seconds(5)

  /// Server minus device; zero when the server did not tell its time.
  let offset: Duration

  /// - Throws: `clockSkewed` when the server's clock differs by more than the journey's configuration trusts.
  init(_ context: CallbackContext) throws {
    let measured = context.clockOffset ?? .zero
    let size = measured < .zero ? .zero - measured : measured
    guard size <= context.maximumClockOffset else {
      throw AuthenticatorError(
        .clockSkewed, stage: "proof", reason: "the clocks of device and server differ by more than is trusted")
    }
    // The measured offset carries the answer's travel time; a small one is noise.
    offset = size <= Self.allowance ? .zero : measured
  }

  func onServer(_ time: UnixTime) -> UnixTime { time.advanced(by: offset) }
}

extension AuthenticatorError.Code {
  /// The device's clock and the server's differ by more than is trusted; a proof would not be accepted.
  public static let clockSkewed = AuthenticatorError.Code(rawValue: "clockSkewed")
}

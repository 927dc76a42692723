/// What one client, and all of them together, may cost the server.
public struct JourneyServerLimits: Hashable, Sendable {
  // MARK: Requests

  /// The longest request body, in bytes; compared before it is read and before it is parsed.
  public var bodyBytes = 256 * 1024
  /// Arrays and objects inside each other in a body.
  public var jsonDepth = 16
  /// Values in a body, containers and their contents counted. The lists of credentials in WebAuthn steps have one for
  /// each byte, and clients send them back.
  public var jsonValues = 16_384
  /// The longest text in a body, in bytes.
  public var textBytes = 64 * 1024
  /// Callbacks in one step.
  public var callbacks = 100

  // MARK: Journeys

  /// What a journey may remember, in bytes; it travels in the step token.
  public var stateBytes = 16 * 1024
  /// Steps in one run of a journey.
  public var steps = 200
  /// How long a step waits for its answer.
  public var stepLifetime: Duration = .seconds(300)
  /// How long a parked journey waits for its link to be followed.
  public var suspendLifetime: Duration = .seconds(900)
  /// How long a session lasts.
  public var sessionLifetime: Duration = .seconds(7200)

  // MARK: Passwords

  /// Password derivations at once; nil: one for each core.
  public var passwordWidth: Int?
  /// Logins waiting for one; more are refused with 503.
  public var passwordQueue = 64
  /// Wrong passwords from one address in each `addressInterval`; more are refused with 429. Nil: any number. This
  /// machine's own addresses are not counted.
  public var failuresPerAddress: Int? = 100
  /// The length of one interval.
  public var addressInterval: Duration = .seconds(60)

  // MARK: Connections

  /// Open connections of the HTTP front.
  public var connections = 1024
  /// Request line and header fields, in bytes.
  public var headerBytes = 16 * 1024
  /// How long a connection may take to send a request, header and body, and how long it may stay idle.
  public var receiveTimeout: Duration = .seconds(15)

  /// The defaults.
  public init() {}

  /// The defaults.
  public static let `default` = JourneyServerLimits()
}

internal import AuthenticatorCoding
internal import AuthenticatorCore

/// Asks a relying party which other origins may use its ID (WebAuthn Level 3 section 5.11).
struct RelatedOrigins {
  let transport: any HTTPTransport
  let suffixes: (any PublicSuffixList)?
  /// How many different labels count.
  let maximumLabels: Int

  private static let maximumRedirects = 5
  private static let maximumBytes = 256 * 1024

  /// Asks the list at the relying party. Nil: it names the origin; otherwise why the origin may not use the ID, in
  /// words that hold nothing of what was received.
  /// - Throws: `timedOut` and `appCanceled` only.
  func refusal(
    of origin: String, for relyingPartyID: String, until deadline: Duration, in environment: AuthenticatorEnvironment
  ) async throws -> String? {
    do {
      let text = "https://\(relyingPartyID)/.well-known/webauthn"
      return refusal(of: origin, by: try await fetch(try WebURL(text), deadline, environment))
    } catch let complaint as Complaint {
      return complaint.text
    } catch let error as AuthenticatorError where [.timedOut, .appCanceled].contains(error.code) {
      throw error
    } catch is CancellationError {
      throw AuthenticatorError(.appCanceled, stage: "relatedOrigins", underlying: CancellationError())
    } catch let error as AuthenticatorError {
      return Complaint("cannot be fetched (\(error.code.rawValue)\(Self.detail(error)))").text
    } catch {
      return "the relying party's list of related origins cannot be fetched"
    }
  }

  private static func detail(_ error: AuthenticatorError) -> String {
    error.reason.isEmpty ? "" : ": \(error.reason)"
  }

  /// Why an answer does not count.
  private struct Complaint: Error {
    var text: String

    init(_ what: String) { text = "the relying party's list of related origins \(what)" }
  }

  private func fetch(
    _ url: WebURL, _ deadline: Duration, _ environment: AuthenticatorEnvironment
  ) async throws -> [UInt8] {
    var url = url
    for _ in 0...Self.maximumRedirects {
      let left = deadline - environment.uptime()
      guard left > .zero else { throw AuthenticatorError(.timedOut, stage: "relatedOrigins") }
      // No cookies and no referrer: the transport adds neither.
      let response = try await transport.send(
        HTTPRequest(
          method: "GET", url: url, fields: [HTTPField("Accept", "application/json")], timeout: min(left, .seconds(30)),
          maximumBodyBytes: Self.maximumBytes))
      guard [301, 302, 303, 307, 308].contains(response.status) else {
        let type = response.values("Content-Type").first?.split(separator: ";").first ?? ""
        let isJSON = Domain.lowercased(type.filter { $0 != " " && $0 != "\t" }) == "application/json"
        guard response.status == 200 else { throw Complaint("was answered with status \(response.status)") }
        guard isJSON else { throw Complaint("is not of the type application/json") }
        return response.body
      }
      guard let location = response.values("Location").first,
        let next = url.resolving(location), next.scheme == "https"
      else { throw Complaint("was redirected to where no such list is") }
      url = next
    }
    throw Complaint("was redirected too often")
  }

  private func refusal(of origin: String, by body: [UInt8]) -> String? {
    guard let suffixes else { return "there is no list of public suffixes, which related origins need" }
    guard let entries = (try? JSONValue.parse(body))?["origins"]?.arrayValue else {
      return Complaint("is no JSON with the member origins").text
    }
    // One entry that is no text spoils the list.
    let origins = entries.compactMap(\.stringValue)
    guard origins.count == entries.count, !origins.isEmpty else {
      return Complaint("is empty or holds something else than texts").text
    }
    var isPassedOver = false
    var labels: Set<String> = []
    for text in origins {
      guard let candidate = WebOrigin(text), Domain.isDomain(candidate.host),
        let domain = suffixes.registrableDomain(of: candidate.host),
        let label = domain.split(separator: ".").first.map(String.init)
      else { continue }
      // A label too many is passed over; entries of known labels still count.
      if labels.count >= maximumLabels, !labels.contains(label) {
        isPassedOver = isPassedOver || candidate.text == origin
        continue
      }
      labels.insert(label)
      if candidate.text == origin { return nil }
    }
    return Complaint(isPassedOver ? "names the origin only after more labels than count" : "does not name the origin")
      .text
  }
}

import AuthenticatorCore
import AuthenticatorCrypto

extension ConformanceChecks {
  /// Checks a key provider: makes a key of each algorithm, signs, and takes it away again.
  /// - Parameter authorization: what opens its keys, when they need something.
  public static func keyProvider(
    _ provider: any KeyProvider, authorization: KeyAuthorization = .none
  ) async -> [ConformanceViolation] {
    let list = ConformanceList()
    list.expect("A provider makes keys of some algorithm", !provider.algorithms.isEmpty)
    let access = KeyAccess(gate: .open)
    let unknown = SignatureAlgorithm(rawValue: "no-such-algorithm")
    await list.expect("An algorithm that it does not list is refused", throws: [.unsupportedAlgorithm]) {
      try await provider.make(
        unknown, name: KeyTag(rawValue: "conformance-unknown"), access: access, authorization: authorization)
    }
    for algorithm in provider.algorithms.sorted(by: { $0.rawValue < $1.rawValue }) {
      await check(provider, algorithm, authorization, list)
    }
    return list.violations
  }

  private static func check(
    _ provider: any KeyProvider, _ algorithm: SignatureAlgorithm, _ authorization: KeyAuthorization,
    _ list: ConformanceList
  ) async {
    let names = ["first", "second"].map { KeyTag(rawValue: "conformance-\($0)-\(algorithm.rawValue)") }
    var keys: [(material: KeyMaterial, publicKey: PublicKey)] = []
    for name in names {
      let key = await list.expect(
        "A listed algorithm (\(algorithm)) can be made",
        succeeds: {
          try await provider.make(
            algorithm, name: name, access: KeyAccess(gate: .open), authorization: authorization)
        })
      guard let key else { return }
      keys.append(key)
    }
    list.expect("Two keys (\(algorithm)) differ", keys[0].publicKey != keys[1].publicKey)
    list.expect("A key is of the algorithm asked for (\(algorithm))", keys[0].publicKey.supports(algorithm))
    let message = Array("a message of some length that the provider hashes itself".utf8)
    let signature = await list.expect(
      "A key (\(algorithm)) signs",
      succeeds: {
        try await provider.sign(
          message, with: keys[0].material, algorithm: algorithm, authorization: authorization)
      })
    if let signature {
      list.expectEqual("A signature (\(algorithm)) names its algorithm", signature.algorithm, algorithm)
      do {
        list.expect(
          "A signature (\(algorithm)) verifies under its key, over the whole message",
          try Verifier(keys[0].publicKey, algorithm: algorithm).isValidSignature(signature, for: message))
        list.expect(
          "A signature (\(algorithm)) is no other key's",
          try !Verifier(keys[1].publicKey, algorithm: algorithm).isValidSignature(signature, for: message))
      } catch {
        list.expect("A signature (\(algorithm)) can be checked", false, "\(error)")
      }
    }
    _ = await list.expect(
      "An opened key (\(algorithm)) signs",
      succeeds: {
        try await provider.open(keys[0].material, algorithm: algorithm)
          .sign(message, authorization: authorization)
      })
    let isPresent = await list.expect(
      "Presence (\(algorithm)) can be told", succeeds: { try await provider.presence(of: keys[0].material) })
    list.expect("A key that was made (\(algorithm)) is present", isPresent == true)
    for key in keys {
      _ = await list.expect(
        "A key (\(algorithm)) can be destroyed", succeeds: { try await provider.destroy(key.material) })
    }
    guard provider.storage == .external else { return }
    let remains = await list.expect(
      "Presence (\(algorithm)) can be told of a destroyed key",
      succeeds: { try await provider.presence(of: keys[0].material) })
    list.expect("A destroyed external key (\(algorithm)) is absent", remains == false)
    await list.expect("A destroyed external key (\(algorithm)) does not sign", throws: [.keyNotFound]) {
      try await provider.sign(message, with: keys[0].material, algorithm: algorithm, authorization: authorization)
    }
  }
}

import AuthenticatorCore
import AuthenticatorJourneyServer
import Glibc

/// Brings a server's registry up to a list of people. Passwords are slow to derive on purpose, so as many people are
/// admitted at once as there are cores.
struct UserAdmission {
  let server: JourneyServer
  let console: Console

  private struct Person: Sendable {
    var user: UserList.User
    var realms: [Realm]
  }

  /// - Throws: an unusable-input failure that names the entry at fault; nobody was admitted when the list itself is at
  ///   fault.
  func admit(_ users: [UserList.User]) async throws {
    let people = try people(of: users)
    guard !people.isEmpty else { return }
    if isatty(STDERR_FILENO) == 1 { console.say("deriving the passwords of \(people.count) people") }
    var rest = people[...]
    var changes: [UserChange: Int] = [:]
    try await withThrowingTaskGroup(of: UserChange.self) { group in
      for person in rest.prefix(max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)) {
        group.addTask { try await admit(person) }
        rest.removeFirst()
      }
      while let change = try await group.next() {
        changes[change, default: 0] += 1
        if let person = rest.popFirst() { group.addTask { try await admit(person) } }
      }
    }
    console.trace("people added: \(changes[.added] ?? 0), unchanged: \(changes[.unchanged] ?? 0)")
    if let count = changes[.changed] { console.say("changed in the registry, as the list has it: \(count) people") }
  }

  /// Who is to be in which realms. Names are compared as the server compares them.
  private func people(of users: [UserList.User]) throws -> [Person] {
    var seen: [AuthenticatorJourneyServer.AttemptSubject: Int] = [:]
    return try users.enumerated().map { index, user in
      var realms = server.configuration.realms
      if let path = user.realm {
        realms = realms.filter { $0 == Realm(path) }
        guard !realms.isEmpty else { throw Self.unusable("entry \(index) is of a realm that is not served") }
      }
      for realm in realms {
        if let first = seen.updateValue(index, forKey: .init(realm: realm, username: user.name)) {
          throw Self.unusable("entries \(first) and \(index) are the same person, '\(user.name)'")
        }
      }
      return Person(user: user, realms: realms)
    }
  }

  private func admit(_ person: Person) async throws -> UserChange {
    let user = person.user
    do {
      return try await server.setUser(
        named: user.name, password: user.password, isActive: user.isActive, in: person.realms)
    } catch let error as AuthenticatorError where error.code == .invalidRequest {
      throw Self.unusable("a user of the list: \(error.reason)")
    }
  }

  private static func unusable(_ message: String) -> Failure {
    .unusable("inputUnusable", message, stage: "users")
  }
}

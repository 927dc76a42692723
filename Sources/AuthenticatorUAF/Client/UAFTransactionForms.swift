import AuthenticatorCore

/// The forms of a transaction that can be shown here, in the server's order; without any when there is no transaction.
struct UAFTransactionForms: Sendable {
  struct Form: Sendable, Equatable {
    var transaction: UAFTransaction
    var content: UAFTransaction.Content
    /// What a picture is; nil: it is text.
    var picture: DisplayPNGCharacteristics?
  }

  private let forms: [Form]
  /// Whether there is nothing to show.
  var isEmpty: Bool { forms.isEmpty }

  /// - Throws: `notInteractive` without a display, `invalidTransactionContent` when no form can be shown.
  init(_ transaction: [UAFTransaction], display: (any UAFTransactionDisplay)?) throws {
    guard !transaction.isEmpty else {
      forms = []
      return
    }
    guard let display else {
      throw AuthenticatorError(.notInteractive, stage: "uaf.transaction", reason: "there is nothing to show it with")
    }
    var forms: [Form] = []
    var failure: (any Error)?
    for one in transaction {
      do {
        let (content, picture) = try one.displayed()
        if picture != nil, !display.displaysImages {
          throw UAFTransaction.invalid("is a picture, and none can be shown")
        }
        forms.append(Form(transaction: one, content: content, picture: picture))
      } catch {
        failure = failure ?? error
      }
    }
    guard !forms.isEmpty else { throw failure ?? UAFTransaction.invalid("has no form that can be shown") }
    self.forms = forms
  }

  /// The first form that fits every one of these authenticators.
  func form(for authenticators: [UAFAuthenticatorInformation]) -> Form? {
    forms.first { form in
      authenticators.allSatisfy { information in
        guard let picture = form.picture else {
          return information.tcDisplayContentTypes.contains(UAFTransaction.plainText)
        }
        return information.tcDisplayPNGCharacteristics.contains { $0.admits(picture) }
      }
    }
  }
}

/// What a platform's passkey dialog is attached to: an app's window. Empty; conform your window's class to it.
///
/// Only a `PasskeyProvider` looks at it. This package's own authenticator shows its prompts through the verifier.
public protocol PresentationAnchor: AnyObject, Sendable {}

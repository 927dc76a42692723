/// The journeys a server offers when it is given none.
public enum BuiltInJourneys {
  /// What a built-in journey is for, for lists.
  public static let descriptions: [(name: String, text: String)] = [
    ("Login", "User name and password, to be retried three times"),
    ("BindDevice", "Sign in with a password, then bind the device (BIOMETRIC_ALLOW_FALLBACK)"),
    ("BindDeviceBiometricOnly", "The same with BIOMETRIC_ONLY"),
    ("BindDevicePIN", "The same with APPLICATION_PIN"),
    ("BindDeviceNone", "The same with NONE"),
    ("BindDeviceAttested", "Bind with a key attestation"),
    ("BindDeviceLimited", "Bind; at most two devices a user"),
    ("BindDevicePostponed", "Bind; the device is stored by a node of its own"),
    ("SignDevice", "User name, then a signature by one of the user's bound devices"),
    ("SignDeviceUsernameless", "A signature by a bound device, which also says who the user is"),
    ("RegisterWebAuthn", "Sign in with a password, then register a WebAuthn credential that needs no user name"),
    ("RegisterWebAuthnRecovery", "The same, with recovery codes that are shown once"),
    ("RegisterWebAuthnLimited", "The same without them; at most two credentials a user"),
    ("RegisterWebAuthnPostponed", "Register; the credential is stored by a node of its own"),
    ("LoginWebAuthn", "User name, then a WebAuthn credential or a recovery code"),
    ("LoginUsernameless", "A WebAuthn credential, which also says who the user is"),
    ("EnrollTrustedDevice", "Sign in with a password, then enroll the device as a trusted one"),
    ("LoginTrustedDevice", "A signature by a trusted device, which also says who the user is"),
    ("RegisterUAF", "Sign in with a password, then register a UAF key"),
    ("LoginUAF", "User name, then a UAF key; a password instead, or beside a changed or second-factor key"),
    ("LoginUAFUsernameless", "A UAF key, which also says who the user is; a changed one, with a password"),
    ("ConfirmPayment", "User name, then a UAF key that confirms the configured text; at times with a password"),
    ("DeregisterUAF", "Sign in with a password, then remove all UAF keys"),
    ("StepUp", "A message to confirm, then a signature by a bound device"),
    ("Choice", "A choice of password or device"),
    ("Callbacks", "One page with every plain callback, then a password"),
    ("Polling", "Password, then a wait that can be left"),
    ("Suspend", "User name, then a link that brings the journey back, then a password"),
  ]

  /// All of them, in the order of `descriptions`.
  public static func all() throws(JourneyTreeError) -> [JourneyTree] {
    [
      try login(), try bind("BindDevice"), try bind("BindDeviceBiometricOnly", .biometricOnly),
      try bind("BindDevicePIN", .applicationPIN), try bind("BindDeviceNone", .none),
      try bind("BindDeviceAttested") { $0.attestation = true },
      try bind("BindDeviceLimited") { $0.maxSavedDevices = 2 }, try bindPostponed(), try sign(),
      try signUsernameless(), try registerWebAuthn(), try registerWebAuthnRecovery(), try registerWebAuthnLimited(),
      try registerWebAuthnPostponed(), try loginWebAuthn(), try loginUsernameless(),
      try enrollTrustedDevice(), try loginTrustedDevice(), try registerUAF(), try loginUAF(),
      try loginUAFUsernameless(), try confirmPayment(), try deregisterUAF(), try stepUp(), try choice(),
      try callbacks(), try polling(), try suspend(),
    ]
  }

  /// Asks for name and password until they are right, with three retries as PingAM counts them.
  static func passwordSteps(then destination: TreeDestination) -> [TreeStep] {
    [
      TreeStep(
        "credentials",
        PageNode(stage: "UsernamePassword", header: "Sign in") {
          UsernameCollector()
          PasswordCollector()
        }
      ).next("password"),
      TreeStep("password", DataStoreDecision()).on(.true, to: destination).on(.false, to: "retry"),
      TreeStep("retry", RetryLimitDecision(limit: 3))
        .on(RetryLimitDecision.retry, to: "credentials").on(RetryLimitDecision.reject, to: .failure),
    ]
  }

  private static func login() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("Login") { passwordSteps(then: .success) }
  }

  private static func bind(
    _ name: String, _ type: WireAuthenticationType = .biometricAllowFallback,
    _ configure: (inout DeviceBindingNode) -> Void = { _ in }
  ) throws(JourneyTreeError) -> JourneyTree {
    var node = DeviceBindingNode(authenticationType: type, prompt: prompt(for: type))
    configure(&node)
    return try JourneyTree(name) { [node] in
      passwordSteps(then: "bind")
      TreeStep("bind", node).on(.success, to: .success).otherwise(.failure)
    }
  }

  /// The node's own texts speak of biometrics, as PingAM's do; here each method has words that fit.
  private static func prompt(for type: WireAuthenticationType) -> DevicePrompt {
    switch type {
    case .biometricOnly: DevicePrompt()
    case .biometricAllowFallback:
      DevicePrompt(description: "Please complete with biometric or device passcode to proceed")
    case .applicationPIN: DevicePrompt(description: "Please complete with your PIN to proceed")
    case .none: DevicePrompt(description: "Please proceed to bind this device")
    }
  }

  /// Which method opens the key is known to the device alone.
  private static func signing() -> DeviceSigningVerifierNode {
    DeviceSigningVerifierNode(prompt: DevicePrompt(description: "Please confirm that it is you to proceed"))
  }

  private static func bindPostponed() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("BindDevicePostponed") {
      passwordSteps(then: "bind")
      TreeStep("bind", DeviceBindingNode(prompt: prompt(for: .biometricAllowFallback), postponesStorage: true)).on(
        .success, to: "store"
      ).otherwise(.failure)
      TreeStep("store", DeviceBindingStorage()).on(.true, to: .success).on(.false, to: .failure)
    }
  }

  private static func sign() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("SignDevice") {
      TreeStep("name", UsernameCollector()).next("sign")
      TreeStep("sign", signing()).on(.success, to: .success).otherwise(.failure)
    }
  }

  private static func signUsernameless() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("SignDeviceUsernameless") {
      TreeStep("sign", signing()).on(.success, to: .success).otherwise(.failure)
    }
  }

  private static func stepUp() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("StepUp") {
      TreeStep("confirm", MessageNode("Confirm with your device", yes: "Continue", no: "Cancel"))
        .on(.true, to: "sign").on(.false, to: .failure)
      TreeStep("sign", signing()).on(.success, to: .success).otherwise(.failure)
    }
  }

  private static func choice() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("Choice") {
      TreeStep("choice", ChoiceCollector(prompt: "Sign in with", choices: ["Password", "Device"]))
        .on("Password", to: "credentials").on("Device", to: "sign")
      passwordSteps(then: .success)
      TreeStep("sign", signing()).on(.success, to: .success).otherwise(.failure)
    }
  }

  private static func callbacks() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("Callbacks") {
      TreeStep(
        "page",
        PageNode(stage: "everything", header: "Every callback", description: "One page") {
          TextOutputNode("Welcome")
          TextOutputNode("console.log('not for you')", messageType: 4)
          TextInputNode(name: "nickname", prompt: "Nickname", defaultText: "none")
          HiddenValueNode(id: "trace", value: "42")
          MetadataNode(["hint": "plain"])
          ChoiceCollector(prompt: "Go on?", choices: ["Yes", "No"])
        }
      ).on("Yes", to: "credentials").on("No", to: .failure)
      passwordSteps(then: .success)
    }
  }

  private static func polling() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("Polling") {
      passwordSteps(then: "wait")
      TreeStep("wait", PollingWait(seconds: 1, message: "One moment", exitMessage: "Leave"))
        .on(PollingWait.done, to: .success).on(PollingWait.exited, to: .failure)
    }
  }

  private static func suspend() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("Suspend") {
      TreeStep("name", UsernameCollector()).next("mail")
      TreeStep("mail", EmailSuspend()).next("secret")
      TreeStep("secret", PasswordCollector()).next("check")
      TreeStep("check", DataStoreDecision()).on(.true, to: .success).on(.false, to: .failure)
    }
  }
}

internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// One file of the page. The files lie in `Assets`, where they are edited and checked as what they are, and the build
/// puts their bytes into the module: nothing has to be found at run time.
struct PageAsset: Sendable {
  let contentType: String
  let bytes: [UInt8]
  /// Changes with the bytes.
  private let entityTag: String

  private init(_ contentType: String, _ bytes: [UInt8]) {
    self.contentType = contentType
    self.bytes = bytes
    entityTag = "\"\(Base64URL.encode(SHA256.hash(bytes)))\""
  }

  /// The file at a path, compared as it was sent; nil: there is none.
  static func at(_ path: String) -> PageAsset? { files[path] }

  static let files: [String: PageAsset] = [
    "/": PageAsset("text/html;charset=UTF-8", PackageResources.index_html),
    "/page/page.css": PageAsset("text/css;charset=UTF-8", PackageResources.page_css),
    "/page/icon.svg": PageAsset("image/svg+xml", PackageResources.icon_svg),
    "/page/main.js": script(PackageResources.main_js),
    "/page/client.js": script(PackageResources.client_js),
    "/page/view.js": script(PackageResources.view_js),
    "/page/step.js": script(PackageResources.step_js),
    "/page/callbacks.js": script(PackageResources.callbacks_js),
    "/page/passkey.js": script(PackageResources.passkey_js),
    "/page/passkey-data.js": script(PackageResources.passkey_data_js),
    "/page/passkey-script.js": script(PackageResources.passkey_script_js),
  ]

  private static func script(_ bytes: [UInt8]) -> PageAsset { PageAsset("text/javascript;charset=UTF-8", bytes) }

  /// The file, or 304 for a browser that has it. A transport leaves out the body of an answer to HEAD.
  func response(to request: ServerRequest) -> ServerResponse {
    // A browser asks again each time: after an update of the server, no page runs with parts of an older one.
    let fields = PageHeaders.all(cache: "no-cache") + [HTTPField("ETag", entityTag)]
    let known = (request.field("If-None-Match") ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
    if known.contains(where: { $0 == entityTag || $0 == "W/" + entityTag }) {
      return ServerResponse(status: 304, fields: fields)
    }
    return ServerResponse(status: 200, fields: fields + [HTTPField("Content-Type", contentType)], body: bytes)
  }
}

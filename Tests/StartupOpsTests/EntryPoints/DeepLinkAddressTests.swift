import Foundation
import TestSupport
import Testing

@testable import StartupOps

@Suite("Links as they are", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DeepLinkAddressTests {
    private func router() throws -> DeepLinkRouter {
        try DeepLinkRouter(
            origins: [DeepLinkOrigin("https", "*.good.example"), DeepLinkOrigin("browser", "*")],
            routes: [
                DeepLinkRoute("home", path: "/"),
                DeepLinkRoute("any-tab", path: "/tabs/*"),
                DeepLinkRoute("tab", path: "/tabs/{name}/show", parameters: [.string("name")]),
                DeepLinkRoute("article", path: "/wiki/**", parameters: [.integer("line", isRequired: false)], keepsAddress: true),
                DeepLinkRoute("new-article", path: "/wiki/new"),
            ]
        )
    }

    /// Takes every page there is.
    private func browser() throws -> DeepLinkRouter {
        try DeepLinkRouter(
            origins: [DeepLinkOrigin("https", "*")],
            routes: [DeepLinkRoute("settings", path: "/settings"), DeepLinkRoute("page", path: "/**", keepsAddress: true)]
        )
    }

    @Test("a star fits one part, two stars any number of parts; a word goes before both")
    func wildcards() throws {
        let router = try router()
        func route(_ path: String) throws -> String { try router.link("https://en.good.example\(path)").route }
        #expect(try route("/tabs/7") == "any-tab")
        #expect(try route("/tabs/7/show") == "tab")
        #expect(try route("/wiki") == "article")
        #expect(try route("/wiki/a") == "article")
        #expect(try route("/wiki/a/b/c/") == "article")
        #expect(try route("/wiki/new") == "new-article")
        #expect(#expect(throws: DeepLinkError.self) { try route("/tabs") }?.description.contains("there is no route") == true)
        #expect(#expect(throws: DeepLinkError.self) { try route("/tabs/7/hide") }?.description.contains("there is no route") == true)
    }

    @Test("a star as a host is any host at any port; before a name, any host below that name")
    func hosts() throws {
        let router = try router()
        #expect(try router.link("browser://some.where:8080/").route == "home")
        #expect(try router.link("https://a.b.good.example/").route == "home")
        for text in ["https://good.example/", "https://evilgood.example/", "https://good.example.evil.example/", "https://evil.example/"] {
            #expect(#expect(throws: DeepLinkError.self) { try router.link(text) }?.description.contains("the host is") == true, "\(text)")
        }
        #expect(
            #expect(throws: DeepLinkError.self) { try router.link("https://en.good.example:8443/") }?.description.contains("port") == true
        )
        #expect(
            #expect(throws: DeepLinkError.self) { try router.link("browser://a@b.example/") }?.description.contains("user name") == true
        )
        #expect(#expect(throws: DeepLinkError.self) { try router.link("browser://*/") }?.description.contains("the host is") == true)
    }

    @Test("a route that keeps the address hands on all parameters in their order, and the fragment")
    func address() throws {
        let text = "HTTPS://EN.good.example/wiki/A%20b?b=2&a=%C3%A9+1&line=7&b=3&bare&c=%ff#Part%201?x"
        let link = try router().link(text)
        #expect(link.integer("line") == 7)
        let address = try #require(link.address)
        #expect(address.text == text)
        #expect(address.scheme == "https" && address.host == "en.good.example" && address.port == nil)
        #expect(address.path == "/wiki/A%20b")
        #expect(address.fields.map(\.name) == ["b", "a", "line", "b", "bare", "c"])
        #expect(address.fields.map(\.value) == ["2", "é+1", "7", "3", "", "%ff"])
        #expect(address.fragment == "Part%201?x")
        #expect(try JSONDecoder().decode(DeepLink.self, from: JSONEncoder().encode(link)) == link)
        #expect(try router().link("https://en.good.example/wiki#").address?.fragment == nil)
        #expect(try router().link("https://en.good.example/#secret").address == nil, "the route does not keep it")
        #expect(
            #expect(throws: DeepLinkError.self) { try router().link("https://en.good.example/wiki?line=x") }?.description.contains(
                " is not "
            ) == true,
            "what the route declares is judged all the same"
        )
    }

    @Test(
        "a browser takes any path as it is written",
        arguments: ["/https://good.example/", "/a/../settings", "/%ff", "//", "/a%2Fb", "/%0A", "/./settings", ""]
    )
    func anyPath(path: String) throws {
        let link = try browser().link("https://some.where:8443\(path)?q=1")
        #expect(link.route == "page")
        #expect(link.address?.path == path)
        #expect(link.address?.port == 8443)
    }

    @Test("fault D2: a path that climbs does not get along a route with a word before its stars")
    func climbing() throws {
        for path in ["/wiki/../x", "/wiki/%2e%2e/x", "/wiki//x", "/wiki/a%2Fb"] {
            let error = try #require(#expect(throws: DeepLinkError.self) { try router().link("https://en.good.example\(path)") })
            #expect(error.description.contains("of its path"))
        }
    }

    @Test("a link that is too long to be kept is refused, and the reason named")
    func length() throws {
        let text = "https://good.example/?q=" + String(repeating: "x", count: DeepLinkAddress.maximumLength)
        let error = try #require(#expect(throws: DeepLinkError.self) { try browser().link(text) })
        #expect(error.description == "link refused (https://good.example): it is longer than 65536 bytes")
    }

    @Test("wildcards that are none, or that stand where others follow, are refused, and the mistake named")
    func mistakes() {
        func message(_ routes: DeepLinkRoute...) -> String? {
            #expect(throws: DeepLinkRouteError.self) { try DeepLinkRouter(origins: [], routes: routes) }?.description
        }
        #expect(message(DeepLinkRoute("a", path: "/**/b"))?.contains("has to be the last part") == true)
        #expect(message(DeepLinkRoute("a", path: "/b*"))?.contains("b* in its path is neither a word nor a wildcard") == true)
        #expect(message(DeepLinkRoute("a", path: "/b/**"), DeepLinkRoute("b", path: "/b/**"))?.contains("as that of a") == true)
        let one = DeepLinkRoute("b", path: "/{x}", parameters: [.string("x")])
        #expect(message(DeepLinkRoute("a", path: "/*"), one)?.contains("as that of a") == true)
    }

    @Test("fault D7: nothing that prints an address shows more than its scheme and host")
    func redacted() throws {
        let link = try browser().link("https://good.example/CANARY?CANARY&a=CANARY#CANARY")
        var dumped = ""
        dump(link, to: &dumped)
        dump(link.address, to: &dumped)
        dump(link.address?.fields, to: &dumped)
        let printed = link.address.map { "\($0) \(String(reflecting: $0)) \($0.fields)" } ?? ""
        #expect(printed.hasPrefix("address https://good.example "))
        #expect(!"\(link) \(printed) \(dumped)".contains("CANARY"))
    }
}

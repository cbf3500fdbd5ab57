import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("Links: where they come from", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DeepLinkOriginTests {
    @Test(
        "fault D1: a host is one of the app's exactly, or the link is refused",
        arguments: [
            ("https://good.example@evil.example/", "user name"),
            ("https://user:pass@good.example/", "user name"),
            ("https://@good.example/", "user name"), ("https://good.example.evil.example/", "the host is"),
            ("https://evilgood.example/", "the host is"), ("https://sub.good.example/", "the host is"),
            ("https://good.example./", "the host is"),
            ("https://.good.example/", "the host is"), ("https://good..example/", "the host is"),
            ("https://g%6fod.example/", "the host is"),
            ("https://good.example%2eevil.example/", "the host is"), ("https://good.example%00.evil.example/", "the host is"),
            ("https://gооd.example/", "has to be percent-encoded"), ("https://xn--gd-tlaa.example/", "the host is"),
            ("https://ｇood.example/", "has to be percent-encoded"),
            ("https://good.example:99999/", "port"), ("https://good.example:0/", "port"),
            ("https://good.example:-1/", "port"),
            ("https://good.example:8443/", "port"), ("https://good.example:80/", "port"),
            ("https://good.example:44 3/", "has to be percent-encoded"),
            ("https://good.example:443:443/", "port"), ("https://good.example:+443/", "port"),
            ("https://good.example\\@evil.example/", "has to be percent-encoded"),
            ("https://good.example\t.evil.example/", "has to be percent-encoded"),
            ("https://good.example\n/", "has to be percent-encoded"), (" https://good.example/", "does not begin with a scheme"),
            ("https://[::1]/", "the host is"),
            ("https://2130706433/", "the host is"), ("https://\(String(repeating: "a", count: 64)).example/", "the host is"),
            ("https://good.example;evil.example/", "the host is"), ("https://good.example,/", "the host is"),
            ("http://good.example/", "the host is"),
            ("speakers://good.example/", "the host is"), ("http://127.0.0.1/", "port"),
            ("http://127.0.0.1:8081/", "port"),
            ("https://evil.example#@good.example/", "the host is"), ("https://evil.example?@good.example/", "the host is"),
        ] as [(String, String)]
    )
    func refusedHosts(text: String, reason: String) throws {
        let router = try EntryPointSamples.router()
        let error = #expect(throws: DeepLinkError.self) { try router.link(text) }
        #expect(error?.description.contains(reason) == true, "\(text): \(String(describing: error))")
    }

    @Test(
        "fault D1: upper case, the scheme's own port and a slash more or less make no other host",
        arguments: [
            "https://good.example/", "https://good.example", "HTTPS://GOOD.Example/", "https://good.example:443/", "https://good.example:/",
            "https://good.example?", "https://good.example/#@evil.example", "speakers://open", "SPEAKERS://OPEN/", "http://127.0.0.1:8080/",
            "https://good.example:00443/",
        ]
    )
    func acceptedHosts(text: String) throws {
        #expect(try EntryPointSamples.router().link(text).route == "home")
    }

    @Test(
        "fault D2: what is no link with a host is refused, and the reason named",
        arguments: [
            ("", "link refused: the link is empty"),
            ("javascript:alert(1)", "link refused (javascript:): the scheme is none of http, https, speakers"),
            ("javascript://good.example/%0Aalert(1)", "link refused (javascript:): the scheme is none of http, https, speakers"),
            ("file:///etc/passwd", "link refused (file:): the scheme is none of http, https, speakers"),
            ("data:text/html,hello", "link refused (data:): the scheme is none of http, https, speakers"),
            ("ftp://good.example/", "link refused (ftp:): the scheme is none of http, https, speakers"),
            ("https:good", "link refused (https:): // and a host were expected after the scheme"),
            ("https:/good.example", "link refused (https:): // and a host were expected after the scheme"),
            ("https:///x", "link refused (https://): a host was expected after //"),
            ("https://", "link refused (https://): a host was expected after //"),
            ("https://:443/", "link refused (https://): a host was expected after //"),
            ("good.example/x", "link refused: the link does not begin with a scheme such as https:"),
            ("//good.example/", "link refused: the link does not begin with a scheme such as https:"),
            ("://good.example/", "link refused: the link does not begin with a scheme such as https:"),
            ("1https://good.example/", "link refused: the link does not begin with a scheme such as https:"),
            ("https\u{0}://good.example/", "link refused: the link does not begin with a scheme such as https:"),
        ] as [(String, String)]
    )
    func noLinks(text: String, message: String) throws {
        let router = try EntryPointSamples.router()
        #expect(#expect(throws: DeepLinkError.self) { try router.link(text) }?.description == message)
    }

    @Test(
        "fault D2: a path that climbs, hides a slash or cannot be decoded is refused",
        arguments: [
            "/../new", "/%2e%2e/new", "/.%2E/new", "/./new", "/speakers//new", "//speakers/new", "/speakers/a%2Fb", "/speakers/a%5Cb",
            "/speakers/%00",
            "/speakers/%0A", "/speakers/%", "/speakers/%4", "/speakers/%zz", "/speakers/%ff", "/speakers/%c0%ae", "/speakers/%ed%a0%80",
        ]
    )
    func paths(path: String) throws {
        let router = try EntryPointSamples.router()
        #expect(
            #expect(throws: DeepLinkError.self) { try router.link("https://good.example\(path)") }?.description.contains("of its path")
                == true
        )
    }
}

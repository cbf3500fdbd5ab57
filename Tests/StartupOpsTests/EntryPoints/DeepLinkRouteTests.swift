import Foundation
import TestSupport
import Testing

@testable import StartupOps

@Suite("Links: where they lead", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DeepLinkRouteTests {
    private let tune = "https://good.example/tune/\(EntryPointSamples.speakerID)"

    @Test("a link has the parameters that its route declares, decoded")
    func parameters() throws {
        let router = try EntryPointSamples.router()
        let link = try router.link("\(tune)?volume=12&mute=true&token=a%2Bb+c%C3%A9")
        #expect(link.route == "tune")
        #expect(link.string("id") == EntryPointSamples.speakerID)
        #expect(link.string("volume") == "12")
        #expect(link.string("mute") == "true")
        #expect(link.string("token") == "a+b+cé")
        #expect(link.string("tab") == nil, "it was not given")
        #expect(try router.link("https://good.example/speakers/new").route == "new-speaker", "a word goes before a parameter")
        #expect(try router.link("https://good.example/speakers/old/").string("name") == "old")
        #expect(try router.link("https://good.example/offer?utm_source=mail&number=-3&&x").string("number") == "-3")
        #expect(try router.link("\(tune)?volume=1&&mute=0&").string("mute") == "0")
    }

    @Test(
        "fault D4: a parameter that is there twice, missing, unknown or of the wrong type is named",
        arguments: [
            ("?volume=1&volume=1", "is there twice", "volume"),
            ("?volume=1&v%6flume=2", "is there twice", "volume"),
            ("?volume=1&id=\(EntryPointSamples.speakerID)", "is there twice", "id"), ("", "is missing", "volume"),
            ("?mute=1", "is missing", "volume"), ("?volume=1&balance=3", "has no parameter", "balance"),
            ("?Volume=1", "has no parameter", "Volume"),
            ("?volume=loud", " is not ", "volume"), ("?volume=", " is not ", "volume"),
            ("?volume", " is not ", "volume"), ("?volume=+1", " is not ", "volume"),
            ("?volume=1e1", " is not ", "volume"), ("?volume=99999999999999999999", " is not ", "volume"),
            ("?volume=%31%", " is not ", "volume"), ("?volume=1&tab=Sound", " is not ", "tab"),
            ("?volume=1&token=%00", " is not ", "token"), ("?volume=1&token=%ff", " is not ", "token"),
            ("?volume=\(String(repeating: "1", count: 1 << 20))", " is not ", "volume"),
            ("?volume=1&token=\(String(repeating: "x", count: 1 << 20))", " is not ", "token"),
            ("?volume=1&token=\(String(repeating: "%41", count: 257))", " is not ", "token"),
        ] as [(LongText, String, String)]
    )
    func named(query: LongText, reason: String, parameter: String) throws {
        let router = try EntryPointSamples.router()
        let error = try #require(#expect(throws: DeepLinkError.self) { try router.link(tune + query.value) })
        #expect(error.description.contains(reason))
        #expect(error.description.contains("parameter \(parameter)"))
        #expect(error.description.utf8.count < 300)
    }

    @Test("fault D4: messages say what was expected, and the nearest name")
    func messages() throws {
        let router = try EntryPointSamples.router()
        func message(_ text: String) -> String? { #expect(throws: DeepLinkError.self) { try router.link(text) }?.description }
        #expect(message("\(tune)?volume=loud") == "link refused (route tune): parameter volume is not a whole number")
        #expect(message("\(tune)?volme=1") == "link refused (route tune): the route has no parameter volme; did you mean volume?")
        #expect(message("https://good.example/tune/1?volume=1") == "link refused (route tune): parameter id is not a UUID")
        #expect(
            message("https://good.example/reset")
                == "link refused (route reset): parameter code is missing; it has to be a text of 1 to 64 bytes that can be printed"
        )
        #expect(message("https://good.example/speakers/\(String(repeating: "x", count: 17))")?.contains("parameter name") == true)
        #expect(
            message("https://good.example/reset?code=1" + String(repeating: "&a=1", count: 64))?.contains("more than 64 parameters") == true
        )
        #expect(message("https://good.example/" + String(repeating: "x", count: 3_000))?.contains("longer than 2048 bytes") == true)
        #expect(message("https://good.example/reset?code=" + String(repeating: "x", count: 3 << 20))?.contains("longer than") == true)
    }

    @Test(
        "fault D13: what turns the direction of writing, or cannot be seen, is refused in a path and in a text; letters of any script are not",
        arguments: [
            ("%E2%80%AE", false), ("%E2%81%A6", false), ("%E2%80%8B", false), ("%C2%AD", false), ("%EF%BB%BF", false), ("%E2%80%8D", false),
            ("%F3%A0%81%81", false), ("%E2%80%A8", false), ("%C2%85", false), ("%1B", false), ("%C3%A9", true), ("%D9%85%D9%8A", true),
            ("%F0%9F%8E%B5", true), ("%E2%9D%A4%EF%B8%8F", true),
        ]
    )
    func invisible(_ character: String, isFine: Bool) throws {
        let router = try EntryPointSamples.router()
        for text in ["/speakers/a\(character)b", "/reset?code=a\(character)b"] {
            let error = isFine ? nil : #expect(throws: DeepLinkError.self) { try router.link("https://good.example\(text)") }
            if isFine { _ = try router.link("https://good.example\(text)") }
            #expect(error.map { $0.description.contains("printed") } != false, "\(error?.description ?? "")")
        }
    }

    @Test("fault D5, D6: a link says whether it needs a login, and whether it changes something")
    func demands() throws {
        let router = try EntryPointSamples.router()
        let link = try router.link("\(tune)?volume=1")
        #expect(link.needsLogin && !link.changesState)
        let reset = try router.link("https://good.example/reset?code=1")
        #expect(!reset.needsLogin && reset.changesState)
        #expect(EntryPoint.link(reset).needsConfirmation)
    }

    @Test(
        "fault D7: nothing that prints a link, or the error of one, shows what it carries",
        arguments: [
            "https://good.example/reset?code=CANARY", "https://good.example/speakers/CANARY",
            "https://good.example/tune/\(EntryPointSamples.speakerID)?volume=1&token=CANARY",
            "https://good.example/reset?CANARY", "https://good.example/reset?CANARY=", "https://good.example/reset?Q0FOQVJZCANARY==",
            "https://good.example/reset?code=1&code=CANARY", "https://good.example/tune/CANARY?volume=1",
            "https://good.example/nowhere/CANARY?x=CANARY",
            "https://good.example/CANARY/../x", "https://CANARY@good.example/", "https://CANARY:CANARY@good.example/?CANARY",
            "https://evil.example/?t=CANARY#CANARY",
            "https:good?token=CANARY", "https://?token=CANARY", "https://good.example:99999?CANARY", "CANARY",
            "https://good.example/?a=CANARY b",
            "https://CAN%41RY?CANARY",
        ]
    )
    func redacted(text: String) throws {
        let router = try EntryPointSamples.router()
        do {
            let link = try router.link(text)
            var dumped = ""
            dump(link, to: &dumped)
            dump(EntryPoint.link(link), to: &dumped)
            for (_, value) in link.parameters { dump(value, to: &dumped) }
            #expect(!"\(link) \(String(reflecting: link)) \(link.parameters) \([link]) \(dumped)".uppercased().contains("CANARY"))
            #expect(link.description.hasPrefix("link to "))
        } catch {
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!"\(error) \(String(reflecting: error)) \(dumped)".uppercased().contains("CANARY"), "\(error)")
        }
    }

    @Test("fault D7: of an unknown path, only the app's own words are shown")
    func unknownPath() throws {
        let router = try EntryPointSamples.router()
        let error = #expect(throws: DeepLinkError.self) { try router.link("https://good.example/speakers/secret/tune/secret") }
        #expect(error?.description == "link refused (https://good.example): there is no route for /speakers/…/tune/…")
    }

    @Test("routes that contradict themselves or each other are refused, and the mistake named")
    func mistakes() {
        func message(_ routes: DeepLinkRoute...) -> String? {
            #expect(throws: DeepLinkRouteError.self) { try DeepLinkRouter(origins: [], routes: routes) }?.description
        }
        #expect(
            message(DeepLinkRoute("a", path: "/a"), DeepLinkRoute("a", path: "/b"))
                == "route a: there are two routes of this name; rename one"
        )
        #expect(
            message(
                DeepLinkRoute("a", path: "/{x}", parameters: [.string("x")]),
                DeepLinkRoute("b", path: "/{y}", parameters: [.string("y")])
            )
                == "route b: its path, /{y}, fits the same links as that of a"
        )
        #expect(message(DeepLinkRoute("a", path: "/{x}"))?.contains("none of its parameters") == true)
        #expect(message(DeepLinkRoute("a", path: "/a{x}", parameters: [.string("x")]))?.contains("whole part") == true)
    }

    @Test("a link is stored and read back as it was")
    func coding() throws {
        let link = try EntryPointSamples.router().link("\(tune)?volume=12&mute=false&token=t")
        #expect(try JSONDecoder().decode(DeepLink.self, from: JSONEncoder().encode(link)) == link)
    }
}

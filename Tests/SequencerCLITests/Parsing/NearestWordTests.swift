import Testing

@testable import sequencer_cli

@Suite("The nearest word")
struct NearestWordTests {
    static let words = ["timeout", "title", "after", "onFailure", "operations", "fetch-config", "a", "run"]

    @Test(
        "One is near",
        arguments: [
            ("timeoutMS", "timeout"), ("tilte", "title"), ("onfailure", "onFailure"), ("ONFAILURE", "onFailure"),
            ("fetch_config", "fetch-config"),
            ("fetchconfig", "fetch-config"), ("oprations", "operations"), ("rnu", "run"), ("fetch-confgi", "fetch-config"),
            ("timeout", "timeout"),
        ]
    )
    func near(_ name: String, _ nearest: String) {
        #expect(nearestName(to: name, in: NearestWordTests.words) == nearest)
    }

    @Test("None is near", arguments: ["", "b", "xyz", "zzzzzzzzzzzz", String(repeating: "timeout", count: 1000)])
    func far(_ name: String) {
        #expect(nearestName(to: name, in: NearestWordTests.words) == nil)
    }

    @Test("The first of several equally near wins, a nearer one beats it")
    func ties() {
        #expect(nearestName(to: "step-1x", in: ["step-12", "step-13"]) == "step-12")
        #expect(nearestName(to: "step-1x", in: ["step-99", "step-13"]) == "step-13")
        #expect(nearestName(to: "anything", in: [String]()) == nil)
    }
}

import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("What becomes of a request: the state machine", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TransferStateTests {
    private var state = TransferState(HTTPRequest(.get, URL(fileURLWithPath: "/")), maximumBodySize: 10)

    private func text(_ end: TransferState.End?) -> String {
        func text(_ result: Result<HTTPResponse, NetworkError>) -> String {
            switch result {
            case .success(let response): "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
            case .failure(let error): "\(error.code)"
            }
        }
        return end.map { "finish \(text($0.result))\($0.stops ? ", stop" : "")" } ?? "nothing"
    }

    @Test("whatever comes first ends it, and what comes later changes nothing")
    mutating func once() {
        let ends: [(String, (inout TransferState) -> TransferState.End?)] = [
            ("finish cancelled, stop", { $0.fail(.cancelled, "") }),
            ("finish 200 ", { $0.complete(nil, head: HTTPResponse(status: 200)) }),
            ("finish 302 , stop", { $0.end(with: HTTPResponse(status: 302)) }),
            ("finish invalidResponse, stop", { $0.receive(Data(count: 11)) }),
            ("finish invalidResponse, stop", { $0.receive(head: HTTPResponse(status: 200, headers: ["Content-Length": "11"])) }),
        ]
        for (expected, first) in ends {
            var state = TransferState(HTTPRequest(.get, URL(fileURLWithPath: "/")), maximumBodySize: 10)
            #expect(text(first(&state)) == expected)
            #expect(state.isOver)
            for (_, second) in ends { #expect(text(second(&state)) == "nothing") }
        }
    }

    @Test("no answer at all is an error; declared lengths that make no sense are nobody's")
    mutating func odd() {
        #expect(text(state.complete(nil, head: nil)) == "finish invalidResponse")
        for length in ["-1", "", "abc", "99999999999999999999"] {
            var state = TransferState(HTTPRequest(.get, URL(fileURLWithPath: "/")), maximumBodySize: 10)
            #expect(text(state.receive(head: HTTPResponse(status: 200, headers: ["Content-Length": length]))) == "nothing")
            #expect(text(state.complete(nil, head: nil)) == "finish 200 ")
        }
    }
}

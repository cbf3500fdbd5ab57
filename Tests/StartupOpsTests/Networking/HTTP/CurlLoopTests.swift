#if canImport(FoundationNetworking)
    import Foundation
    import Sequencer
    import TestSupport
    import Testing

    @testable import StartupNetworking

    @Suite("The thread of libcurl", .serialized, .timeLimit(.minutes(30)), .besideOthers)
    struct CurlLoopTests {
        @Test("fault N66: where the system starts no thread, a request fails at once, and the next one asks for a thread again")
        func noThread() async throws {
            let starts = Locked(0)
            let loop = CurlLoop(try #require(LibCurl.system)) { _ in
                starts.withLock { $0 += 1 }
                return EAGAIN
            }
            for count in 1...3 {
                let transfer = Transfer(HTTPRequest(.get, try #require(URL(string: "http://127.0.0.1/"))), maximumBodySize: 10)
                loop.add(transfer)
                let error = await #expect(throws: NetworkError.self) { try await transfer.answer.value }
                #expect(error?.code == .unreachable)
                #expect(starts.withLock { $0 } == count)
            }
        }
    }
#endif

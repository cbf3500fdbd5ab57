import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupSamples

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What would disturb other tests, or be disturbed by them, in processes of their own.
@Suite("Requests in a process of their own", .serialized, .timeLimit(.minutes(30)), .real)
struct RealIsolatedProcessTests {
    @Test("while every thread of the pool is blocked, requests are sent, answered, tried again and ended by their deadlines")
    func starvedPool() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on("/", .status(503), .json("{}"))
            server.on("/hang", .hang)
            let client = HTTPClient()
            let urls = [server.url(), server.url("/hang")]
            let never = DispatchSemaphore(value: 0)
            for _ in 0..<256 { DispatchQueue.global().async { never.waitPatiently() } }
            // Tasks need an executor of their own then, as a launch's lanes are.
            let executor = SerialExecutorForTests()
            let results = Locked<[String]>([])
            let done = DispatchSemaphore(value: 0)
            for (index, url) in urls.enumerated() {
                Task(executorPreference: executor) {
                    let request = HTTPRequest(.get, url)
                    do {
                        let status = try await client.send(request, deadline: .after(index == 0 ? .seconds(200) : .milliseconds(300)))
                            .status
                        results.withLock { $0.append("\(status)") }
                    } catch {
                        results.withLock { $0.append((error as? NetworkError).map { "\($0.code)" } ?? "?") }
                    }
                    done.signal()
                }
            }
            // On a thread of its own, as this one belongs to the pool.
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread {
                    for _ in urls { done.waitPatiently() }
                    let isRight = results.withLock { $0.sorted() } == ["200", "timedOut"]
                    // The pool does nothing any more, so nothing would come of resuming.
                    withExtendedLifetime(continuation) { exit(isRight ? 0 : 1) }
                }
            }
        }
    }

    #if os(Linux)
        @Test("clients that are let go of leave no descriptors and no threads behind")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer()
                server.on("/", .json("{}").closing)
                server.on("/hang", .hang)
                func use() async throws {
                    let client = HTTPClient()
                    _ = try await client.send(HTTPRequest(.get, server.url()), deadline: httpPatience)
                    _ = await client.failure(HTTPRequest(.get, server.url("/hang")), deadline: .after(.milliseconds(1)))
                }
                func count(_ folder: String) throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder).count }
                for _ in 0..<20 { try await use() }
                let descriptors = try count("/proc/self/fd")
                let threads = try count("/proc/self/task")
                for _ in 0..<200 { try await use() }
                // Sessions end in the background, and pool threads come and go; 200 of either would be a leak.
                #expect(try count("/proc/self/fd") < descriptors + 100)
                #expect(try count("/proc/self/task") < threads + 100)
            }
        }

        @Test("fault N37: a proxy in the environment gets no plain request, whatever no_proxy excepts")
        func proxy() async {
            await #expect(processExitsWith: .success) {
                let (proxy, server) = (try LoopbackServer(), try LoopbackServer())
                proxy.onEveryRequest { _ in .json("\"proxy\"") }
                server.on("/", .json("\"server\""))
                unsetenv("no_proxy")
                unsetenv("NO_PROXY")
                let request = HTTPRequest(.get, server.url(), headers: ["Authorization": "Bearer secret"])
                for variable in ["http_proxy", "all_proxy", "ALL_PROXY"] {
                    setenv(variable, "http://127.0.0.1:\(proxy.port)", 1)
                    for list in [nil, "", "127.0.0.1", "127.0.0.0/8", "example.com", "*,a", "a 127.0.0.1", ".0.0.1"] {
                        if let list { setenv("no_proxy", list, 1) }
                        let answer = try await HTTPClient().send(request, deadline: httpPatience)
                        #expect(String(decoding: answer.body, as: UTF8.self) == "\"server\"", "\(variable), no_proxy \(list ?? "unset")")
                    }
                    unsetenv("no_proxy")
                    unsetenv(variable)
                }
                #expect(proxy.requests.isEmpty && proxy.garbage.isEmpty)
                // What `URLSession` does, where nothing protects a request from the variables.
                setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
                var options = TransportOptions()
                options.environment = [:]
                let unprotected = try await TransportKind.session.make(options).send(request, deadline: httpPatience)
                #expect(String(decoding: unprotected.body, as: UTF8.self) == "\"proxy\"")
                #expect(proxy.requests.first?.headers["authorization"] == "Bearer secret")
            }
        }
    #endif

    #if canImport(FoundationNetworking)
        @Test(
            "fault N37: where a variable names a proxy for plain requests, `URLSession` sends none; the error names the variable, not its value",
            arguments: [
                ([:], "http://localhost/", nil), (["http_proxy": "http://p:1"], "http://localhost/", "http_proxy"),
                (["HTTP_PROXY": "http://p:1"], "http://localhost/", nil), (["http_proxy": ""], "http://localhost/", nil),
                (["all_proxy": "http://p:1"], "http://127.0.0.1/", "all_proxy"),
                (["ALL_PROXY": "http://p:1"], "http://127.0.0.1/", "ALL_PROXY"),
                (["http_proxy": "http://p:1"], "https://example.com/", nil), (["https_proxy": "http://p:1"], "http://localhost/", nil),
            ] as [([String: String], String, String?)]
        )
        func variables(_ environment: [String: String], _ url: String, _ expected: String?) async throws {
            let request = HTTPRequest(.get, try webAddress(url), headers: ["Authorization": "Bearer canary"])
            let refusal = request.proxyRefusal(environment)
            guard let expected else { return #expect(refusal == nil) }
            let reason = "it would go unencrypted through the proxy that \(expected) names, which could read it; unset that"
            #expect(refusal?.code == .invalidRequest && refusal?.reason == reason)
            var options = TransportOptions()
            options.environment = environment
            #expect(await TransportKind.session.make(options).failure(request)?.reason == reason)
        }
    #endif
}

/// Runs tasks on a thread of its own.
private final class SerialExecutorForTests: TaskExecutor {
    private let queue = DispatchQueue(label: "tests.executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}

import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// What an SDK logs, what it never logs, and writers that misbehave.
@Suite("SDK log", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SDKLogTests {
    private static let messages = SDKLogLevel.allCases.filter { $0 != .off }

    @Test(
        "D12: the 7 thresholds by the 6 levels: what is at least as important is written; OFF writes nothing",
        arguments: SDKLogLevel.allCases
    )
    func levels(threshold: SDKLogLevel) async {
        let writer = RecordingLogWriter()
        let log = SDKLog(isEnabled: true, level: threshold, writer: writer)
        for level in SDKLogLevel.allCases { log.write(level, "tag", "message") }
        await log.flush()
        let table: [SDKLogLevel: [String]] = [
            .verbose: ["VERBOSE", "DEBUG", "INFO", "WARN", "ERROR", "ASSERT"], .debug: ["DEBUG", "INFO", "WARN", "ERROR", "ASSERT"],
            .info: ["INFO", "WARN", "ERROR", "ASSERT"], .warn: ["WARN", "ERROR", "ASSERT"], .error: ["ERROR", "ASSERT"],
            .assert: ["ASSERT"],
            .off: [],
        ]
        #expect(writer.lines.withLock { $0 } == table[threshold]?.map { "\($0) tag message" })
        #expect(Self.messages.count == 6)
    }

    @Test("D13: with logging disabled nothing is written, whatever the level, and messages are not even made")
    func disabled() async {
        let writer = RecordingLogWriter()
        let made = Locked(0)
        for level in SDKLogLevel.allCases {
            let log = SDKLog(isEnabled: false, level: level, writer: writer)
            for message in Self.messages {
                log.write(
                    message,
                    "tag",
                    {
                        made.withLock { $0 += 1 }; return "message"
                    }()
                )
            }
            await log.flush()
        }
        #expect(writer.text.isEmpty && made.withLock { $0 } == 0)
    }

    private final class ThrowingWriter: SDKLogWriter {
        let calls = Locked(0)
        func write(_ level: SDKLogLevel, tag: String, message: String) throws {
            calls.withLock { $0 += 1 }
            throw SDKSampleError(name: "disk full")
        }
    }

    @Test("D14: a writer that throws does not break the launch")
    func throwing() async {
        let writer = ThrowingWriter()
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        #expect(sdk.initialize(sdkBuilder.enableLogging().logLevel(.verbose).logWriter(writer)))
        #expect(sdk.isReadyNow)
        await sdk.log.flush()
        #expect(writer.calls.withLock { $0 } >= sdkSteps.count)
    }

    private final class BlockingWriter: SDKLogWriter {
        let release = DispatchSemaphore(value: 0)
        let blocked = DispatchSemaphore(value: 0)
        let lines = Locked<[String]>([])
        func write(_ level: SDKLogLevel, tag: String, message: String) {
            if lines.withLock({ $0.isEmpty }) {
                blocked.signal()
                release.waitPatiently()
            }
            lines.withLock { $0.append(message) }
        }
    }

    @Test("D14: a writer that blocks holds nobody up; what is too much is dropped, and that is said when it goes on")
    func blocking() async {
        let writer = BlockingWriter()
        let sdk = SDKLifecycle.patient(SampleSDKServices())
        #expect(sdk.initialize(sdkBuilder.enableLogging().logLevel(.verbose).logWriter(writer)))
        #expect(sdk.isReadyNow, "ready while the writer blocks")
        writer.blocked.waitPatiently()
        for number in 0..<(SDKLog.capacity + 500) { sdk.log.write(.info, "test", "\(number)") }
        writer.release.signal()
        // The first time all that waits is written, and the notice joins the queue; the second time it is written, too.
        for _ in 0..<2 { await sdk.log.flush() }
        let lines = writer.lines.withLock { $0 }
        let notices = lines.filter { $0.hasSuffix("messages were dropped: the log writer does not keep up") }
        #expect(notices.compactMap { Int($0.prefix { $0.isNumber }) }.reduce(0, +) >= 500)
        #expect(lines.contains("0") && lines.count <= 2 * SDKLog.capacity)
    }

    @Test(
        "D11: credentials and known tokens appear at no level, as they are or encoded, in what the SDK or a feature logs"
    )
    func canary() async {
        let secrets = ["client-4711", "s3cr3t/Canary+42=", "tok-Canary-99"]
        for level in SDKLogLevel.allCases {
            let writer = RecordingLogWriter()
            var behaviour = SampleSDKServices.Behaviour()
            behaviour.entitlements = { _ in throw SDKSampleError(name: "401 for tok-Canary-99 of client-4711") }
            behaviour.whenMade = { configuration, log in
                for level in Self.messages {
                    log.write(level, configuration.clientSecret.value, "secret=\(configuration.clientSecret.value) \(configuration)")
                    log.write(level, "http", "Authorization: Basic \(Data("client-4711:s3cr3t/Canary+42=".utf8).base64EncodedString())")
                    log.write(level, "http", "client_secret=s3cr3t%2FCanary%2B42%3D&x=1")
                    // As a refresh in the middle of a session brings one.
                    KnownSecrets.add("refreshed-Canary-7", from: .person)
                    log.write(level, "http", "Authorization: Bearer refreshed-Canary-7")
                }
            }
            let sdk = SDKLifecycle.patient(SampleSDKServices(token: "tok-Canary-99", behaviour))
            #expect(sdk.initialize(sdkBuilder.enableLogging().logLevel(level).logWriter(writer)))
            await sdk.untilReady()
            sdk.initialize(sdkBuilder.clientSecret("another-Canary-1"))
            await sdk.log.flush()
            let text = writer.text
            let spellings = secrets + ["Canary", Data("client-4711:s3cr3t".utf8).base64EncodedString().prefix(16).description]
            for secret in spellings { #expect(!text.contains(secret), "\(level)") }
            #expect(level.rawValue >= SDKLogLevel.assert.rawValue || text.contains("<redacted>"))
        }
    }

    @Test("D11: a secret goes wherever it stands in a word, whatever follows or overlaps it; the rest stays")
    func places() {
        let secrets = SpelledSecrets(["s3cr3t/Canary", "Canary+4711", "p4s"])
        let texts = [
            "access_token=p4s&x=1": "access_token=<redacted>&x=1",
            "keyJob.tar": "keyJob.tar",
            "s3cr3t/Canary\u{301} p4s\u{20DD}": "<redacted>\u{301} <redacted>\u{20DD}",
            "xS3CR3T/canary+4711x": "x<redacted>x",
            // The last letter of base64 has two bits of the secret, and would have others beside another neighbour.
            "s3cr3t%2FCanary czNjcjN0L0NhbmFyeQ== p4 é": "<redacted> <redacted>Q== p4 é",
        ]
        for (text, expected) in texts {
            let redacted = secrets.cut(from: text)
            #expect(Array(redacted.utf8) == Array(expected.utf8), "\(text)")
        }
    }
}

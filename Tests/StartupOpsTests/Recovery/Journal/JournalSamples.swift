import Foundation

@testable import StartupOps

/// Lines of journals.
enum JournalSamples {
    static let began = began(version: "1.0.0")

    static func began(version: String?, level: RecoveryLevel = .normal, kind: LaunchKind = .foreground) -> JournalLine {
        var line = JournalLine(.began)
        line.schema = JournalLine.schema
        line.ms = 0
        line.at = "2026-11-21T13:47:54.120Z"
        line.process = 17
        line.version = version
        line.kind = kind
        line.level = level
        return line
    }

    static func contents(_ lines: [JournalLine]) -> Data { Data(lines.flatMap(\.bytes)) }

    /// Writes the journals of launches into the state folder of an app, numbered one after the other.
    static func write(_ launches: [[JournalLine]], from first: Int = 1, in location: URL) throws {
        let journals = location.appendingPathComponent("journal")
        try FileManager.default.createDirectory(at: journals, withIntermediateDirectories: true)
        for (index, lines) in launches.enumerated() {
            let number = String("000000\(first + index)".suffix(6))
            try contents(lines).write(to: journals.appendingPathComponent("\(number)-a.jsonl"))
        }
    }

    /// From its begin to its healthy end.
    static let wholeLaunch: Data = {
        var planned = JournalLine(.planned)
        planned.scenario = "regular \"é\""
        planned.level = .normal
        planned.required = ["main-app"]
        return contents([
            began, planned, .started("splash"), .started("login"), .ended("splash"), .ended("login"), .over(), .outcome("completed"),
            JournalLine(.healthy),
        ])
    }()

    static let everyLine: [JournalLine] = [
        began, .started("a \"quoted\"\nname\u{7F}"), .started("b", attempt: 100), .ended("c"), .retrying("d"), .asked("e"), .answered("e"),
        .stalled, .relaunched,
        .kind(.prewarmed), .quit, .over(), .over(stopped: true), .outcome("aborted", "u", "force-update"), JournalLine(.healthy),
    ]
}

extension JournalLine {
    static func started(_ operation: String, attempt: Int = 1) -> JournalLine {
        JournalLine(.started, operation: operation, attempt: attempt)
    }

    static func ended(_ operation: String) -> JournalLine { JournalLine(.ended, operation: operation, outcome: "succeeded") }
    static func retrying(_ operation: String) -> JournalLine { JournalLine(.retrying, operation: operation, attempt: 1) }
    static func asked(_ operation: String) -> JournalLine { JournalLine(.asked, operation: operation) }
    static func answered(_ operation: String) -> JournalLine { JournalLine(.answered, operation: operation) }
    static let stalled = JournalLine(.stalled)
    static let relaunched = JournalLine(.relaunched)
    static let quit = JournalLine(.quit)

    static func kind(_ kind: LaunchKind) -> JournalLine {
        var line = JournalLine(.kind)
        line.kind = kind
        return line
    }

    static func over(stopped: Bool = false) -> JournalLine {
        var line = JournalLine(.over)
        line.stopped = stopped
        return line
    }

    static func outcome(_ outcome: String, _ operation: String? = nil, _ reason: String? = nil) -> JournalLine {
        var line = JournalLine(.outcome, operation: operation, outcome: outcome)
        line.reason = reason
        return line
    }
}

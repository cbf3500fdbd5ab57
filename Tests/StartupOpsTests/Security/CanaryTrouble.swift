import Foundation
import Sequencer

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// What goes wrong in a launch whose secrets are looked for.
enum CanaryTrouble: Sendable, CaseIterable {
    case none
    case down, garbage, wrongTypes, turnedDown, silent
    case quotingSuccess, quotingRefusal, quotingFailure
    case expiredTokens, endedSession
    case updateRequired, cancelled, deadline, brokenStore

    static let paths = [
        "/v1/version-policy", "/v1/countries", "/v1/configuration", "/v1/flags", "/oauth/token", "/v1/accounts", "/v1/accounts/verify",
        "/v1/profile",
        "/v1/entitlements", "/graphql",
    ]

    /// What the service does to every request.
    private var fault: SampleFault? {
        switch self {
        case .down: .reset
        case .garbage: .garbage
        case .wrongTypes: .wrongType
        case .turnedDown: .basicChallenge
        case .silent: .hang
        default: nil
        }
    }

    /// Brings the trouble about.
    func begin(_ app: CanaryApp) {
        let service = app.backend.service
        if let fault { for path in Self.paths { service.setFault(fault, for: path) } }
        switch self {
        case .quotingSuccess: app.watch.quote(withStatus: 200)
        case .quotingRefusal: app.watch.quote(withStatus: 400)
        case .quotingFailure: app.watch.quote(withStatus: 500)
        case .expiredTokens: service.expireTokens()
        case .endedSession:
            service.expireTokens()
            service.endSessions()
        case .updateRequired: service.requireUpdate()
        default: break
        }
    }

    /// A store that takes nothing, where that is the trouble.
    func directory(over healthy: StateDirectory) -> StateDirectory {
        guard self == .brokenStore else { return healthy }
        return StateDirectory(
            location: nil,
            settings: healthy.settings,
            state: healthy.state,
            cache: healthy.cache,
            secure: LockableStore(),
            problems: []
        )
    }

    /// How long the splash is visible: where the launch has to meet its deadline, longer than that.
    var splash: Duration { self == .deadline ? .seconds(4) : .zero }

    var options: LaunchOptions {
        self == .deadline ? LaunchOptions(deadline: .milliseconds(300)) : LaunchOptions(deadline: .seconds(60))
    }

    /// How a launch in this trouble ends.
    func isEnd(_ outcome: LaunchReport.Outcome) -> Bool {
        switch self {
        case .updateRequired: outcome == .aborted(by: StartupStep.forceUpdate.id, reason: .forceUpdate)
        case .cancelled: outcome == .cancelled
        case .deadline: if case .failed = outcome { true } else { false }
        // Nobody is kept out because the service makes no sense.
        default: outcome == .completed
        }
    }
}

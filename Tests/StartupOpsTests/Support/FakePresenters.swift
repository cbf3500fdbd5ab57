import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

/// A person who answers from a list, and what that person was shown, in order.
@MainActor
final class FakePerson: LoginPresenter, RegionPresenter, SplashPresenter {
    nonisolated let shown = Locked<[String]>([])
    private var logins: [LoginAnswer]
    private var codes: [Secret?]
    private let region: Region?
    /// Whether the account that was found is used; nil leaves without an answer.
    private let restores: Bool?
    /// What ends the splash by itself; nil for one that stands still.
    private let splashEnd: Gate?

    nonisolated init(
        logins: [LoginAnswer] = [],
        codes: [Secret?] = [],
        region: Region? = nil,
        restores: Bool? = true,
        splashEnd: Gate? = nil
    ) {
        self.logins = logins
        self.codes = codes
        self.region = region
        self.restores = restores
        self.splashEnd = splashEnd
    }

    private func show(_ text: String) { shown.withLock { $0.append(text) } }

    func askForLogin(problem: String?) async -> LoginAnswer {
        show("login: \(problem ?? "-")")
        return logins.isEmpty ? .dismissed : logins.removeFirst()
    }

    func askForVerificationCode(of email: String, problem: String?) async -> Secret? {
        show("code: \(problem ?? "-")")
        return codes.isEmpty ? nil : codes.removeFirst()
    }

    func askToRestore(_ account: StoredSession) async throws -> Bool {
        show("restore")
        guard let restores else { throw CancellationError() }
        return restores
    }

    func chooseRegion(from countries: [Country]) async -> Region? {
        show("region: \(countries.map(\.code).joined(separator: " "))")
        return region
    }

    func showSplash() async { show("splash") }

    func splashEnded() async {
        guard let splashEnd else { return }
        await withTaskCancellationHandler {
            await splashEnd.wait()
        } onCancel: {
            splashEnd.open()
        }
    }
}

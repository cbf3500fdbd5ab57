import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Every order in which the conditions of the first screen can be met by a launch, and every fault in every step of it, in virtual time.
@Suite("Bootstrap: every order, every fault", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapEveryOrderTests {
    /// What the first screen waits for: each comes at a moment of its own, 10 ms after the one before it.
    private enum Condition: CaseIterable {
        case video, splash, configuration, flags, user
    }

    /// The orders that there can be: the coordinator finds out who is there, and only then has configuration and flags fetched.
    private static func orders(of conditions: [Condition]) -> [[Condition]] {
        everyOrder(conditions).filter { order in
            let user = order.firstIndex(of: .user) ?? 0
            return [Condition.configuration, .flags].allSatisfy { (order.firstIndex(of: $0) ?? .max) > user }
        }
    }

    /// The moments of a launch.
    private struct Moments: Sendable {
        let order: [Condition]
        let clock: VirtualClock
        /// The conditions that were met, in order.
        let met = Locked<[Condition]>([])
        private let begun = Locked(0)
        private let splashBegan = AsyncGate()

        init(order: [Condition], clock: VirtualClock) { (self.order, self.clock) = (order, clock) }

        func moment(of condition: Condition) -> Duration {
            .milliseconds(10 * ((order.firstIndex(of: condition) ?? order.count) + 1))
        }

        /// Says that the splash, or its video, is about to wait.
        func splashBegins() {
            let isBoth = begun.withLock { begun in
                begun += 1
                return begun == 2
            }
            if isBoth { splashBegan.open() }
        }

        /// Holds time still until splash and video are about to wait: on their way to the main thread, nothing else does.
        func waitForSplash() async { await splashBegan.wait() }

        /// Waits for the condition's moment, from that of `begin` on.
        func wait(for condition: Condition, since begin: Condition? = nil) async throws {
            try await clock.sleep(for: moment(of: condition) - (begin.map { moment(of: $0) } ?? .zero))
            met.withLock { $0.append(condition) }
        }
    }

    @MainActor
    private final class Splash: SplashPresenter {
        private let moments: Moments

        nonisolated init(_ moments: Moments) { self.moments = moments }

        func showSplash() async {}
        func splashEnded() async {
            moments.splashBegins()
            try? await moments.wait(for: .splash)
        }
        func playSplashVideo() async {
            moments.splashBegins()
            try? await moments.wait(for: .video)
        }
    }

    /// A service that knows nobody, and lets everybody in.
    private struct Service: ConfigurationService, AccountService, UpdatePolicyService {
        let moments: Moments

        private var account: Account { Account(id: "7", name: "Person") }

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy { UpdatePolicy() }
        func countries(by deadline: Deadline) async throws -> [Country] { [Country(code: "US", name: "America", languages: ["en"])] }
        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            try await moments.wait(for: .configuration, since: .user)
            return AppConfiguration(version: "1", country: region.country, language: region.language)
        }
        func flags(by deadline: Deadline) async throws -> FeatureFlags? {
            try await moments.wait(for: .flags, since: .user)
            return FeatureFlags()
        }
        func storedSession() -> StoredAnswer<StoredSession> { .absent }
        func restore(by deadline: Deadline) async throws -> Account { throw AccountError(.noSession, "nobody is logged in") }
        func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account { account }
        func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account { account }
        func logInAnonymously(by deadline: Deadline) async throws -> Account { .guest }
        func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account { account }
        func logOut(because reason: String) async {}
    }

    private struct Launch {
        let report: LaunchReport
        let bootstrap: Bootstrap
        let shown: [String]
        let met: [Condition]

        var screens: Int { shown.count { $0 == "main" } }
        var isOpen: Bool { bootstrap.firstScreenGate?.isOpen == true }
    }

    private let harness = BootstrapHarness()

    /// The first launch of an app that waits for all there is to wait for.
    ///
    /// - Parameters:
    ///   - isKept: whether there is a configuration of an earlier launch.
    ///   - isExact: whether each condition is to be met at its moment; not where the splash may not begin.
    private func launch(
        _ order: [Condition],
        isKept: Bool = false,
        isExact: Bool = true,
        change: (inout OperationGraph) throws -> Void = { _ in }
    ) async throws -> Launch {
        let moments = Moments(order: order, clock: VirtualClock(patience: .seconds(120)))
        let directory = StateDirectory.inMemory()
        try Settings(directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        try Settings(directory.settings).set(true, for: .showsSplashVideo)
        if isKept {
            try ConfigurationStore(directory.state).beginTrial(of: AppConfiguration(version: "0", country: "US", language: "en"))
            try directory.launchState().recordChosenRegion(Region(country: "US", language: "en"))
        }
        var plan = harness.plan()
        plan.modules = [
            // What the coordinator waits for.
            BootstrapModule("shop") { _ in
                if isExact { await moments.waitForSplash() }
                try await moments.clock.sleep(for: moments.moment(of: .user))
                return "shop"
            }
        ]
        let sdks = (first: SDKLifecycle(services: SampleSDKServices()), later: SDKLifecycle(services: SampleSDKServices()))
        plan.thirdParties = [
            ThirdPartySDK("steps", lifecycle: sdks.first, configuration: sdkBuilder),
            ThirdPartySDK("walks", lifecycle: sdks.later, configuration: sdkBuilder),
            ThirdPartySDK("ads") { _ in },
        ]
        plan.delegates = [.action("delegates") { moments.met.withLock { $0.append(.user) } }]
        plan.observers = [BootstrapObserver("account") { _ in }]
        let bootstrap = try Bootstrap(plan, app: harness.app, directory: directory, http: harness.http)
        let person = AgreeablePerson()
        var presenters = StartupPresenters(all: person)
        presenters.splash = Splash(moments)
        var environment = bootstrap.environment(presenters: presenters)
        environment.splashMinimum = .zero
        let service = Service(moments: moments)
        environment.services.configurations = service
        environment.services.accounts = service
        environment.services.updates = service
        var graph = environment.graph(.bootstrap)
        try change(&graph)
        let options = LaunchOptions(grace: .zero, clock: moments.clock)
        let report = try await graph.run(budget: .seconds(3), options: options).report
        return Launch(report: report, bootstrap: bootstrap, shown: person.shown, met: moments.met.withLock { $0 })
    }

    @Test("B44, B48: in every order in which its conditions can be met, the first screen comes once, and exactly with the last of them")
    func orders() async throws {
        let orders = Self.orders(of: Condition.allCases)
        #expect(orders.count == 40)
        for order in orders {
            let result = try await launch(order)
            #expect(result.report.outcome == .completed && result.screens == 1, "\(order): \(result.report.remarks)")
            #expect(result.met == order && result.isOpen, "\(order): \(result.met)")
            #expect(result.report["first-screen"]?.end == .milliseconds(50), "\(order)")
            #expect(result.bootstrap.findings == [], "\(order)")
        }
    }

    @Test("B45, B48: with a configuration that was kept it comes with the last of the others, also before the new one has been fetched")
    func ordersWithKept() async throws {
        let orders = Self.orders(of: [.video, .splash, .flags, .user])
        #expect(orders.count == 12)
        for order in orders {
            // The new one is the last of all.
            let result = try await launch(order, isKept: true)
            #expect(result.report.outcome == .completed && result.screens == 1, "\(order): \(result.report.remarks)")
            #expect(result.met == order + [.configuration], "\(order): \(result.met)")
            #expect(result.report["first-screen"]?.end == .milliseconds(40), "\(order)")
            #expect(result.report["fetch-config"]?.end == .milliseconds(50), "\(order)")
        }
    }

    /// The steps that a launch cannot do without.
    private static let required: Set<String> = [
        "check-resources", "register", "configure", "end-process-phase", "connect-scene", "start-coordinator", "first-screen", "login",
        "main-app",
    ]
    /// Those that it can do without.
    private static let optional: Set<String> = [
        "sdk-steps", "sdk-steps-ready", "force-update", "prepare-shop", "sdk-walks", "sdk-walks-ready", "sdk-ads",
        "splash", "module-shop", "fetch-config", "fetch-flags", "restore-account", "tutorial", "onboarding", "install-observers",
    ]

    @Test(
        "B47, B49, fault L69: every fault in every step, in every order, by day in one: one first screen, or a failure that names the step",
        arguments: [Fault.fail, .hang, .delay(.seconds(10))]
    )
    func faults(fault: Fault) async throws {
        let steps = Self.required.union(Self.optional)
        for (number, order) in Self.orders(of: Condition.allCases).enumerated() {
            for (place, id) in steps.sorted().enumerated() where Nightly.includes(place - number, of: 40) {
                let result = try await launch(order, isExact: false) { graph in
                    let identifiers = Set(graph.identifiers)
                    #expect(identifiers == steps)
                    try graph.inject(fault, into: id)
                }
                let place = "\(id) \(fault), \(order): \(result.report.outcome), \(result.report.remarks)"
                // A tutorial is looked at for as long as a person likes, so only the deadline ends it.
                let ends = fault != .delay(.seconds(10)) && (Self.required.contains(id) || id == "tutorial" && fault == .hang)
                if ends {
                    #expect(result.report.outcome.name == "failed" && result.screens == 0, "\(place)")
                    #expect(result.report[id]?.outcome.isSuccess == false, "\(place)")
                    if fault == .fail, case .failed(let operation, _) = result.report.outcome { #expect(operation == id, "\(place)") }
                } else {
                    #expect(result.report.outcome == .completed && result.screens == 1 && result.isOpen, "\(place)")
                    let isLate = fault != .fail && ["fetch-config", "fetch-flags"].contains(id)
                    let findings = result.bootstrap.findings.filter { !isLate || !$0.hasPrefix("the onboarding may not be ") }
                    #expect(findings == [], "\(place)")
                }
            }
        }
    }
}

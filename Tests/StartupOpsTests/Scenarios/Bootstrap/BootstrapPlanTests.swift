import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("Bootstrap: the plan", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapPlanTests {
    private let harness = BootstrapHarness()

    /// Keeps the path of each request that passes.
    private struct Recorder: HTTPSending {
        let http: any HTTPSending
        let paths: Locked<[String]>

        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            paths.withLock { $0.append(request.url.path()) }
            return try await http.send(request, deadline: deadline)
        }
    }

    @Test("B68: requests pass the debug proxy in staging builds, and in no other, whatever the plan says", arguments: 0..<8)
    func debugProxy(bits: Int) async throws {
        let build = BuildFlags(rawValue: bits)
        let paths = Locked<[String]>([])
        var plan = harness.plan(build)
        plan.debugProxy = { Recorder(http: $0, paths: paths) }
        let bootstrap = try harness.bootstrap(plan)
        let report = try await harness.launch(bootstrap)
        #expect(report.outcome == .completed)
        let seen = paths.withLock { $0 }
        #expect(plan.usesDebugProxy == build.contains(.staging))
        #expect(report["configure"]?.notes.first?.hasSuffix("through the debug proxy") == build.contains(.staging))
        if build.contains(.staging) {
            // Every request of the launch, the check of the version included.
            #expect(Set(seen).isSuperset(of: ["/v1/version-policy", "/v1/countries", "/v1/configuration", "/oauth/token"]))
        } else {
            #expect(seen.isEmpty)
        }
        plan.debugProxy = nil
        #expect(!plan.usesDebugProxy)
    }

    /// Another way to log in, which knows what the person will say.
    @MainActor
    private final class OtherLogin: AuthenticationProvider {
        enum Answer: Sendable { case session, nothing, failure }

        private let answer: Answer
        private let endpoint: TokenEndpoint
        private let email: String
        /// How long it takes before it asks, and once more afterwards.
        private let serviceTime: Duration
        private(set) var asked = 0

        nonisolated init(
            _ answer: Answer,
            _ harness: BootstrapHarness,
            email: String = "person@example.com",
            serviceTime: Duration = .zero
        ) {
            self.answer = answer
            self.email = email
            self.serviceTime = serviceTime
            endpoint = TokenEndpoint(url: harness.backend.baseURL.appending(path: "oauth/token"), http: harness.http) { Date() }
        }

        func authenticate(_ configuration: BootstrapConfiguration, in step: StepContext) async throws -> Session? {
            asked += 1
            try await step.sleep(for: serviceTime)
            try await step.waitForPerson { try await step.sleep(for: .seconds(60)) }
            try await step.sleep(for: serviceTime)
            switch answer {
            case .session:
                return try await step.request("a session") { [endpoint, email] in
                    try await endpoint.session(username: email, password: Secret("correct horse"), deadline: $0)
                }
            case .nothing: return nil
            case .failure: throw AccountError(.invalidCredentials, "the other account is closed")
            }
        }
    }

    @Test("B69: with one, it opens the session; when it does not, the login form asks; who is logged in is asked by neither")
    func authenticator() async throws {
        for (answer, outcome) in [(OtherLogin.Answer.session, Outcome.succeeded), (.nothing, .succeeded), (.failure, .failed)] {
            let harness = BootstrapHarness()
            let other = OtherLogin(answer, harness)
            let person = FakePerson(logins: [.continueAsGuest])
            var plan = harness.plan()
            plan.authenticator = other
            let bootstrap = try harness.bootstrap(plan)
            let report = try await harness.launch(bootstrap, person)
            #expect(report.outcome == .completed)
            #expect(report["authenticate"]?.outcome == outcome)
            #expect(await other.asked == 1)
            let isOpen = answer == .session
            #expect(person.shown.withLock { $0 }.contains("login: -") == !isOpen)
            #expect(bootstrap.service.storedSession().value?.isAnonymous == !isOpen)

            if isOpen {
                var again = harness.plan()
                again.authenticator = other
                #expect(try await harness.launch(again, person)["authenticate"]?.outcome == .skipped)
                #expect(await other.asked == 1)
            }
        }
    }

    @Test("A29, B69: the time in which an authenticator asks is the person's, and all of its other time counts", arguments: [0, 2])
    func authenticatorsTime(seconds: Int) async throws {
        let harness = BootstrapHarness()
        var plan = harness.plan()
        plan.authenticator = OtherLogin(.session, harness, serviceTime: .seconds(seconds))
        let report = try await harness.launch(plan)
        #expect(report.outcome == .completed, "\(report.remarks)")
        let login = try #require(report["authenticate"])
        #expect(login.interactive == .seconds(60) && login.duration == .seconds(60 + 2 * seconds))
        #expect(report.budget.interactive == .seconds(60) && report.budget.isMet == (seconds == 0))
    }

    /// Who was there when the launch began, whose session it ends.
    private enum Former: CaseIterable {
        case nobody, guest, earlierInstallation
    }

    @Test("B15: who logs in with an authenticator is offered the subscription, also after a session that the launch has ended")
    func offerAfterAuthenticator() async throws {
        for former in Former.allCases {
            let harness = BootstrapHarness()
            try Settings(harness.directory.settings).set(true, for: .presentsSubscriptionAfterLogin)
            switch former {
            case .nobody: break
            case .guest: try await harness.leaveGuest()
            case .earlierInstallation: try await harness.leaveSession(email: "new@example.com")
            }
            let other = OtherLogin(.session, harness, email: "new@example.com")
            var plan = harness.plan()
            plan.authenticator = other
            let bootstrap = try harness.bootstrap(plan)
            let visitor = AgreeablePerson()
            var environment = harness.environment(bootstrap, FakePerson(codes: ["000000"]))
            environment.presenters.main = visitor
            let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
            let report = try await environment.graph(.bootstrap).run(budget: .seconds(3), options: options).report
            #expect(report.outcome == .completed && report["authenticate"]?.outcome == .succeeded, "\(former): \(report.remarks)")
            #expect(visitor.shown == ["paywall", "main"], "\(former): \(visitor.shown)")
            #expect(await other.asked == 1)
        }
    }

    private func problems(_ change: (inout BootstrapPlan) -> Void) -> [String] {
        var plan = harness.plan()
        change(&plan)
        do throws(RegistryError) {
            try plan.validate()
            return []
        } catch {
            return error.problems
        }
    }

    @Test(
        "B5, B6, B8, B28, B35: a plan is refused before anything runs: what is missing, misordered or there twice is named, with the reason"
    )
    func validation() throws {
        #expect(problems { _ in }.isEmpty)
        #expect(
            problems { $0.registrations.remove(at: 4) } == [
                "ui-configuration is required and was not registered; register it after client-keys"
            ]
        )
        #expect(
            problems { $0.registrations.append(.value("other", for: "analytics")) }.first?.contains("was registered twice")
                == true
        )
        #expect(problems { $0.endpoints = APIEnvironment(graphQL: $0.endpoints.graphQL) }.isEmpty)
        let gallery = BootstrapModule("gallery", dependencies: [.after("shop", because: "it sells what is shown")]) { _ in "gallery" }
        let shop = BootstrapModule("shop") { _ in "shop" }
        #expect(problems { $0.modules = [shop, gallery] }.isEmpty)
        #expect(
            problems { $0.modules = [gallery, shop] } == ["gallery must come after shop: it sells what is shown"]
        )
        #expect(
            problems { $0.modules = [gallery] } == [
                "shop is not in the plan, and gallery needs it: it sells what is shown"
            ]
        )
        #expect(problems { $0.delegates.append(.action("configuration") {}) }.first?.contains("was registered twice") == true)
        // No operation runs for a plan like that, not even an action.
        var plan = harness.plan()
        plan.registrations.swapAt(1, 4)
        #expect(throws: RegistryError.self) { try harness.bootstrap(plan) }
        #expect(harness.done.isEmpty)
    }

    @Test("B5: a plan whose names and times make no step is refused before anything runs, and the step named")
    func stepsOfPlan() async throws {
        func module(_ name: String, timeout: Duration = .seconds(2)) -> BootstrapModule {
            BootstrapModule(name, timeout: timeout) { _ in name }
        }
        for modules in [[module("shop\u{7}")], [module("shop"), module("shop")], [module("shop", timeout: .zero)]] {
            var plan = harness.plan()
            plan.modules = modules
            let error = await #expect(throws: RegistryError.self) { try await harness.launch(plan) }
            #expect(error?.description.contains("prepare-shop") == true && harness.done.isEmpty, "\(String(describing: error))")
        }
    }

    @Test("B5: the time of an SDK's restore is one of a step, or the plan is refused", arguments: [-1, 0, 1, 90_000])
    func timeOfRestore(seconds: Int) {
        let options = SDKOptions(restoreTimeout: .seconds(seconds))
        let sdk = SDKLifecycle(services: SampleSDKServices(), options: options)
        let found = problems { $0.thirdParties = [ThirdPartySDK("steps", lifecycle: sdk, configuration: sdkBuilder)] }
        #expect(found.map { $0.hasPrefix("sdk-steps-ready: a timeout must be") } == (seconds == 1 ? [] : [true]))
    }

    @Test(
        "C3: a plan with GraphQL alone launches: sessions are opened beside the endpoint, and nothing is asked over REST",
        arguments: [LoginAnswer.continueAsGuest, .logIn(email: "person@example.com", password: "correct horse")]
    )
    func graphQLAlone(answer: LoginAnswer) async throws {
        let paths = Locked<[String]>([])
        var plan = harness.plan()
        plan.endpoints = APIEnvironment(graphQL: plan.endpoints.graphQL)
        let recorder = Recorder(http: harness.http, paths: paths)
        func launch() async throws -> (Bootstrap, LaunchReport) {
            let bootstrap = try Bootstrap(plan, app: harness.app, directory: harness.directory, http: recorder)
            return (bootstrap, try await harness.launch(bootstrap, FakePerson(logins: [answer])))
        }
        let (bootstrap, report) = try await launch()
        #expect(report.outcome == .completed && report["main-app"]?.outcome == .succeeded, "\(report.remarks)")
        #expect(report["fetch-config"]?.outcome == .fellBack && report["login"]?.notes == [])
        #expect(paths.withLock { $0 } == ["/oauth/token"])
        let isGuest = answer == .continueAsGuest
        #expect(bootstrap.service.storedSession().value?.isAnonymous == isGuest)
        #expect(report["configure"]?.notes.first?.contains("no REST") == true)
        if isGuest { return }
        // The account of the session is kept, and nobody is asked again.
        let (_, next) = try await launch()
        #expect(next.outcome == .completed && next["login"]?.notes == [], "\(next.remarks)")
        #expect(paths.withLock { $0 } == ["/oauth/token"])
        #expect(bootstrap.service.storedSession().value?.account?.email == "person@example.com")
    }

    @Test("a launch by a plan can have a journal, and a splash of the app's own minimum time")
    func journaled() throws {
        let journal = LaunchJournal.open(in: harness.directory, version: "1")
        let bootstrap = try harness.bootstrap(harness.plan())
        let environment = bootstrap.environment(presenters: StartupPresenters(), journal: journal, splashMinimum: .zero)
        #expect(environment.journal === journal && environment.splashMinimum == .zero)
    }

    @Test("without a plan the scenario fails at its beginning, and says what to do")
    func unplanned() async throws {
        let bootstrap = try harness.bootstrap(harness.plan())
        var environment = harness.environment(bootstrap, FakePerson())
        environment.bootstrap = nil
        let report = try await environment.graph(.bootstrap).run(
            budget: .seconds(3),
            options: LaunchOptions(clock: VirtualClock(), admission: .oneAtATime)
        ).report
        #expect(report.outcome.isFailure(of: "check-resources", saying: "the scenario bootstrap carries out a plan, and there is none"))
    }
}

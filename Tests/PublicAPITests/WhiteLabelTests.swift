import Foundation
import Sequencer
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// A white-label app, as it is made with the public API alone.
@Suite("Public API: a white-label app", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct WhiteLabelTests {
    private let service = JSONService()
    private let directory = StateDirectory.inMemory()
    private let done = Lines()

    private func plan() throws -> BootstrapPlan { try .complete() }

    private func bootstrap(_ plan: BootstrapPlan, _ source: (any APIDataSource)? = nil) throws -> Bootstrap {
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        return try Bootstrap(plan, app: app, directory: directory, http: service, dataSource: source)
    }

    /// Of one launch.
    private var options: LaunchOptions { LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime) }

    private func environment(_ bootstrap: Bootstrap, _ person: Person) -> StartupEnvironment {
        var presenters = StartupPresenters()
        (presenters.login, presenters.main, presenters.entryPoint) = (person, person, person)
        return bootstrap.environment(presenters: presenters)
    }

    private func launch(_ bootstrap: Bootstrap, _ person: Person = Person()) async throws -> LaunchReport {
        try await environment(bootstrap, person).graph(.bootstrap).run(options: options).report
    }

    private func action(_ name: String) -> BootstrapRegistration { .action(name) { done.add(name) } }

    // MARK: Registrations and parts

    @Test("B41, B63: an app has registrations of its own, with constraints of its own; one that is almost a known name is a mistake")
    func ownRegistrations() async throws {
        var plan = try plan()
        plan.registrations.append(action("map-tiles").constrained(by: .after("client-keys", because: "they are bought with them")))
        plan.registrations.append(action("chat-keys"))
        plan.coordinators = [action("journey-manager"), action("tab-coordinator")]
        plan.delegates = [action("delegates")]
        let bootstrap = try bootstrap(plan)
        let report = try await launch(bootstrap)
        #expect(report.outcome == .completed)
        #expect(done.all == ["map-tiles", "chat-keys", "journey-manager", "tab-coordinator", "delegates"])
        let parts = [
            "journey-manager", "tab-coordinator", "restore check", "anonymous check", "first-screen check", "delegates", "observers",
            "configuration",
        ]
        #expect(bootstrap.coordinatorParts == parts)
        let notes = (report["start-coordinator"]?.notes ?? []) + (report["fetch-config"]?.notes ?? [])
        #expect(notes.count == parts.count && zip(notes, parts).allSatisfy { $0.hasPrefix("coordinator, \($1): ") }, "\(notes)")
        let started = try #require(report["start-coordinator"]?.end)
        let (fetched, watched) = try (#require(report["fetch-config"]?.start), #require(report["install-observers"]?.start))
        #expect(started <= fetched && started <= watched)

        let tiles = plan.registrations.remove(at: 6)
        plan.registrations.insert(tiles, at: 1)
        plan.registrations.append(action("image-codek"))
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        let required = "client-keys, core-keys, screen-configuration, ui-configuration, analytics"
        #expect(
            error?.problems == [
                "map-tiles must come after \(required): what an app registers of its own may use all of these",
                "map-tiles must come after client-keys: they are bought with them",
                "image-codek is almost the name of another registration: did you mean image-codec?",
            ]
        )
    }

    @Test("B63: two actions or observers of one name are refused, and so is a constraint by a name that is misspelled")
    func names() throws {
        var plan = try plan()
        plan.registrations += [action("chat-keys"), action("chat-keys")]
        plan.observers = ["user", "user"].map { BootstrapObserver($0) { _ in } }
        let remedy = "give each a name of its own, or make one action of both"
        let twiceProblem = "chat-keys was registered twice and is an action: \(remedy)"
        let twice = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(
            twice?.problems == [
                twiceProblem,
                "there are two observers named user: rename one",
            ]
        )
        plan.observers = []
        let tiles = action("map-tiles").constrained(by: .after("chat-kays", because: "they are unlocked with them"))
        plan.registrations[plan.registrations.count - 1] = tiles
        let misspelled = #expect(throws: RegistryError.self) { try plan.validate() }
        let problem = "map-tiles must come after chat-kays, which nobody registers: did you mean chat-keys?"
        #expect(misspelled?.problems == [problem])
    }

    @Test("B63: a blank name and a registration after itself are refused; one after what the plan has not is a finding")
    func idleConstraints() throws {
        var plan = try plan()
        plan.registrations += [
            action(" "), action("y").constrained(by: .after("y", because: "r")),
            action("x").constrained(by: .after("nope", because: "r"), .after("client-keys", because: "r")),
        ]
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(
            error?.problems == [
                "a registration has a blank name: give it one", "y cannot come after itself: name another registration",
            ]
        )
        plan.registrations.removeSubrange(6...7)
        let finding = "a registration may come too early: x has to come after nope, which nobody registers in this plan"
        #expect(try bootstrap(plan).findings == [finding])
    }

    /// A registration, the one that it is moved in front of, and what is said then.
    private static let violations = [
        ("client-keys", "platform", "platform: a crash while keys are read has to be reported"),
        ("core-keys", "platform", "platform: the core counts events as soon as it has its keys"),
        ("screen-configuration", "client-keys", "client-keys: screens lead to addresses that are among the client's keys"),
        ("ui-configuration", "client-keys", "client-keys: the theme is the client's"),
        ("analytics", "client-keys", "client-keys: events are sent with the client's keys"),
        ("settings", "analytics", "analytics: what an app registers of its own may use all of these"),
        ("map-tiles", "analytics", "analytics: what an app registers of its own may use all of these"),
    ]

    @Test(
        "B2, B63: each violation of the order says both names and a reason of its own; keys come in any order",
        arguments: WhiteLabelTests.violations
    )
    func violation(name: String, predecessor: String, reason: String) throws {
        var plan = try plan()
        plan.registrations += [action("settings"), action("map-tiles")]
        plan.registrations.swapAt(1, 2)
        try plan.validate()
        let place = try #require(plan.registrations.firstIndex { $0.name == name })
        let moved = plan.registrations.remove(at: place)
        plan.registrations.insert(moved, at: try #require(plan.registrations.firstIndex { $0.name == predecessor }))
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(error?.problems.contains("\(name) must come after \(reason)") == true, "\(error?.problems ?? [])")
        let root = "\(name) was registered before platform, which must come first of all: "
        #expect(error?.problems.contains { $0.hasPrefix(root) } == (predecessor == "platform"))
    }

    @Test("B28, B36, B63: so does what is registered on the wrong side of the configuration, the modules or the coordinator")
    func violationOfPhase() throws {
        func problems(_ change: (inout BootstrapPlan) -> Void) throws -> [String] {
            var plan = try plan()
            plan.modules = [BootstrapModule("shop") { _ in "shop" }]
            change(&plan)
            let error = #expect(throws: RegistryError.self) { try plan.validate() }
            return error?.problems ?? []
        }
        let late = try problems { plan in
            plan.delegates = [plan.registrations.remove(at: 1)]
            plan.moduleDelegates = [action("settings")]
        }
        #expect(late.contains("configuration must come after client-keys: its client is made with them"))
        #expect(late.contains("configuration must come after settings: those that are written later do not count in this launch"))
        for (name, reason) in [
            ("module-delegates", "configuration: they answer modules, which work with it"),
            ("delegates", "configuration: they are handed to objects that it makes"),
            ("modules", "configuration: they work with its client, and with its user"),
            ("coordinator", "modules: its screens are made with them"),
            ("observers", "coordinator: they live as long as the app, and tell the coordinator"),
        ] {
            let early = try problems { $0.registrations.append(action(name)) }
            #expect(early.contains("\(name) must come after \(reason)"), "\(early)")
        }
    }

    @Test("B11, B12, B15: a launch goes by what its registrations and its modules' preparations have set, and by nothing that is set later")
    func settings() async throws {
        let told = Lines()
        @Sendable func settings() -> Settings { Settings(directory.settings) { told.add($0) } }
        service.answer("/v1/entitlements", #"{"entitlements":[]}"#)
        service.answer("/oauth/token", #"{"access_token":"\#(Secret.token(expiringIn: 3600).value)","expires_in":3600}"#)
        var plan = try plan()
        plan.registrations.append(.action("settings") { try settings().set(true, for: .presentsSubscriptionAfterLogin) })
        plan.modules = [
            BootstrapModule(
                "shop",
                prepare: { try settings().set(true, for: .showsSplashVideo) },
                make: { _ in
                    try settings().set(false, for: .presentsSubscriptionAfterLogin, by: "shop")
                    return "shop"
                }
            )
        ]
        let bootstrap = try bootstrap(plan)
        let person = Person(.logIn(email: "ada@example.com", password: "correct horse"))
        let report = try await launch(bootstrap, person)
        #expect(report.outcome == .completed && report["paywall"]?.outcome == .succeeded)
        #expect(await person.shown == ["paywall", "main"])
        // An app without a splash shows no video either: its step has met the condition.
        #expect(bootstrap.firstScreenGate?.diagnosis.contains("splashVideoDone (set by splash video, after ") == true)
        #expect(told.all.count == 1 && told.all.first?.contains("was written by shop after the launch was configured") == true)
        let next = Person()
        let second = try self.plan()
        #expect(try await launch(self.bootstrap(second), next)["paywall"] == nil)
        #expect(await next.shown == ["main"])
    }

    @Test("B11, B16: an offer that a module's preparation sets is too late for the graph: it is reported")
    func lateOffer() async throws {
        service.answer("/v1/entitlements", #"{"entitlements":[]}"#)
        let person = personWhoLogsIn()
        let directory = directory
        var plan = try plan()
        plan.modules = [
            BootstrapModule(
                "shop",
                prepare: { try Settings(directory.settings).set(true, for: .presentsSubscriptionOnEveryStart) },
                make: { _ in "shop" }
            )
        ]
        let first = try await launch(bootstrap(plan), person)
        #expect(first.outcome == .completed && first["paywall"] == nil)
        let lateness = "the offer of a subscription was set after the launch's graph was made, "
        func isTold(_ report: LaunchReport) -> Bool? { report["main-app"]?.notes.contains { $0.hasPrefix(lateness) } }
        #expect(isTold(first) == true)
        let second = try await launch(bootstrap(plan))
        #expect(second["paywall"]?.outcome == .succeeded && isTold(second) == false)
    }

    /// Ada, whom the service knows.
    private func personWhoLogsIn() -> Person {
        service.answer("/oauth/token", #"{"access_token":"\#(Secret.token(expiringIn: 3600).value)"}"#)
        return Person(.logIn(email: "ada@example.com", password: "correct horse"))
    }

    /// Who says that accounts are restored.
    enum Restoring: CaseIterable { case setting, registration, plan, nobody }

    @Test(
        "B11, B22, B23: to keep the session of an earlier installation, the setting is enough, or the plan",
        arguments: Restoring.allCases
    )
    func restoring(by: Restoring) async throws {
        let person = personWhoLogsIn()
        #expect(try await launch(bootstrap(plan()), person).outcome == .completed)
        service.answer("/oauth/token", #"{"access_token":"token","refresh_token":"refresh","expires_in":3600}"#)
        // The app was deleted and installed again: of its state, the secrets are left.
        let again = StateDirectory.inMemory(secure: directory.secure)
        @Sendable func restore() throws { try Settings(again.settings).set(true, for: .enablesRestoreAccount) }
        var plan = try plan()
        switch by {
        case .setting: try restore()
        case .registration: plan.registrations.append(.action("settings") { try restore() })
        case .plan: plan.enablesRestoreAccount = true
        case .nobody: break
        }
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        let bootstrap = try Bootstrap(plan, app: app, directory: again, http: service)
        let report = try await launch(bootstrap)
        #expect(report.outcome == .completed)
        #expect(report["restore-account"]?.outcome == (by == .nobody ? .skipped : .succeeded))
        #expect(bootstrap.findings.map { $0.hasPrefix("the person is logged out: ") } == (by == .nobody ? [true] : []))
    }

    @Test("B11, B16: an offer that is set before the graph is made counts, though the environment was made before that")
    func offerBeforeGraph() async throws {
        service.answer("/v1/entitlements", #"{"entitlements":[]}"#)
        let environment = environment(try bootstrap(plan()), personWhoLogsIn())
        try Settings(directory.settings).set(true, for: .presentsSubscriptionOnEveryStart)
        let report = try await environment.graph(.bootstrap).run(options: options).report
        #expect(report["paywall"]?.outcome == .succeeded)
        #expect(report["main-app"]?.notes.contains { $0.hasPrefix("the offer of a subscription") } == false)
    }

    @Test("B2, B65: a step of the app's own that does not wait for the registrations is a finding, and a note")
    @MainActor
    func earlySteps() async throws {
        let bootstrap = try bootstrap(plan())
        var graph = environment(bootstrap, Person()).graph(.bootstrap)
        graph.addPrologue("clock") {}
        graph.add("prefetch") {}
        graph.add("both", after: "prefetch", "register") {}
        graph.add("late", after: "register") {}
        graph.add("first") {}
        graph.addDependency("first", to: "register")
        let report = try await graph.run(options: options).report
        let early = ["prefetch", "first"].map {
            "\($0) does not wait for register, and may come before the platform: add it after: \"register\""
        }
        #expect(report.outcome == .completed && report["register"]?.notes.prefix(2) == early[...])
        #expect(bootstrap.findings == early.map { "a step may start too early: \($0)" })
    }

    @Test("B11, fault S2: a setting that cannot be stored counts in this launch all the same")
    func unsavedSetting() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "white-label-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = StateDirectory.open(at: folder)
        // A file is in the place of the folder.
        try FileManager.default.removeItem(at: folder.appending(path: "settings"))
        try Data().write(to: folder.appending(path: "settings"))
        #expect(throws: StorageError.self) { try Settings(directory.settings).set(.dismissable, for: .onboarding) }
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        let bootstrap = try Bootstrap(plan(), app: app, directory: directory, http: service)
        #expect(bootstrap.environment(presenters: StartupPresenters()).facts().onboarding == .dismissable)
    }

    @Test("B20: the parts of the configuration are made in their order, which the report of the launch has, and each has done something")
    func parts() async throws {
        let tracker = Tracker(lines: done)
        var plan = try plan()
        (plan.analytics, plan.crashLoggers) = ([tracker], [tracker])
        let bootstrap = try bootstrap(plan)
        let report = try await launch(bootstrap)
        let parts = [
            "network", "user service", "token listener", "first-launch session", "notifications", "device", "current user",
            "crash loggers", "app starts", "vendor identifier",
        ]
        #expect(bootstrap.configurationParts == parts)
        let notes = try #require(report["configure"]?.notes)
        #expect(notes.count == parts.count && zip(notes, parts).allSatisfy { $0.hasPrefix("configuration, \($1): ") }, "\(notes)")
        #expect(notes[1].hasSuffix("the absence of a session") && notes[9].hasSuffix("kept in the settings"))
        let device = try bootstrap.configuration().deviceIdentifier
        #expect(done.all.prefix(2) == ["events of nobody", "crashes of nobody on \(device)"])
        let next = try self.bootstrap(plan)
        #expect(try await launch(next).outcome == .completed)
        #expect(try next.configuration().deviceIdentifier == device)
    }

    @Test("B41: the coordinator hears of a logout after the launch: what waits for that account is handed to nobody else")
    func logout() async throws {
        service.answer("/oauth/token", #"{"access_token":"\#(Secret.token(expiringIn: 3600).value)","expires_in":3600}"#)
        let bootstrap = try bootstrap(plan())
        let environment = environment(bootstrap, Person(.logIn(email: "ada@example.com", password: "correct horse")))
        #expect(try await environment.graph(.bootstrap).run(options: options).report.outcome == .completed)
        let mailbox = environment.mailbox
        func take() async -> Int {
            mailbox.receive(.shortcut(ShortcutItem("play")), for: "ada")
            return await mailbox.deliver { _ in }
        }
        #expect(await take() == 1)
        let accounts = try bootstrap.configuration().service
        await accounts.logOut(because: "requested")
        // It is told in a task of its own.
        let end = ContinuousClock.now + .seconds(300)
        while await take() == 1, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(mailbox.waiting().count == 1)
    }

    @Test("B44: the first screen's gate says of each condition who sets it, whether it is met by default, and since when it is met")
    func conditions() async throws {
        let now = Lines()
        let gate = ReadinessGate(
            "first-screen",
            [
                GateCondition("video", setBy: "splash", because: "it is to be seen", isMetByDefault: true),
                GateCondition("configuration", setBy: "fetch-config", because: "the screen is chosen by it"),
                GateCondition("flags", setBy: "fetch-flags", because: "onboarding is chosen by them"),
            ],
            elapsed: { .milliseconds(now.all.count * 100) }
        )
        for _ in 1...3 { now.add("later") }
        gate.meet("configuration", by: "the cache")
        let met = "video (set by splash, by default), configuration (set by fetch-config, after 300 ms by the cache)"
        let unmet = "flags (set by fetch-flags, unmet for 300 ms: onboarding is chosen by them)"
        #expect(gate.diagnosis == "first-screen is waiting for: \(unmet); met: \(met)")
        now.add("later")
        gate.meet("flags")
        #expect(gate.diagnosis == "first-screen opened after 400 ms; met: \(met), flags (set by fetch-flags, after 400 ms)")

        let bootstrap = try bootstrap(plan())
        #expect(try await launch(bootstrap).outcome == .completed)
        let diagnosis = try #require(bootstrap.firstScreenGate?.diagnosis)
        for (condition, setter) in [
            ("splashVideoDone", "splash video, by default"), ("splashControllerEnded", "splash controller, by default"),
            ("configurationPresent", "fetch-config, after "), ("initialFlagsRefreshed", "fetch-flags, after "),
            ("userKnown", "start-coordinator, after "),
        ] {
            #expect(diagnosis.contains("\(condition) (set by \(setter)"), "\(diagnosis)")
        }
    }

    @Test("B46: a first launch without flags says that there are none")
    func flags() async throws {
        service.answer("/v1/flags", status: 500)
        #expect(try await launch(bootstrap(plan()))["fetch-flags"]?.notes == ["no flags are known yet, so none count"])
    }

    @Test("B58: a shortcut is kept while the app is in the background, and performed once it has become active, in a launch and later")
    @MainActor
    func shortcut() async throws {
        let person = Person()
        let environment = environment(try bootstrap(plan()), person)
        let lifecycle = environment.lifecycle
        person.whenShown = { lifecycle.send(.didEnterBackground) }
        environment.mailbox.receive(.shortcut(ShortcutItem("play")))
        var graph = environment.graph(.bootstrap)
        graph.add("to-the-front", after: "main-app", on: .main) { step in
            try await step.sleep(for: .seconds(5))
            person.note("active")
            lifecycle.send(.didBecomeActive)
        }
        #expect(try await graph.run(options: options).report.outcome == .completed)
        #expect(person.shown == ["main", "active", "play"])

        lifecycle.send(.didEnterBackground)
        environment.mailbox.receive(.shortcut(ShortcutItem("search")))
        lifecycle.send(.didBecomeActive)
        let resume = Scenario(for: environment.facts(isRunning: true))
        #expect(try await environment.graph(resume).run(options: options).report.outcome == .completed)
        #expect(person.shown.suffix(2) == ["became active", "search"] && environment.mailbox.waiting().isEmpty)
    }

    @Test("B3: of an empty plan, what the app has to register is said, and nothing that follows from it")
    func emptyPlan() throws {
        let plan = BootstrapPlan(endpoints: try APIEnvironment(graphQL: "https://api.example.com/graphql"))
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(error?.problems.count == 6)
        #expect(error?.problems.allSatisfy { $0.contains(" is required and was not registered") } == true)
    }

    @Test("B2, B3: of a plan without its platform, only that is said")
    func noPlatform() throws {
        var plan = try plan()
        plan.registrations.removeFirst()
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(error?.problems == ["platform is required and was not registered; register it first of all"])
    }

    @Test("B5, B63: two modules or SDKs of one name, an SDK after an unknown one, and a circle of SDKs are refused")
    func stepsOfPlan() throws {
        func sdk(_ name: String, after others: String...) -> ThirdPartySDK {
            ThirdPartySDK(name, after: others) { _ in }
        }
        func problems(_ change: (inout BootstrapPlan) -> Void) throws -> [String] {
            var plan = try plan()
            change(&plan)
            let error = #expect(throws: RegistryError.self) { try plan.validate() }
            return error?.problems ?? []
        }
        let module = BootstrapModule("shop") { _ in "shop" }
        let twice = "operations 1 and 2 have the same identifier"
        #expect(try problems { $0.modules = [module, module] } == ["\(twice) 'prepare-shop'; each needs its own"])
        let blank = try problems {
            $0.modules = [BootstrapModule("") { _ in "shop" }]
            $0.thirdParties = [sdk("")]
            $0.observers = [BootstrapObserver(" ") { _ in }]
        }
        #expect(blank == ["a module", "an SDK", "an observer"].map { "\($0) has a blank name: give it one" })
        let ads = try problems { $0.thirdParties = [sdk("ads"), sdk("ads")] }
        #expect(ads == ["\(twice) 'sdk-ads'; each needs its own"])
        let unknown = try problems { $0.thirdParties = [sdk("ads", after: "consent")] }
        #expect(unknown == ["sdk-ads waits for 'sdk-consent', which is not in the graph"])
        let circle = try problems { $0.thirdParties = [sdk("ads", after: "mail"), sdk("mail", after: "ads")] }
        #expect(circle.count == 1 && circle.first?.hasPrefix("cycle: ") == true, "\(circle)")
    }

    @Test("B4, B17, B19, B26: modules see who is there and whether the launch is the first; starts of those who are logged in are counted")
    func configuration() async throws {
        var plan = try plan()
        plan.modules = [
            BootstrapModule("shop") { [done] in
                done.add(
                    "first \($0.isFirstLaunch), \($0.session.map { "\($0.userID ?? "unknown"), guest \($0.isAnonymous)" } ?? "nobody")"
                )
                return "shop"
            }
        ]
        let first = try bootstrap(plan)
        let error = #expect(throws: RegistryError.self) { try first.configuration(for: "the shop's window") }
        #expect(error?.description.hasPrefix("the shop's window asked for the configuration before it was made") == true)
        service.answer("/oauth/token", #"{"access_token":"\#(Secret.token(expiringIn: 3600).value)","expires_in":3600}"#)
        let person = Person(.logIn(email: "ada@example.com", password: "correct horse"))
        #expect(try await launch(first, person).outcome == .completed)
        let content = await person.content
        #expect(content?.configuration.source == .remote && content?.account.name == "Ada")
        let second = try bootstrap(plan)
        #expect(try await launch(second).outcome == .completed)
        #expect(done.all == ["first true, nobody", "first false, ada, guest false"])
        #expect(directory.launchState().appStarts == 2)
    }

    @Test("B54, B57: the end of the main screen's step is told once; the link that started the app is followed after that screen")
    @MainActor
    func link() async throws {
        let tabs = DeepLinkParameter.oneOf("tab", ["sound", "room"], isRequired: false)
        let route = DeepLinkRoute("speaker", path: "/speakers/{id}", parameters: [.uuid("id"), tabs])
        let router = try DeepLinkRouter(origins: [DeepLinkOrigin("https", "music.example")], routes: [route])
        let address = "https://music.example/speakers/6F9619FF-8B86-D011-B42D-00C04FC964FF"
        for wrong in ["https://music.example/speakers/7", address + "?tab=kitchen"] {
            #expect(throws: DeepLinkError.self) { try router.link(wrong) }
        }
        let person = Person()
        let environment = environment(try bootstrap(plan()), person)
        environment.mailbox.receive(.link(try router.link(address + "?tab=room")))
        var options = options
        options.observers.append { [done] in if $0.kind == .ended("main-app", .succeeded) { done.add("main screen") } }
        #expect(try await environment.graph(.bootstrap).run(options: options).report.outcome == .completed)
        #expect(person.shown == ["main", "speaker, room"])
        #expect(done.all == ["main screen"])
    }

    // MARK: Findings

    @Test("B65: under an update that has taken over, nobody waits for the first screen")
    func findingsOfUpdate() async throws {
        let configured = Signal()
        service.answer("/v1/version-policy", #"{"minimumVersion":"2.0.0"}"#, after: configured)
        service.answer("/v1/configuration", after: Signal())
        var plan = try plan()
        // By then the gate of the first screen is there.
        plan.delegates = [.action("delegates") { configured.give() }]
        let bootstrap = try bootstrap(plan)
        #expect(try await launch(bootstrap).outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(bootstrap.firstScreenGate?.diagnosis.contains("is waiting for") == true && bootstrap.findings == [])
    }

    @Test("B65, B66: an onboarding of the feature flags that comes after somebody was asked to log in is a finding of a first launch, too")
    func findingsOfOnboarding() async throws {
        let asked = Signal()
        service.answer("/v1/flags", #"{"features":{},"onboarding":"none"}"#, after: asked)
        let bootstrap = try bootstrap(plan())
        #expect(try await launch(bootstrap, Person(whenAsked: asked)).outcome == .completed)
        let finding = "the onboarding is not the one that was configured: regular counted in this launch, none is configured: "
        #expect(bootstrap.findings.map { $0.hasPrefix(finding) } == [true])
    }

    @Test("B34, B65: a missing image codec is a finding where images cannot be shown, and nowhere else")
    func findingsOfImages() async throws {
        let bootstrap = try bootstrap(plan())
        #expect(try await launch(bootstrap).outcome == .completed)
        #expect(bootstrap.findings == [])
        bootstrap.imageCouldNotBeDecoded()
        let cause = "image-codec was not registered; register one before the coordinator starts"
        #expect(bootstrap.findings == ["images stay empty: 1 could not be decoded: \(cause)"])
    }

    @Test("B65: a push that waits for another account, or for the launch after an update, is no finding")
    @MainActor
    func findingsOfPushes() async throws {
        func push(_ json: String) throws -> EntryPoint {
            .push(try PushPayloadParser(categories: []).payload(from: Data(json.utf8)))
        }
        let bootstrap = try bootstrap(plan())
        let environment = environment(bootstrap, Person())
        environment.mailbox.receive(try push(#"{"aps":{"alert":"b"},"account":"bob"}"#))
        #expect(bootstrap.findings == [])
        #expect(try await environment.graph(.bootstrap).run(options: options).report.outcome == .completed)
        #expect(environment.mailbox.waiting().count == 1 && bootstrap.findings == [])

        service.answer("/v1/version-policy", #"{"minimumVersion":"2.0.0"}"#)
        let second = try self.bootstrap(plan())
        let stopped = self.environment(second, Person())
        stopped.mailbox.receive(try push(#"{"aps":{"alert":"b"}}"#))
        #expect(try await stopped.graph(.bootstrap).run(options: options).report.outcome.name == "aborted")
        #expect(!second.findings.contains { $0.hasPrefix("a push") })
    }

    @Test("B65, B70: a file that is missing is a finding")
    func findingsOfFiles() async throws {
        var plan = try plan()
        plan.resources = [RequiredResource("Keys.plist", at: nil, because: "the platform reads its keys there")]
        let bootstrap = try bootstrap(plan)
        #expect(try await launch(bootstrap).outcome.name == "failed")
        let finding = "set-up is missing or misordered: Keys.plist is needed"
        #expect(bootstrap.findings.map { $0.hasPrefix(finding) } == [true])
    }

    // MARK: Tokens

    @Test("C6, C14, C18: tokens come from an app's own source and are refreshed there; none that has expired is sent")
    func tokens() async throws {
        let source = Tokens()
        let first = try bootstrap(plan(), source)
        let person = Person(.logIn(email: "ada@example.com", password: "correct horse"))
        #expect(try await launch(first, person).outcome == .completed)
        #expect(await person.content?.account.name == "Ada")
        #expect(source.asked.all == ["logged in as ada@example.com"])

        let expired = Session.ada(expiringIn: -60)
        source.set(.value(expired))
        let second = try bootstrap(plan(), source)
        #expect(try await launch(second).outcome == .completed)
        #expect(source.asked.all.dropFirst() == ["refreshed"])
        #expect(service.requests(for: "/oauth/token").isEmpty)
        let bearers = service.requests(for: "/v1/profile").map { $0.headers["Authorization"] }
        #expect(bearers.count > 1 && !bearers.contains("Bearer \(expired.accessToken.value)"))
        #expect(bearers.last == "Bearer \(source.session.value?.accessToken.value ?? "")")

        // Whoever logs out there is logged out here, and the other way round.
        source.set(.absent)
        let accounts = try second.configuration().service
        #expect(accounts.storedSession().value == nil)
        source.set(.value(.ada(expiringIn: 3600)))
        #expect(accounts.storedSession().value?.userID == "ada")
        await accounts.logOut(because: "requested")
        #expect(source.session.value == nil && source.asked.all.last == "ended")
    }

    @Test("C18: a session that an app opens with a token that has expired is refreshed before its first use")
    func expired() async throws {
        let expired = Session.ada(expiringIn: -60, "refresh")
        let tokens = TokenManager(store: SessionStore(directory.secure)) { _, _ in .ada(expiringIn: 3600) }
        let client = APIClient(
            try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: "https://api.example.com"),
            client: ClientInfo(deviceID: "d", platform: "linux", appVersion: "1.0.0", language: "de"),
            http: service,
            cache: ResponseCache(store: directory.cache),
            tokens: tokens
        )
        tokens.begin(expired)
        _ = try await client.get("v1/profile", as: JSONValue.self, deadline: .never)
        let request = try #require(service.requests.last)
        #expect(request.headers["Authorization"] != nil)
        #expect(request.headers["Authorization"] != "Bearer \(expired.accessToken.value)")
    }

    // MARK: Languages

    @Test("C50: every request of a launch says the language of the app, and then that of its configuration; each can say another")
    func language() async throws {
        service.answer("/v1/configuration", #"{"version":"1","country":"DE","language":"fr"}"#)
        service.answer("/v1/news", "[]")
        // Of a session without a user no answer is kept.
        service.answer("/oauth/token", #"{"access_token":"\#(Secret.token(expiringIn: 3600).value)","expires_in":3600}"#)
        let bootstrap = try bootstrap(plan())
        #expect(try await launch(bootstrap).outcome == .completed)
        func languages(_ path: String) -> Set<String?> { Set(service.requests(for: path).map { $0.headers["Accept-Language"] }) }
        #expect(languages("/v1/countries") == ["de"] && languages("/v1/configuration") == ["de"])
        let client = try bootstrap.configuration().client
        // Of answers that are kept, those in another language are no answers.
        for language in [nil, "it", "it", nil] {
            let options = RequestOptions(requirement: .optional, cachePolicy: .returnCacheDataElseFetch, language: language)
            _ = try await client.get("v1/news", as: [String].self, options: options, deadline: .never)
        }
        #expect(service.requests(for: "/v1/news").map { $0.headers["Accept-Language"] } == ["fr", "it"])
    }
}

/// Answers the login form, and keeps what the main screen shows.
@MainActor
private final class Person: LoginPresenter, MainPresenter, EntryPointPresenter {
    private let answer: LoginAnswer
    private let whenAsked: Signal?
    private(set) var content: MainContent?
    private(set) var shown: [String] = []
    /// Called when the main screen is shown.
    var whenShown: @MainActor () -> Void = {}

    nonisolated init(_ answer: LoginAnswer = .continueAsGuest, whenAsked: Signal? = nil) {
        (self.answer, self.whenAsked) = (answer, whenAsked)
    }

    func askForLogin(problem: String?) async -> LoginAnswer {
        whenAsked?.give()
        return answer
    }
    func askForVerificationCode(of email: String, problem: String?) async -> Secret? { nil }
    func askToRestore(_ account: StoredSession) async -> Bool { true }
    func showMain(_ content: MainContent) async {
        self.content = content
        shown.append("main")
        whenShown()
    }
    func note(_ line: String) { shown.append(line) }
    func showPush(_ push: PushPayload) async {}
    func follow(_ link: DeepLink) async { shown.append("\(link.route), \(link.string("tab") ?? "no tab")") }
    func perform(_ shortcut: ShortcutItem) async { shown.append(shortcut.type) }
    func confirm(_ entryPoint: EntryPoint) async -> Bool { false }
    func showOnboarding() async {}
    func showPaywall() async { shown.append("paywall") }
    func becameActive() async { shown.append("became active") }
}

/// Is told whose events and crashes there are.
private struct Tracker: AnalyticsTracker, CrashLogger {
    let lines: Lines

    func identify(user: String?) { lines.add("events of \(user ?? "nobody")") }
    func identify(user: String?, device: String) { lines.add("crashes of \(user ?? "nobody") on \(device)") }
}

/// An app's own source of tokens.
private final class Tokens: TokenSource, @unchecked Sendable {
    // @unchecked: `lock` guards all of its state.
    let asked = Lines()
    private let lock = NSLock()
    private var current = StoredAnswer<Session>.absent

    var session: StoredAnswer<Session> { lock.withLock { current } }

    func set(_ session: StoredAnswer<Session>) { lock.withLock { current = session } }

    private func begin(_ session: Session, _ line: String) -> Session {
        asked.add(line)
        set(.value(session))
        return session
    }

    func requiresToken(operation: String) -> Bool { true }
    func refresh(_ session: Session, by deadline: Deadline) async -> Session? { begin(.ada(expiringIn: 3600), "refreshed") }
    func logIn(email: String, password: Secret, by deadline: Deadline) async -> Session {
        begin(.ada(expiringIn: 3600), "logged in as \(email)")
    }
    func logInAnonymously(by deadline: Deadline) async throws -> Session {
        throw NetworkError(.invalidRequest, request: "guest", "no guests")
    }
    func endSession() {
        asked.add("ended")
        set(.absent)
    }
}

import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples

@Suite("Bootstrap: phases, coordinator and resources", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapPhaseTests {
    @Test("B1: all of the process phase has ended when the first of the scene phase begins; a process phase that fails has no scene")
    func phases() async throws {
        let harness = BootstrapHarness()
        var plan = harness.plan()
        plan.modules = [BootstrapModule("shop") { _ in "shop" }]
        plan.thirdParties = [ThirdPartySDK("ads") { _ in }]
        let bootstrap = try harness.bootstrap(plan)
        let report = try await harness.launch(bootstrap)
        let process = ["check-resources", "register", "prepare-shop", "configure", "sdk-ads", "end-process-phase"]
        let scene = report.operations.filter { !process.contains($0.id) && $0.id != "force-update" && $0.outcome != .skipped }.map(\.id)
        #expect(scene.count == 12)
        #expect(report.isEnded(process, before: scene))
        #expect(bootstrap.phases.problems.isEmpty && bootstrap.phases.processGate.isOpen)

        let failing = BootstrapHarness()
        var broken = failing.plan()
        broken.registrations[0] = .action("platform") { throw CocoaError(.featureUnsupported) }
        let failed = try failing.bootstrap(broken)
        #expect(try await failing.launch(failed)["connect-scene"]?.outcome == .cancelled)
        #expect(!failed.phases.processGate.isOpen)
    }

    @Test("B64: an app's registrations are made on the main thread, wherever the launch was started")
    func mainThread() async throws {
        let harness = BootstrapHarness()
        let isMain = Locked<[Bool]>([])
        var plan = harness.plan()
        plan.registrations[0] = .action("platform") { isMain.withLock { $0.append(MainThreadCheck.isCurrent) } }
        plan.delegates = [.action("delegates") { isMain.withLock { $0.append(MainThreadCheck.isCurrent) } }]
        #expect(try await harness.launch(plan).outcome == .completed)
        #expect(isMain.withLock { $0 } == [true, true])
    }

    @Test("B41: the coordinator starts its parts in their order")
    func coordinator() async throws {
        let harness = BootstrapHarness()
        var plan = harness.plan()
        plan.modules = [BootstrapModule("shop") { _ in "shop" }, BootstrapModule("off", isActive: { false }) { _ in "off" }]
        plan.delegates = [.value("texts", for: "delegates")]
        let bootstrap = try harness.bootstrap(plan)
        let report = try await harness.launch(bootstrap)
        #expect(report.outcome == .completed)
        let notes = try #require(report["start-coordinator"]?.notes)
        let parts = ["restore check", "anonymous check", "first-screen check", "delegates", "observers"]
        #expect(notes.count == parts.count && zip(notes, parts).allSatisfy { $0.hasPrefix("coordinator, \($1): ") })
        #expect(notes[3].hasSuffix(": delegates"))
        // It was the configuration that the first screen waited for, and it has come.
        #expect(notes[2].contains("first-screen is waiting for: ") && notes[2].contains("configurationPresent (set by fetch-config"))
        #expect(bootstrap.firstScreenGate?.isOpen == true)
        #expect(bootstrap.registered.suffix(3) == ["coordinator", "delegates", "observers"])
    }

    @Test("B41, B43: a guest of an app that asks for an account is logged out before the first screen")
    func guest() async throws {
        let harness = BootstrapHarness()
        let first = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(first).outcome == .completed)
        #expect(first.service.storedSession().value?.isAnonymous == true)
        let second = try harness.bootstrap(harness.plan())
        let report = try await harness.launch(second)
        // Before the first screen: what comes after the check knows nobody any more.
        let user = second.firstScreenGate?.conditions.first { $0.condition.name == .userKnown }
        #expect(user?.source == "the absence of a session")
        #expect(
            report["start-coordinator"]?.notes.dropFirst().first
                == "coordinator, anonymous check: the guest's session was ended: onboarding is regular"
        )
    }

    @Test("B41: whether a guest may stay is said by the configuration that the launch goes by, not by the last one that was confirmed")
    func guestByKeptConfiguration() async throws {
        let harness = BootstrapHarness()
        #expect(try await harness.launch(harness.plan()).outcome == .completed)
        let configurations = ConfigurationStore(harness.directory.state)
        var kept = configurations.lastKnown.configuration
        kept.version = "kept"
        kept.onboarding = .dismissable
        try configurations.beginTrial(of: kept)
        let second = try harness.bootstrap(harness.plan())
        let report = try await harness.launch(second)
        #expect(report["start-coordinator"]?.notes.dropFirst().first == "coordinator, anonymous check: onboarding is dismissable")
        #expect(second.service.storedSession().value?.isAnonymous == true)
    }

    @Test(
        "B42: an account is offered on a first launch, when somebody is logged in and the app restores accounts, and in no other of the eight cases"
    )
    func restoreTable() async throws {
        var offered = 0
        for bits in 0..<8 {
            let (isFirst, isLoggedIn, isConfigured) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
            let decision = RestoreDecision(isFirstLaunch: isFirst, isLoggedIn: isLoggedIn, hasRestoreConfiguration: isConfigured)
            #expect(decision.isOffered == (bits == 7), "\(decision)")

            let harness = BootstrapHarness(restoreAccount: isConfigured)
            if isLoggedIn { try await harness.leaveSession() }
            if !isFirst { try harness.leaveCompletedLaunch() }
            var plan = harness.plan()
            plan.enablesRestoreAccount = true
            let person = FakePerson(logins: [.continueAsGuest])
            let report = try await harness.launch(plan, person)
            #expect(report.outcome == .completed, "\(bits)")
            #expect(report["first-screen"]?.notes == [decision.description])
            #expect(report["restore-account"]?.outcome == (decision.isOffered ? .succeeded : .skipped), "\(bits)")
            let asked = person.shown.withLock { $0 }
            #expect(asked.contains("restore") == decision.isOffered)
            // Who is logged in is not asked again, restored or not.
            #expect(asked.contains("login: -") == !isLoggedIn, "\(bits)")
            if asked.contains("restore") { offered += 1 }
        }
        #expect(offered == 1)
    }

    @Test("B62: the account is offered when the app is configured and its configuration fetched, and not before")
    func restoreWaits() async throws {
        let harness = BootstrapHarness(restoreAccount: true)
        try await harness.leaveSession()
        var plan = harness.plan()
        plan.enablesRestoreAccount = true
        let report = try await harness.launch(plan, FakePerson())
        #expect(report["restore-account"]?.outcome == .succeeded)
        #expect(report.isEnded(["configure", "fetch-config"], before: ["restore-account"]))
        var (ancestors, pending) = (Set<String>(), ["restore-account"])
        while let id = pending.popLast() {
            for dependency in report[id]?.dependencies ?? [] where ancestors.insert(dependency).inserted { pending.append(dependency) }
        }
        #expect(ancestors.isSuperset(of: ["configure", "fetch-config"]))
    }

    @Test(
        "B70: a required file that is missing, empty or no file ends the launch before anything is registered, and is named with what needs it"
    )
    func resources() async throws {
        let folder = try TemporaryFolder()
        let name = "GoogleService-Info.plist"
        try Data().write(to: folder("empty"))
        let problems: [(URL?, String)] = [
            (nil, "it is not among the app's files"), (folder(name), "there is no such file"), (folder("empty"), "it is empty"),
            (folder.url, "it cannot be read"),
        ]
        for (location, problem) in problems {
            let harness = BootstrapHarness()
            var plan = harness.plan()
            plan.resources = [RequiredResource(name, at: location, because: "the platform is configured by it")]
            let report = try await harness.launch(plan)
            let message = "\(name) is needed, because the platform is configured by it, and \(problem); add it to the app's target"
            #expect(report.outcome == .failed(operation: "check-resources", message: message))
            #expect(harness.done.isEmpty)
            #expect(report["register"]?.outcome == .cancelled)

            plan.resources = [RequiredResource(name, at: location, isRequired: false, because: "the platform is configured by it")]
            let optional = try await harness.launch(plan)
            #expect(optional.outcome == .completed)
            #expect(optional["check-resources"]?.notes == [message])
        }
        let harness = BootstrapHarness()
        try Data("<plist/>".utf8).write(to: folder(name))
        var plan = harness.plan()
        plan.resources = [RequiredResource(name, at: folder(name), because: "the platform is configured by it")]
        let report = try await harness.launch(plan)
        #expect(report.outcome == .completed && report["check-resources"]?.notes == [])
    }

    private let harness = BootstrapHarness()

    @Test("B34: image decoders are registered before the coordinator starts")
    func imageCodec() async throws {
        let bootstrap = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        let order = bootstrap.registered.filter { ["image-codec", "coordinator"].contains($0) }
        #expect(order == ["image-codec", "coordinator"])
    }

    @Test("B28, B35: what modules ask of the app is registered after the configuration, and before any module is made")
    func moduleDelegates() async throws {
        let order = Locked<[String]>([])
        var plan = harness.plan()
        plan.moduleDelegates = [.action("module-delegates") { order.withLock { $0.append("delegates") } }]
        plan.modules = [
            BootstrapModule("shop") { _ in
                order.withLock { $0.append("shop") }
                return "shop"
            }
        ]
        let bootstrap = try harness.bootstrap(plan)
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        #expect(order.withLock { $0 } == ["delegates", "shop"])
        #expect(bootstrap.registered.filter { ["configuration", "module-delegates"].contains($0) }.last == "module-delegates")
        plan.registrations += plan.moduleDelegates
        plan.moduleDelegates = []
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(
            error?.description == "module-delegates must come after configuration: they answer modules, which work with it"
        )
    }
}

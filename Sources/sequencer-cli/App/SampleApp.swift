import Foundation
import Sequencer
import StartupNetworking
import StartupOps
import StartupSamples
import StartupStorage

/// The app behind the built-in scenarios: a music player with a speaker, complete but for its music.
///
/// Everything is real: requests, tokens, stored state, the connection to the speaker. Unless a backend is named, the
/// services and the speaker are in this process.
struct SampleApp {
    let environment: StartupEnvironment
    /// The services and the speaker of this process; nil with a backend of one's own.
    private let embedded: (backend: EmbeddedBackend, speaker: LoopbackSpeaker)?
    private let tokenWarnings: Task<Void, Never>
    private let lateDecision = Locked<UpdateDecision?>(nil)

    /// The version the app has unless told otherwise.
    static let version = SemanticVersion(1)

    /// - Parameters:
    ///   - screens: asks the user; nil when defaults answer.
    ///   - device: nil for a launch that writes nothing down.
    init(_ arguments: RunArguments, screens: TerminalScreens?, on device: JournaledDevice? = nil) throws {
        let directory = device?.directory ?? Self.directory(arguments.state)
        for problem in directory.problems { message(problem.description) }
        let app = AppInfo(
            version: try Self.version(arguments),
            region: arguments.region ?? .current(ProcessInfo.processInfo.environment)
        )
        let requiresUpdate = arguments.injections.contains(where: \.requiresUpdate)

        let (url, http): (URL, HTTPClient)
        if let backend = arguments.backend {
            (url, http) = (backend, HTTPClient())
            embedded = nil
        } else {
            let embedded = try Self.startEmbedded(directory, for: arguments.scenario)
            if requiresUpdate { embedded.backend.service.requireUpdate() }
            // Served in this process: the client's real code runs, and no port is open to other processes.
            (url, http) = (embedded.backend.baseURL, HTTPClient(over: embedded.backend))
            self.embedded = embedded
        }
        let plan = Self.plan(for: url, app, directory)
        // All steps share a service: two token managers would use the same refresh token, which is good for one use
        // (T24).
        let bootstrap = try Bootstrap(plan, app: app, directory: directory, http: http)
        let service = bootstrap.service
        tokenWarnings = Self.warn(of: service.tokens)
        // The services of this process have been told; others have not.
        let updates: any UpdatePolicyService = requiresUpdate && embedded == nil ? RequiredUpdate() : service
        var environment = StartupEnvironment(
            app: app,
            services: StartupServices(
                updates: updates,
                configurations: service,
                accounts: service,
                entitlements: service,
                speakers: service.client.speakers(connectedBy: TCPSpeakerConnector(clientName: "sequencer-cli"))
            ),
            presenters: StartupPresenters(all: SamplePresenter(screens)),
            directory: directory,
            journal: device?.journal
        )
        environment.bootstrap = bootstrap
        environment.lateUpdateDecision = { [lateDecision] decision in lateDecision.withLock { $0 = decision } }
        environment.updatePolicyProblem = { message("warning: the update policy could not be kept for the next launch: \($0)") }
        self.environment = environment
        // Last: it may throw, and puts the push into the mailbox of the environment that has just been made.
        try receiveEntryPoints(arguments)
    }

    /// Says when new tokens cannot be stored: the user has to log in again then, in the next launch.
    private static func warn(of tokens: TokenManager) -> Task<Void, Never> {
        // Before the task begins, so that it misses no event.
        let events = tokens.events
        return Task {
            for await event in events {
                if case .notStored(let problem) = event {
                    message("warning: the session could not be stored, and would be forgotten if the app ended now: \(problem)")
                }
            }
        }
    }

    /// Closes the connections to speakers, and gives up an update check that continues.
    func close() {
        tokenWarnings.cancel()
        environment.devices.closeAll()
        environment.lateUpdateCheck.cancel()
    }

    /// Waits for an update check that has outlasted the launch, ten seconds at most: an app continues, but the tool
    /// ends.
    ///
    /// - Returns: a decision against this version that came when the launch was over.
    func lateUpdateDecision() async -> UpdateDecision? {
        let check = environment.lateUpdateCheck
        if check.isPending {
            let patience = Task {
                // A silent second looks like a hang.
                try await Task.sleep(for: .seconds(1))
                message("the launch has ended; waiting for the update check, ten seconds at most")
                try await Task.sleep(for: .seconds(9))
                message("the update check had no answer; the next launch asks again")
                // It makes the wait below end.
                check.cancel()
            }
            await check.end()
            // Otherwise it would tell later on that the check went unanswered.
            patience.cancel()
        }
        return lateDecision.withLock { $0 }
    }

    static func directory(_ path: String?) -> StateDirectory {
        // Files that were damaged and put aside, repaired, refused, or kept locked by another process.
        let warn: @Sendable (StorageError) -> Void = { message("warning: \($0)") }
        guard let path else { return .openDefault(onProblem: warn) }
        return .open(at: URL(fileURLWithPath: path, isDirectory: true), onProblem: warn)
    }

    static func version(_ arguments: RunArguments) throws(UsageError) -> SemanticVersion {
        guard let text = arguments.appVersion else { return version }
        return try arguments.value(of: "app-version") {
            guard let version = SemanticVersion(text) else { throw ValueError("\(quoted(text)) is not a version, such as 1.4.0") }
            return version
        }
    }

    /// The services and the speaker of this process. The service greets somebody new as the scenario supposes; the
    /// speaker is where it was in the last launch, so that it is found again.
    private static func startEmbedded(
        _ directory: StateDirectory,
        for scenario: String?
    ) throws -> (backend: EmbeddedBackend, speaker: LoopbackSpeaker) {
        // Without a last speaker the port is 0: the system chooses one.
        let last = directory.launchState().lastSpeaker.value.flatMap { UInt16(exactly: $0.port) } ?? 0
        let speaker: LoopbackSpeaker
        do throws(DeviceError) {
            speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen", port: last)
        } catch {
            // Somebody else has the port: the known speaker is then not there, as one that is switched off (N48).
            speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        }
        let onboardings: [String: OnboardingType] = [
            Scenario.guestDismissable.name: .dismissable, Scenario.guestNone.name: .none,
        ]
        var options = SampleServiceOptions()
        options.onboarding = scenario.flatMap { onboardings[$0] } ?? .regular
        options.speakers = [speaker.speaker]
        return (EmbeddedBackend(SampleService(options, store: directory.secure)), speaker)
    }
}

/// The state folder of a run, and the journal of its launch in there.
struct JournaledDevice {
    let directory: StateDirectory
    let journal: LaunchJournal

    /// Opens both; nil for a run that launches no app, and names no folder.
    init?(_ arguments: RunArguments) throws {
        guard arguments.launchesApp || arguments.state != nil else { return nil }
        let version = try SampleApp.version(arguments)
        directory = SampleApp.directory(arguments.state)
        // The death of a launch that nobody sees counts for nothing.
        let kind: LaunchKind = arguments.scenario == Scenario.background.name ? .background : .foreground
        journal = .open(in: directory, version: version.description, kind: kind) { problem in
            // A launch continues without its journal: recovery is a help, and no reason to keep the app from starting.
            message("the launch is not written down as it should be: \(problem)")
        }
    }
}

/// A policy that no version meets: to try out a required update with any backend.
private struct RequiredUpdate: UpdatePolicyService {
    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        // Larger than any version of an app.
        UpdatePolicy(minimumVersion: SemanticVersion(999))
    }
}

extension SampleApp {
    /// How the sample app starts as a white-label app: with the speakers as its optional module, active once one is
    /// known, and an SDK that counts steps.
    static func plan(for url: URL, _ app: AppInfo, _ directory: StateDirectory) -> BootstrapPlan {
        var plan = BootstrapPlan(
            endpoints: APIEnvironment(graphQL: url.appending(path: "graphql"), rest: url),
            // A release build of the tool is a production build: parts for developers stay out of it.
            build: LaunchArguments.isDebugBuild ? [.debug, .staging] : []
        )
        plan.registrations = [
            .value(app.platform, for: "platform"),
            .value(url.absoluteString, for: "client-keys"),
            .value(url.absoluteString, for: "core-keys"),
            .value(["splash", "login", "tutorial", "main"], for: "screen-configuration"),
            .value("plain text", for: "ui-configuration"),
            .value("none", for: "analytics"),
            .value("text only", for: "image-codec"),
        ]
        plan.thirdParties = [SampleSteps.sdk(at: url, in: directory)]
        plan.modules = [
            BootstrapModule("speakers", isActive: { directory.launchState().lastSpeaker.value != nil }) { configuration in
                configuration.client.speakers(connectedBy: TCPSpeakerConnector(clientName: "sequencer-cli"))
            }
        ]
        return plan
    }
}

/// The causes of a start besides the icon: pushes, links and shortcuts.
extension SampleApp {
    /// The places that links can lead to.
    private static func router() throws -> DeepLinkRouter {
        try DeepLinkRouter(
            origins: [DeepLinkOrigin("app", "open"), DeepLinkOrigin("https", "app.example.com")],
            routes: [
                DeepLinkRoute("speaker", path: "/speakers/{id}", parameters: [.string("id", maximumLength: 64)]),
                DeepLinkRoute("playlist", path: "/playlists/{id}", parameters: [.string("id", maximumLength: 64)], needsLogin: true),
                DeepLinkRoute("follow", path: "/artists/{id}/follow", parameters: [.string("id")], needsLogin: true, changesState: true),
            ]
        )
    }

    private static let shortcuts = ShortcutItems([ShortcutItem("play"), ShortcutItem("search")])

    /// Puts what the command line names into the mailbox, where it stays until it has been delivered. No error repeats
    /// the payload or the link, which may hold a token (T23, D7).
    func receiveEntryPoints(_ arguments: RunArguments) throws {
        if let push = arguments.push {
            let parser = PushPayloadParser(categories: ["now-playing", "message"], links: try Self.router())
            // A file name cannot begin a JSON object, so a brace tells the payload from a path.
            let data = Data(push.contains("{") ? Array(push.utf8) : try readInput(push))
            environment.mailbox.receive(.push(try arguments.value(of: "push") { try parser.payload(from: data) }))
        }
        if let link = arguments.link {
            environment.mailbox.receive(.link(try arguments.value(of: "link") { try Self.router().link(link) }))
        }
        if let shortcut = arguments.shortcut {
            environment.mailbox.receive(.shortcut(try arguments.value(of: "shortcut") { try Self.shortcuts.item(ofType: shortcut) }))
        }
    }
}

/// The sample app's SDK: a step counter that keeps its counts on this device, and has no session to restore.
struct SampleSteps: SDKServices {
    let directory: StateDirectory

    var secureStore: any SecureStore { directory.secure }
    var dataStore: any DataStore { directory.state }

    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession { Session() }

    /// The SDK as the plan of an app at `url` has it.
    static func sdk(at url: URL, in directory: StateDirectory) -> ThirdPartySDK {
        ThirdPartySDK(
            "steps",
            lifecycle: SDKLifecycle(services: SampleSteps(directory: directory), options: SDKOptions(restoreTimeout: .seconds(2))),
            configuration: SDKConfiguration.Builder()
                .baseUrl(url.absoluteString)
                .clientId("sequencer-cli")
                .clientSecret("issued to the sample app")
                .allowInsecureLoopback()
        )
    }

    private struct Session: SDKSession {
        func invalidate() {}
        func fetchEntitlements(by deadline: Deadline) async throws -> Set<String> { [] }
    }
}

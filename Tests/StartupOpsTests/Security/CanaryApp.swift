import Foundation
import Sequencer
import SequencerAnalysis
import TestSupport

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// The sample app, with canaries wherever it is given a secret: in the password and the code that a person types, in what was pushed, and in the
/// parameters of a link. The tokens that the service gives out are canaries of their own.
struct CanaryApp {
    /// Secrets of the person's, and of what started the app.
    static let password = "cAnaryPw+7/Zq4 xW=="
    static let pushed = "cAnaryPush9Kd-3vB_xQ"
    static let code = "cAnaryLink5Tn~8mR.yP"

    let environment: StartupEnvironment
    let evidence = Evidence()
    let service: AppService
    let backend: EmbeddedBackend
    let watch: TokenWatch
    private let person: AgreeablePerson

    /// - Parameters:
    ///   - splash: how long the splash is visible.
    ///   - login: what the person answers to the login form; an account is created otherwise.
    init(
        _ directory: StateDirectory,
        _ backend: EmbeddedBackend,
        _ speaker: LoopbackSpeaker,
        splash: Duration = .zero,
        login: LoginAnswer = .createAccount(email: "canary@example.com", password: Secret(password))
    ) throws {
        self.backend = backend
        var http = HTTPClient.Configuration()
        http.attemptTimeout = .seconds(1)
        watch = TokenWatch(HTTPClient(http, over: backend))
        try Settings(directory.settings).set(true, for: .presentsSubscriptionAfterLogin)
        let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
        service = AppService(at: .service(at: backend.baseURL), http: watch, directory: directory, app: app, deviceID: "device-1")
        person = AgreeablePerson(login: login)
        environment = StartupEnvironment(
            app: app,
            services: StartupServices(service),
            presenters: StartupPresenters(all: person),
            directory: directory,
            splashMinimum: splash
        )
    }

    /// A push and a link wait for the launch.
    func receiveEntryPoints() throws {
        let router = try DeepLinkRouter(
            origins: [DeepLinkOrigin("app", "open")],
            routes: [
                DeepLinkRoute("login", path: "/login/{code}", parameters: [.string("code"), .string("state")], changesState: true)
            ]
        )
        let link = "app://open/login/\(Self.code)?state=\(Self.code)"
        let alert = #"{"title":"\#(Self.pushed)","body":"\#(Self.pushed)"}"#
        let push = #"{"aps":{"alert":\#(alert),"category":"message"},"url":"\#(link)","\#(Self.pushed)":1}"#
        for entryPoint in [
            EntryPoint.push(try PushPayloadParser(categories: ["message"], links: router).payload(from: Data(push.utf8))),
            .link(try router.link(link)),
        ] {
            evidence.add(entryPoint)
            environment.mailbox.receive(entryPoint)
        }
        // What is refused is told as well.
        for refused in [
            "app://open/\(Self.code)", "app://\(Self.code)/login/x", "app://open/login/x?\(Self.code)=\(Self.code)", link + link,
        ] {
            do { _ = try router.link(refused) } catch { evidence.add(error) }
        }
        let broken = push + Self.pushed
        do { _ = try PushPayloadParser(categories: []).payload(from: Data(broken.utf8)) } catch { evidence.add(error) }
    }

    /// Launches as the stored state says, and collects everything that can be seen of it.
    ///
    /// - Parameter isCancelled: whether it is cancelled while somebody is logged in.
    func launch(options: LaunchOptions = LaunchOptions(), isCancelled: Bool = false) async throws -> LaunchReport {
        let facts = environment.facts()
        let graph = environment.graph(Scenario(for: facts))
        let box = LaunchBox()
        if isCancelled { watch.whenLoggingIn { try? box.launchBlocking().cancel() } }
        var options = options
        options.admission = .oneAtATime
        let launch = try box.start(graph, budget: .seconds(3), options: options)
        let events = launch.events
        let tokenEvents = service.tokens.events
        let told = Task { [evidence] in for await event in tokenEvents { evidence.add(event) } }
        let watched = Task { [evidence] in
            for await event in events {
                evidence.add(event)
                evidence.add(launch.status)
            }
        }
        let report = await launch.end().report
        await watched.value
        told.cancel()
        let drawn = try graph.validated()
        for text in [
            report.json(), drawn.dot(), drawn.json(), drawn.tree(), report.html(), try report.otlp(),
            report.markdown(),
        ] {
            evidence.add(text: text)
        }
        evidence.add(report)
        evidence.add(facts)
        evidence.add(environment)
        evidence.add(service)
        evidence.add(service.storedSession())
        evidence.add(backend.service)
        for delivery in environment.mailbox.waiting() { evidence.add(delivery) }
        for screen in person.shown { evidence.add(text: screen) }
        if let content = person.content { evidence.add(content) }
        environment.devices.closeAll()
        return report
    }

    /// What was seen that nobody may see.
    var leaks: [String] { evidence.leaks(of: watch.secrets.union([Self.password, Self.pushed, Self.code])) }
}

import Foundation
import StartupNetworking
import StartupOps
import StartupSamples

/// An app of the family: its name, and all that it does not share with the others.
struct Brand {
    let name: String
    var plan: BootstrapPlan

    /// A brand with a gallery and a shop, and with an SDK that measures what is sold.
    static func aria(_ service: EmbeddedBackend, _ http: HTTPClient, showsGallery: Bool = true) -> Brand {
        var brand = Brand(name: "aria", plan: shared("aria", service))
        brand.plan.modules = [
            Gallery.module(at: service.baseURL, http) { showsGallery },
            BootstrapModule("shop", dependencies: [.after("gallery", because: "it sells what is shown there")]) { _ in "shop" },
        ]
        brand.plan.thirdParties = [
            ThirdPartySDK("attribution") { configuration in print("  attribution starts with the \(configuration.build) build") }
        ]
        return brand
    }

    /// A brand with a chat, an SDK that it cannot do without, and one for testers. Its chat fails today, which is no reason not to start.
    static func bolt(_ service: EmbeddedBackend) -> Brand {
        var brand = Brand(name: "bolt", plan: shared("bolt", service))
        brand.plan.modules = [BootstrapModule("chat") { _ in throw ChatIsClosed() }]
        brand.plan.thirdParties = [
            ThirdPartySDK("payments", isRequired: true) { _ in print("  payments starts") },
            ThirdPartySDK("inspector", in: .staging) { _ in print("  inspector starts") },
        ]
        return brand
    }

    /// What a brand looks like on the first day: registrations are missing or in the wrong order, and so are modules.
    static func misconfigured(_ service: EmbeddedBackend, _ http: HTTPClient) -> Brand {
        var brand = aria(service, http)
        brand.plan.registrations.swapAt(0, 1)
        brand.plan.registrations.removeAll { $0.name == "analytics" }
        brand.plan.modules.reverse()
        brand.plan.modules.append(
            BootstrapModule("tickets", dependencies: [.after("calendar", because: "it shows when")]) { _ in "tickets" }
        )
        return brand
    }

    /// What all brands register, in the order that `RegistrationRule.bootstrap` asks for, each with its own keys.
    private static func shared(_ name: String, _ service: EmbeddedBackend) -> BootstrapPlan {
        var plan = BootstrapPlan(
            endpoints: APIEnvironment(graphQL: service.baseURL.appending(path: "graphql"), rest: service.baseURL)
        )
        plan.registrations = [
            .value("terminal", for: "platform"),
            .value("keys of \(name)", for: "client-keys"),
            .value("keys of \(name)", for: "core-keys"),
            .value(["main"], for: "screen-configuration"),
            .value("theme of \(name)", for: "ui-configuration"),
            .value("none", for: "analytics"),
            .value("text only", for: "image-codec"),
        ]
        return plan
    }
}

/// A module that takes its time: it loads its index while the rest of the app is set up, and a gate says when that is there.
struct Gallery: Sendable {
    let gate: ReadinessGate

    static func module(at url: URL, _ http: HTTPClient, isActive: @escaping @Sendable () -> Bool) -> BootstrapModule {
        let gate = ReadinessGate("gallery", [GateCondition("index", setBy: "prepare-gallery", because: "pictures are found by it")])
        return BootstrapModule(
            "gallery",
            isActive: isActive,
            prepare: {
                Task {
                    let answer = try? await http.send(HTTPRequest(.get, url.appending(path: "v1/countries")), deadline: .after(.seconds(1)))
                    gate.set("index", to: answer?.status == 200, by: "the service")
                }
            },
            make: { _ in
                try await gate.wait(by: .after(.seconds(1)))
                return Gallery(gate: gate)
            }
        )
    }
}

struct ChatIsClosed: Error, CustomStringConvertible {
    let description = "the chat is closed on Saturdays"
}

/// The screens of all brands.
@MainActor
final class Screens: ScenePresenter, SplashPresenter, MainPresenter {
    private(set) var shown: [String] = []

    /// A window is made, and is seen. Its first view comes with the splash.
    func connectScene(_ report: @escaping @MainActor @Sendable (LaunchPhase) -> Void) async {
        for phase in [LaunchPhase.sceneSession, .willConnect, .window, .keyAndVisible, .viewDidLoad] { report(phase) }
    }

    func showSplash() async { shown.append("splash") }
    func splashEnded() async {}
    func showMain(_ content: MainContent) async { shown.append("main for \(content.account.name)") }
    func showOnboarding() async { shown.append("onboarding") }
    func showPaywall() async { shown.append("paywall") }
    func becameActive() async {}
}

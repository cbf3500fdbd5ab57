import Sequencer

extension Scenario {
    /// Nothing is known: fetching the configuration may have to ask for country and language, so it waits for the splash; login, tutorial
    /// and connecting a speaker each may need the person, so they come one after the other.
    public static let firstLaunch = Scenario("first-launch", "Nothing is known yet: every step may have to ask the person.") {
        graph,
        operations in
        let splash = graph.addSplash(operations)
        let update = graph.addForceUpdate(operations)
        let configuration = graph.addConfiguration(operations, .timeout(.seconds(2)), after: splash.id)
        let account = graph.addLogin(operations, .interactive, using: configuration)
        let tutorial = graph.addTutorial(operations, .interactive, using: configuration, after: account.id)
        let speaker = graph.addSpeaker(operations, .interactive, using: configuration, after: tutorial.id)
        graph.addMain(operations, configuration, account, speaker, after: update.id)
    }

    /// Country, credentials and speaker are known: five steps start at once. The tutorial needs the screen, so it follows the splash. A
    /// configuration that is late is replaced by the last one, for there is one.
    public static let regular = Scenario("regular", "Everything is known: five steps start at once.") { graph, operations in
        let splash = graph.addSplash(operations)
        let update = graph.addForceUpdate(operations)
        let configuration = graph.addConfiguration(operations, .timeout(.seconds(1)))
        let account = graph.addLogin(operations, .timeout(.seconds(2)))
        let speaker = graph.addSpeaker(operations, .timeout(.seconds(2)), .onFailure(.continue))
        let tutorial = graph.addTutorial(operations, after: splash.id)
        graph.addMain(operations, configuration, account, speaker, after: tutorial.id, update.id)
    }

    /// As ``regular``, with what was pushed in the tutorial's place: the app appears when the person has dismissed it.
    public static let push = Scenario("push", "A push notification started the app: its content comes before the main screen.") {
        graph,
        operations in
        regular.add(to: &graph, operations)
        graph.addMainStep(.presentPushInformation, [.interactive, .onFailure(.continue)]) { launch in
            try await operations.presentPushInformation(launch)
        }
        graph.replace(StartupStep.tutorial.id, with: StartupStep.presentPushInformation.id)
    }

    /// As ``regular``, with the link followed once the main screen is visible, never after a fixed delay.
    public static let deeplink = Scenario("deeplink", "A link started the app: it is followed once the main screen is visible.") {
        graph,
        operations in
        regular.add(to: &graph, operations)
        graph.addAfterMain(.deeplink) { launch in try await operations.followLink(launch) }
    }

    /// As ``regular``, with the shortcut performed once the main screen is visible.
    public static let shortcut = Scenario("shortcut", "A shortcut started the app: it is performed once the main screen is visible.") {
        graph,
        operations in
        regular.add(to: &graph, operations)
        graph.addAfterMain(.shortcut) { launch in try await operations.performShortcut(launch) }
    }

    /// Someone who is not logged in, in an app that asks for an account: the login form comes after splash and configuration.
    public static let guest = Scenario("guest", "Nobody is logged in, and the app asks for an account.") { graph, operations in
        addGuest(to: &graph, operations, .regular)
    }

    /// Someone who is not logged in, in an app that can be tried first: the onboarding lies over the main screen, and can be dismissed.
    public static let guestDismissable = Scenario(
        "guest-dismissable",
        "Nobody is logged in, and the app can be tried: the onboarding comes over the main screen."
    ) { graph, operations in
        addGuest(to: &graph, operations, .dismissable)
        graph.addAfterMain(.onboarding, .interactive) { launch in try await operations.onboarding(launch) }
    }

    /// Someone who is not logged in, in an app that does not mind.
    public static let guestNone = Scenario("guest-none", "Nobody is logged in, and nobody is asked to.") { graph, operations in
        addGuest(to: &graph, operations, .none)
    }

    /// The first launch of an app whose account survived a reinstallation: it is offered again, when both the configuration and the splash
    /// are there, and used or logged out as the person says.
    public static let restoreAccount = Scenario("restore-account", "First launch, with an account found on the device: it is offered.") {
        graph,
        operations in
        let splash = graph.addSplash(operations)
        let update = graph.addForceUpdate(operations)
        let configuration = graph.addConfiguration(operations, .timeout(.seconds(2)), after: splash.id)
        let restore = graph.addMainStep(.restoreAccount, [.interactive, .onFailure(.continue)], after: [configuration.id]) { launch in
            try await operations.restoreAccount(launch)
        }
        let account = graph.addLogin(operations, .interactive, using: configuration, after: restore.id)
        let tutorial = graph.addTutorial(operations, .interactive, using: configuration, after: account.id)
        let speaker = graph.addSpeaker(operations, .interactive, using: configuration, after: tutorial.id)
        graph.addMain(operations, configuration, account, speaker, after: update.id)
    }

    /// The app runs, and comes back to the front: the version is checked again, and the app is told. The launch is not run again.
    public static let warmResume = Scenario("warm-resume", "The app runs already: the version is checked again.") { graph, operations in
        let update = graph.addForceUpdate(operations)
        graph.addMainStep(.becomeActive, [.milestone], after: [update.id]) { launch in try await operations.becomeActive(launch) }
    }

    private static func addGuest(to graph: inout OperationGraph, _ operations: StartupOperations, _ onboarding: OnboardingType) {
        let splash = graph.addSplash(operations)
        let update = graph.addForceUpdate(operations)
        let configuration: Step<LoadedConfiguration>
        let tutorial: Step<Void>
        let account: Step<Account>
        if onboarding == .regular {
            configuration = graph.addConfiguration(operations, .timeout(.seconds(1)), after: splash.id)
            tutorial = graph.addTutorial(operations, .interactive, using: configuration)
            account = graph.addLogin(operations, .interactive, using: configuration, after: tutorial.id)
        } else {
            configuration = graph.addConfiguration(operations, .timeout(.seconds(1)))
            tutorial = graph.addTutorial(operations, after: splash.id)
            account = graph.addLogin(operations, .timeout(.seconds(2)), using: configuration)
        }
        let speaker = graph.addSpeaker(operations, .timeout(.seconds(2)), .onFailure(.continue))
        graph.addMain(operations, configuration, account, speaker, chosenBy: onboarding, after: tutorial.id, update.id)
    }
}

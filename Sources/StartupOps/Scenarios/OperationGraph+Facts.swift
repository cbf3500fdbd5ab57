import Sequencer

extension OperationGraph {
    /// Adds the steps of a launch that follow from facts: see ``Scenario/init(for:)``.
    mutating func add(_ facts: LaunchFacts, of steps: StartupSteps) {
        if facts.isInBackground { return addUnseen(facts, of: steps.unseen) }
        if facts.isRunning {
            let update = add(.forceUpdate, of: steps)
            // The milestone of a resume: the main screen is there already.
            add(.becomeActive, of: steps, .milestone, after: update.id)
            return
        }
        let splash = add(.splash, of: steps)
        let update = add(.forceUpdate, of: steps)
        // The last step so far that may have the screen: the next one that needs it waits for it.
        var last = splash.id

        // A late configuration is replaced by the last one. Where there is none it may ask: it waits for the splash,
        // and has more time.
        let mayAsk = !facts.isRegionKnown
        let configuration = addConfiguration(of: steps, mayAsk: mayAsk, after: mayAsk ? [last] : [])
        if mayAsk { last = configuration.id }
        if facts.account == .found {
            last = add(.restoreAccount, of: steps, after: last, configuration.id).id
        }
        let account: Step<Account>
        if facts.mayAskToLogIn {
            account = add(.login, of: steps, .interactive, using: configuration, after: last)
            last = account.id
        } else {
            // A guest is received as the configuration says; a session is opened without it.
            account = add(.login, of: steps, .timeout(.seconds(2)), using: facts.account == .none ? configuration : nil)
        }
        let content = addContent(facts, of: steps, configuration, after: &last)
        let speaker = addSpeaker(facts, of: steps, configuration, after: last)

        // A step that asks for the speaker has waited for the earlier screens already.
        let isImplied = facts.speaker == .none && last == content
        // Guests see the onboarding; a user who turns down the found account becomes a guest.
        let showsOnboarding = facts.onboarding == .dismissable && facts.account != .known
        // If the app has set the onboarding itself, the configuration of the launch does not change it.
        let isOpen = steps.environment?.onboardingOfApp == nil
        addMain(
            of: steps,
            configuration,
            account,
            speaker,
            chosenBy: isOpen && facts.account == .none && facts.isRegionKnown ? facts.onboarding : nil,
            after: isImplied ? [update.id] : [content, update.id]
        )
        // After the main screen, never before: it leads away from it.
        if facts.origin == .link { addAfterMain(.deeplink, of: steps) }
        if facts.origin == .shortcut { addAfterMain(.shortcut, of: steps) }
        if showsOnboarding { addAfterMain(.onboarding, of: steps, .interactive) }
    }

    /// Adds the steps of a launch that nobody sees: each does without the others, and without the user.
    private mutating func addUnseen(_ facts: LaunchFacts, of steps: StartupSteps) {
        add(.silentPush, of: steps, .onFailure(.continue))
        // Without them, the user has to be asked first.
        if facts.isRegionKnown { add(.fetchConfig, of: steps, .timeout(.seconds(10)), .onFailure(.continue)) }
        // Nobody is logged in where nobody looks.
        guard facts.account == .known || facts.account == .guest else { return }
        let session = add(.restoreSession, of: steps, .timeout(.seconds(10)), .onFailure(.skipDependents))
        add(.entitlements, of: steps, .timeout(.seconds(10)), after: session.id)
    }

    /// Adds the tutorial, or the content of the push that started the app.
    ///
    /// - Returns: the step's identifier.
    private mutating func addContent(
        _ facts: LaunchFacts,
        of steps: StartupSteps,
        _ configuration: Step<LoadedConfiguration>,
        after last: inout String
    ) -> String {
        // Questions come first: a push that cannot be shown yet is kept, and delivered once the main screen is visible.
        if facts.origin == .push, facts.account != .none, facts.isRegionKnown, !facts.mayAskToLogIn {
            last = add(.presentPushInformation, of: steps, after: last).id
            return last
        }
        // Pages of the last known configuration do, unless the launch has waited for the new one anyway.
        let isConfigured = !facts.isRegionKnown || facts.mayAskToLogIn
        // It finishes at once, so it holds up no question.
        if facts.hasSeenTutorial { return add(.tutorial, of: steps, after: StartupStep.splash.id).id }
        last = add(.tutorial, of: steps, .interactive, using: isConfigured ? configuration : nil, after: last).id
        return last
    }

    /// Adds the step that connects the speaker, unless the user wants none.
    private mutating func addSpeaker(
        _ facts: LaunchFacts,
        of steps: StartupSteps,
        _ configuration: Step<LoadedConfiguration>,
        after last: String
    ) -> Step<Speaker?>? {
        switch facts.speaker {
        // The time of the search: it is paused while the user is asked, and while a choice is connected.
        case .none: add(.connectSpeaker, of: steps, .interactive, .timeout(.seconds(5)), using: configuration, after: last)
        case .known: add(.connectSpeaker, of: steps, .timeout(.seconds(2)))
        case .declined: nil
        }
    }
}

extension StartupEnvironment {
    /// A scenario's graph, with the real steps.
    ///
    /// The push, link or shortcut that started the app is delivered once the main screen is visible, or the app is back
    /// at the front: if something waits and the scenario has no step for that, one is added.
    ///
    /// - Parameter steps: the real steps, changed: `var steps = StartupSteps(environment)`, then for instance
    ///   `steps.set(.timeout(.seconds(5)), on: .login)`; nil for the real steps as they are.
    public func graph(_ scenario: Scenario, steps: StartupSteps? = nil) -> OperationGraph {
        let steps = steps ?? StartupSteps(self)
        var graph = scenario.graph(steps)
        let present = Set(graph.identifiers)
        // A push that is shown to nobody, or not now, is left for after the main screen.
        let isPresented = present.contains(StartupStep.presentPushInformation.id) && mailbox.pushToPresent != nil
        let waiting = mailbox.waiting().count - (isPresented ? 1 : 0)
        let delivers = present.contains(StartupStep.deeplink.id) || present.contains(StartupStep.shortcut.id)
        // An app that comes back without a presenter may deliver by itself.
        let screens = [StartupStep.mainApp.id] + (presenters.entryPoint == nil ? [] : [StartupStep.becomeActive.id])
        guard waiting > 0, !delivers, let screen = screens.first(where: present.contains) else { return graph }
        graph.add(.entryPoints, of: steps, .onFailure(.continue), after: screen)
        return graph
    }
}

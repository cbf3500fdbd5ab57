import Sequencer
import StartupNetworking

extension Bootstrap {
    /// The causes of a wrong start, each after the symptom that the user sees: "the app stays on its splash:
    /// first-screen is waiting for …". Empty when nothing is known to be wrong.
    ///
    /// Ask when a launch has ended, or while one does not end, and write it where support finds it. A plan that is
    /// wrong makes no `Bootstrap`: its problems are in the ``RegistryError``. Steps that have failed for other reasons
    /// are in the launch's report.
    public var findings: [String] {
        let state = state.withLock { $0 }
        var found = state.problems.map { "set-up is missing or misordered: \($0)" }
        found += plan.idleConstraints.map { "a registration may come too early: \($0)" }
        found += state.earlySteps.map { "a step may start too early: \($0)" }
        // Under an update, which has taken the screen, the first screen does not come any more.
        let gates = state.stage?.isTakenOverBy == nil ? [state.awaitsScene ? phases.sceneGate : nil, state.firstScreen] : []
        for gate in gates.compactMap(\.self) where !gate.isOpen { found.append("the app stays on its splash: \(gate.diagnosis)") }
        // A user who asked for it needs no explanation.
        if let logout = service.tokens.lastLogout, ![.requested, .unwanted].contains(logout) {
            found.append("the person is logged out: the session was ended because \(logout.description)\(Self.remedy(for: logout))")
        }
        let pushes = state.mailbox?.untakenPushes ?? 0
        if pushes > 0 {
            found.append(
                "a push notification leads nowhere: \(pushes == 1 ? "it is" : "\(pushes) are") kept for the app, to be taken after the main screen: "
                    + "give the presenters an entryPoint, or call deliver(to:) of the mailbox"
            )
        }
        if state.undecodableImages > 0 {
            let cause =
                state.registered.contains("image-codec")
                ? "the image-codec that is registered does not know their kind"
                : "image-codec was not registered; register one before the coordinator starts"
            found.append("images stay empty: \(state.undecodableImages) could not be decoded: \(cause)")
        }
        if let chosen = state.chosenOnboarding, let configured = state.configuredOnboarding, chosen != configured {
            found.append(
                "the onboarding is not the one that was configured: \(chosen) counted in this launch, \(configured) is configured: it came "
                    + "after the choice, and counts from the next launch; an app with one kind of onboarding sets that in its settings, too"
            )
        }
        return found
    }

    private static func remedy(for logout: LogoutReason) -> String {
        switch logout {
        case .firstLaunch: "; to keep it and offer the account, set the plan's enablesRestoreAccount"
        case .guestHasToLogIn: "; to keep guests, set the onboarding to dismissable or none"
        case .expired: "; have the service give a refresh token, and the person log in again"
        case .rejected: "; it does not take the refresh token any more: have the person log in again"
        default: ""
        }
    }
}

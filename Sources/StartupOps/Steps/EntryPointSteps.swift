import Sequencer

/// Shows what started the app.
@MainActor
public protocol EntryPointPresenter: Sendable {
    /// The detail view of a push notification; returns when the user has dismissed it.
    func showPush(_ push: PushPayload) async
    /// Goes where a link leads.
    func follow(_ link: DeepLink) async
    /// Does what a shortcut is for.
    func perform(_ shortcut: ShortcutItem) async
    /// Asks before something is changed.
    ///
    /// - Returns: whether to do it; false leaves it out for good.
    /// - Throws: any error when the user has left without an answer: the entry point is kept, and handed over again
    ///     in a later launch.
    func confirm(_ entryPoint: EntryPoint) async throws -> Bool
    /// Goes where an entry point of a kind of the app's own leads. When it throws, the entry point is kept, and handed
    /// over again in a later launch.
    ///
    /// Without this method such an entry point is not taken, and the report says so.
    func enter(by entryPoint: AppEntryPoint) async throws
    /// Takes what a silent push carries, and shows nothing. As ``enter(by:)`` when it throws, or is absent.
    func takeSilentPush(_ push: PushPayload) async throws
}

extension EntryPointPresenter {
    /// Takes none.
    public func enter(by entryPoint: AppEntryPoint) async throws {
        throw EntryPointNotTakenError(entryPoint: "\(entryPoint)", method: "enter(by:)")
    }

    /// Takes none.
    public func takeSilentPush(_ push: PushPayload) async throws {
        throw EntryPointNotTakenError(entryPoint: "\(push)", method: "takeSilentPush(_:)")
    }
}

/// Delivers what started the app: a push notification, a link, a shortcut.
///
/// The push that a launch is for is shown before the main screen; everything else is delivered once the main screen is
/// visible, each exactly once; a shortcut only while the app is active, or else as soon as it is. An entry point that
/// changes something is confirmed first. A silent push does not wait for its turn on the screen. Without a presenter
/// everything stays in the mailbox.
struct EntryPointOperation: Sendable {
    let environment: StartupEnvironment

    private var mailbox: EntryPointMailbox { environment.mailbox }
    /// Nil when nothing can be presented.
    private var presenter: (any EntryPointPresenter)? { environment.presenters.entryPoint }

    /// Shows the push that the launch is for, and returns when the user has dismissed it. The mailbox is read off the
    /// main thread.
    func presentPush(in step: StepContext) async throws {
        // The mailbox may have lost it meanwhile: another process has delivered it, or its time was over.
        guard let push = mailbox.pushToPresent else { return }
        let presenter = try step.need(presenter, "to read what was pushed")
        await mailbox.deliver(push.id) { delivery in
            guard case .push(let payload) = delivery.entryPoint else { return }
            try await environment.stage.ask(in: step) { await presenter.showPush(payload) }
        }
    }

    /// Delivers the waiting entry points, when the main screen is visible. The mailbox is read off the main thread.
    func deliver(in step: StepContext) async throws {
        // Nothing to show, nobody missed.
        if presenter == nil, mailbox.waiting().isEmpty { return }
        let presenter = try step.need(presenter, "to be led where the entry point leads")
        while await deliverAll(to: presenter, in: step) {
            let pause = environment.lifecycle.events().prefix { $0 != .didBecomeActive }
            // It is the user who comes back: neither the deadline nor a timeout goes on meanwhile.
            try await step.waitForPerson { await step.wait(atMost: .seconds(86_400), for: pause) }
            try step.checkCancellation()
            if !environment.lifecycle.isActive { break }
        }
        for lost in mailbox.takeLosses() { step.note(lost) }
        // Afterwards: those that are left have a reason, and the report says it.
        for left in mailbox.waiting() {
            let isForWhoeverIsThere = mailbox.isForWhoeverIsThere(left)
            let condition = isForWhoeverIsThere ? "" : " once the account that it is for is logged in"
            step.note("\(left.entryPoint) waits: it is delivered at the next resume or launch\(condition)")
        }
    }

    /// Delivers what waits.
    ///
    /// - Returns: whether a shortcut has to wait until the app is active: somebody wants to see what it does.
    private func deliverAll(to presenter: any EntryPointPresenter, in step: StepContext) async -> Bool {
        let isHeldBack = Locked(false)
        await mailbox.deliver(sleeping: { try await step.sleep(for: $0) }) { delivery in
            if case .shortcut = delivery.entryPoint, !environment.lifecycle.isActive {
                isHeldBack.withLock { $0 = true }
                // It stays in the mailbox, and this was no attempt.
                throw CancellationError()
            }
            try await handOver(delivery, to: presenter, in: step)
        }
        return isHeldBack.withLock { $0 }
    }

    /// Delivers the silent pushes that wait, with or without a screen; all else is kept. The mailbox is read off the
    /// main thread.
    func takeSilentPushes(in step: StepContext) async throws {
        // Pushes for other accounts keep waiting.
        let pushes = mailbox.waiting().filter { $0.entryPoint.isSilent && mailbox.isForWhoeverIsThere($0) }
        guard let presenter, !pushes.isEmpty else { return }
        for push in pushes {
            try step.checkCancellation()
            await mailbox.deliver(push.id) { delivery in try await handOver(delivery, to: presenter, in: step) }
        }
    }

    private func handOver(_ delivery: EntryPointDelivery, to presenter: any EntryPointPresenter, in step: StepContext) async throws {
        do {
            try await hand(delivery, to: presenter, in: step)
        } catch {
            // An error of the app's may quote what the entry point carries.
            let sentence = (error as? EntryPointNotTakenError)?.description ?? "\(delivery.entryPoint) was not taken"
            // A cancelled launch says so itself, and keeps the entry point.
            if !(error is CancellationError) { step.note(sentence) }
            throw error
        }
    }

    private func hand(_ delivery: EntryPointDelivery, to presenter: any EntryPointPresenter, in step: StepContext) async throws {
        // Before the stage: nobody sees it, so it needs no screen.
        if case .push(let push) = delivery.entryPoint, push.isSilent { return try await presenter.takeSilentPush(push) }
        try await environment.stage.present(by: step.operation) {
            if delivery.needsConfirmation {
                // The user's time is not the launch's.
                let isConfirmed = try await step.waitForPerson { try await presenter.confirm(delivery.entryPoint) }
                // Cut off, it was not answered: a screen that goes away may say no, too.
                try step.checkCancellation()
                guard isConfirmed else {
                    step.note("\(delivery.entryPoint) was not confirmed, and was left out")
                    return
                }
            }
            try await Self.present(delivery.entryPoint, with: presenter)
        }
    }

    @MainActor
    private static func present(_ entryPoint: EntryPoint, with presenter: any EntryPointPresenter) async throws {
        switch entryPoint {
        case .push(let push): await presenter.showPush(push)
        case .link(let link): await presenter.follow(link)
        case .shortcut(let item): await presenter.perform(item)
        case .app(let entryPoint): try await presenter.enter(by: entryPoint)
        }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The content of the push notification that started the app.
    public static var presentPushInformation: Self {
        Self(
            "present-push-information",
            "Present the push information",
            expected: .milliseconds(250),
            options: .interactive,
            .asksNothing,
            .onFailure(.continue)
        ) { try await EntryPointOperation(environment: $0).presentPush(in: $1) }
    }

    /// The silent pushes that wait, in a launch that nobody sees.
    static var silentPush: Self {
        Self("silent-push", "Take the silent pushes", expected: .milliseconds(80)) {
            try await EntryPointOperation(environment: $0).takeSilentPushes(in: $1)
        }
    }

    /// The destination of the link that started the app.
    public static var deeplink: Self { delivery("deeplink", "Follow the link") }

    /// The action of the shortcut that started the app.
    public static var shortcut: Self { delivery("shortcut", "Perform the shortcut") }

    /// Delivers the whole mailbox, in a scenario without a special step for it.
    public static var entryPoints: Self { delivery("entry-points", "Deliver what started the app") }

    /// A step that delivers the whole mailbox: more may arrive after the scenario is chosen.
    private static func delivery(_ id: String, _ title: String) -> Self {
        Self(id, title, expected: .milliseconds(80)) { try await EntryPointOperation(environment: $0).deliver(in: $1) }
    }
}

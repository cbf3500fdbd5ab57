import Sequencer

/// Shows what started the app.
@MainActor
public protocol EntryPointPresenter: Sendable {
    /// The detail view of a push notification; returns when the person has dismissed it.
    func showPush(_ push: PushPayload) async
    /// Goes where a link leads.
    func follow(_ link: DeepLink) async
    /// Does what a shortcut is for.
    func perform(_ shortcut: ShortcutItem) async
    /// Asks before something is changed.
    func confirm(_ entryPoint: EntryPoint) async -> Bool
}

/// Delivers what started the app: a push notification, a link, a shortcut.
///
/// The push that a launch is for is shown before the main screen; everything else is delivered once the main screen is visible, each exactly
/// once. What changes something is confirmed first. When nothing can be presented it stays in the mailbox.
public struct EntryPointOperation: Sendable {
    private let mailbox: EntryPointMailbox
    private let presenter: (any EntryPointPresenter)?
    private let stage: Stage

    /// An operation that delivers what is in `mailbox`.
    ///
    /// - Parameter presenter: nil when nothing can be presented.
    public init(mailbox: EntryPointMailbox, presenter: (any EntryPointPresenter)?, stage: Stage) {
        self.mailbox = mailbox
        self.presenter = presenter
        self.stage = stage
    }

    /// Shows the push that the launch is for, and returns when the person has dismissed it.
    @MainActor
    public func presentPush(in launch: Launch) async throws {
        let push = mailbox.waiting().first { if case .push = $0.entryPoint { true } else { false } }
        guard let push else { return }
        guard let presenter else { throw MissingPresenterError(operation: launch.operation, question: "to read what was pushed") }
        await mailbox.deliver(push.id) { delivery in
            guard case .push(let payload) = delivery.entryPoint else { return }
            try await stage.ask(in: launch) { await presenter.showPush(payload) }
        }
    }

    /// Delivers what waits, when the main screen is visible.
    @MainActor
    public func deliver(in launch: Launch) async throws {
        guard let presenter else {
            if mailbox.waiting().isEmpty { return }
            throw MissingPresenterError(operation: launch.operation, question: "to be led where the entry point leads")
        }
        let operation = launch.operation
        await mailbox.deliver { delivery in
            try await stage.present(by: operation) {
                if delivery.needsConfirmation {
                    let isConfirmed = await launch.waitForPerson { await presenter.confirm(delivery.entryPoint) }
                    guard isConfirmed else {
                        launch.note("\(delivery.entryPoint) was not confirmed, and was left out")
                        return
                    }
                }
                await Self.present(delivery.entryPoint, with: presenter)
            }
        }
        for left in mailbox.waiting() { launch.note("\(left.entryPoint) waits: it is delivered after a login, or at the next launch") }
    }

    @MainActor
    private static func present(_ entryPoint: EntryPoint, with presenter: any EntryPointPresenter) async {
        switch entryPoint {
        case .push(let push): await presenter.showPush(push)
        case .link(let link): await presenter.follow(link)
        case .shortcut(let item): await presenter.perform(item)
        }
    }
}

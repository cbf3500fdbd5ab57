import Dispatch
import Foundation
import Sequencer
import StartupNetworking

/// Options of an SDK's set-up beside its configuration.
public struct SDKOptions: Sendable, Hashable {
    /// Whether an earlier session is restored in the background. Where it is not, as on a watch, the SDK is ready when
    /// `initialize` returns.
    var autoRestores: Bool
    /// After how long the SDK is ready although the restore is not over.
    var restoreTimeout: Duration

    /// Options.
    ///
    /// - Parameter restoreTimeout: after how long the SDK is ready although the restore is not over: more than zero,
    ///   and less than 24 hours, or ``BootstrapPlan/validate()`` refuses the plan. Without a plan, zero or less gives
    ///   the restore no time.
    public init(autoRestores: Bool = true, restoreTimeout: Duration = .seconds(10)) {
        self.autoRestores = autoRestores
        self.restoreTimeout = restoreTimeout
    }
}

/// An event of an SDK's session.
public enum SDKEvent: Sendable, Hashable {
    /// The session has ended, by a reconfiguration or a reset.
    case loggedOut(because: String)
    /// The SDK has become ready, or is ready no more.
    case isReady(Bool)
}

/// Sets an SDK up, once, in a fixed order; restores an earlier session in the background; and takes everything down
/// again.
///
/// `initialize`, `reconfigure` and `reset` can be called from any thread: they run one after the other, and wait for
/// the disk. Each client belongs to one *generation*. After a reconfiguration or a reset nothing of an older generation
/// counts any more: its requests are cancelled, their late answers discarded, and the end of its restore does not make
/// the new one ready.
///
/// ```swift
/// let sdk = SDKLifecycle(services: services)
/// guard sdk.initialize(configuration) else { throw sdk.failure ?? ... }
/// for await isReady in sdk.isReady where isReady { break }
/// ```
public final class SDKLifecycle: Sendable {
    struct State {
        /// Nil before the first initialisation, and from the end of one to the next.
        var current: Generation?
        /// How many there were, and how many requests.
        var (generations, requests) = (0, 0)
        var log = SDKLog(isEnabled: false, level: .off)
        var failure: SDKError?
        var trace: [[String]] = []
        /// Why the last initialisation had nothing to restore; nil where it had.
        var reasonNotToRestore: String?
        var restoreOutcomes: [SDKRestoreResult] = []
        /// The thread that sets up, by its identity.
        var settingUp: UInt?

        /// Whether a restore is the current one: results of an older one are ignored.
        func isRestoring(_ generation: Int) -> Bool { current?.number == generation && current?.isReady == false }
    }

    /// The state of one initialisation.
    struct Generation {
        let number: Int
        let configuration: SDKConfiguration
        let session: any SDKSession
        var isReady: Bool
        var modules: [ObjectIdentifier: any Sendable] = [:]
        /// Called for the requests under way when their session ends.
        var requests: [Int: @Sendable () -> Void] = [:]
        /// The parts of the restore: their outcomes come in the same order.
        var restoreNames: [String] = []
        var restore: (task: Task<Void, Never>, timer: DeadlineTimer?)?
    }

    static let tag = "SDKLifecycle"
    let storage: SDKStorage
    let options: SDKOptions
    /// Runs set-ups one at a time. Their decisions are in `state`, which never waits for this queue.
    private let turns = DispatchQueue(label: "startup.sdk-lifecycle")
    let state = Locked(State())
    let readiness = EventBroadcaster(replaying: false)
    let broadcaster = EventBroadcaster<SDKEvent>()
    /// True each time that it becomes ready; false when it is not initialised any more.
    let restoreEnds = EventBroadcaster<Bool>()

    /// An SDK that has not been initialised.
    public init(services: any SDKServices, options: SDKOptions = SDKOptions()) {
        storage = SDKStorage(services: services)
        self.options = options
    }

    /// Whether it is ready: first as it is now, then each time that changes.
    public var isReady: AsyncStream<Bool> { readiness.stream() }
    /// The events of its session from now on, in order. Every call gives a separate stream.
    public var events: AsyncStream<SDKEvent> { broadcaster.stream() }
    /// Whether it is ready now.
    public var isReadyNow: Bool { state.withLock { $0.current?.isReady ?? false } }
    /// Whether it is initialised, ready or not.
    var isInitialized: Bool { state.withLock { $0.current != nil } }
    /// Why the last call returned false; nil when it returned true.
    public var failure: SDKError? { state.withLock { $0.failure } }
    /// The steps of each initialisation, in order, each with its note. Of many initialisations, the latest.
    public var trace: [[String]] { state.withLock { $0.trace } }
    /// How the parts of the last auto-restore ended, as far as they have, in their order.
    public var restoreOutcomes: [SDKRestoreResult] { state.withLock { $0.restoreOutcomes } }
    /// The log, as configured.
    var log: SDKLog { state.withLock { $0.log } }

    /// The configuration of the last initialisation, of this process or of one before it: for code that runs before the
    /// app is up.
    public func recoveredConfiguration() -> StoredAnswer<SDKConfiguration> { storage.recover() }

    /// Initialises with the configuration that a builder makes; when it is initialised with the same one already, that
    /// is all, and with another one it is refused.
    ///
    /// - Returns: whether it is initialised with this configuration; ``failure`` says why not. After a failure it may
    ///     be tried again.
    @discardableResult
    public func initialize(_ builder: SDKConfiguration.Builder) -> Bool {
        setUp("initialize", with: builder, initializeNow)
    }

    /// Ends the session and initialises with another configuration. An invalid configuration changes nothing; nor does
    /// any while the secure storage cannot be used, which is checked first.
    ///
    /// - Returns: whether it is initialised with this configuration; ``failure`` says why not.
    @discardableResult
    public func reconfigure(_ builder: SDKConfiguration.Builder) -> Bool {
        setUp("reconfigure", with: builder, reconfigureNow)
    }

    /// Ends the session, forgets the configuration, and is as before the first initialisation.
    ///
    /// - Returns: false when something could not be removed from the disk; ``failure`` is the first such error.
    ///   Everything else is removed, and the SDK is uninitialised in either case.
    @discardableResult
    public func reset() -> Bool {
        oneAtATime("reset") {
            // First: no token is used any more, even if nothing can be removed.
            tearDown(because: "the SDK was reset")
            try storage.removeAll()
        }
    }

    private func initializeNow(_ configuration: SDKConfiguration) throws {
        guard let current = state.withLock({ $0.current }) else { return try begin(configuration) }
        let differences = current.configuration.differences(from: configuration)
        if differences.isEmpty { return }
        throw SDKError(
            .alreadyInitialized,
            "initialize",
            "it is initialised already, with another \(differences.joined(separator: ", "))",
            resolution: "call reconfigure to change that"
        )
    }

    private func reconfigureNow(_ configuration: SDKConfiguration) throws {
        if isInitialized {
            // Looked at before anything is taken down.
            if case .recreated(let reason) = try storage.open() {
                log.write(.warn, Self.tag, "the secure storage was corrupted and has been made anew: \(reason)")
            }
            tearDown(because: "the SDK was reconfigured")
            // Before the new client: no token may go to the new service.
            try storage.services.clearSession()
        }
        try initializeNow(configuration)
    }

    private func setUp(
        _ call: String,
        with builder: SDKConfiguration.Builder,
        _ body: (SDKConfiguration) throws -> Void
    ) -> Bool {
        oneAtATime(call) {
            // Before the first initialisation only the builder knows the log.
            if !isInitialized { state.withLock { $0.log = builder.makeLog() } }
            try body(try builder.build())
        }
    }

    /// Runs one set-up at a time. A set-up that is asked for from within another would wait for itself, and is refused.
    private func oneAtATime(_ call: String, _ body: () throws -> Void) -> Bool {
        // Found out before the queue: there it would wait for itself.
        if state.withLock({ $0.settingUp }) == currentThreadIdentity() {
            let reason = "it was called from within the SDK's own set-up"
            return end(with: SDKError(.reentrantCall, call, reason, resolution: "call it after that has returned"))
        }
        return turns.sync {
            state.withLock { $0.settingUp = currentThreadIdentity() }
            defer { state.withLock { $0.settingUp = nil } }
            let wasInitialized = isInitialized
            var failure: SDKError?
            do { try body() } catch { failure = SDKStorage.failure(error) }
            // At the end: a reconfiguration takes it down, too, and up again.
            if wasInitialized, !isInitialized { restoreEnds.note(false) }
            return end(with: failure)
        }
    }

    /// - Returns: whether the call has succeeded.
    private func end(with failure: SDKError?) -> Bool {
        let log = state.withLock { state in
            state.failure = failure
            return state.log
        }
        if let failure { log.write(failure.code == .alreadyInitialized ? .warn : .error, Self.tag, "\(failure)") }
        return failure == nil
    }
}

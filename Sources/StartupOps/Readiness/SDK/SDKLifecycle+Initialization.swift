import Sequencer
import StartupStorage

extension SDKLifecycle {
    /// The fixed order: logging, secure storage, credentials, client, boot configuration, auto-restore.
    func begin(_ configuration: SDKConfiguration) throws {
        let log = configuration.makeLog()
        state.withLock { state in
            state.log = log
            state.restoreOutcomes = []
            // Of an app that is reconfigured for ever only the latest initialisations are kept.
            state.trace = state.trace.suffix(99) + [[]]
        }
        note("logging")
        let credentials = SDKStorage.Credentials(configuration)
        // Storage before credentials: those of another service have to be found there first.
        note("secure storage", try openStorage(for: credentials))
        try storage.persist(credentials)
        note("credentials")
        let session = try makeSession(configuration, log)
        note("client")
        note("boot configuration", persistBoot(configuration))
        finish(configuration, session)
    }

    /// Takes everything of this generation down. Does nothing when it is not initialised.
    func tearDown(because reason: String) {
        let ended = state.withLock { state in
            defer { state.current = nil }
            if state.current != nil { broadcaster.note(.loggedOut(because: reason)) }
            if state.current?.isReady == true { tell(isReady: false) }
            return state.current
        }
        guard let ended else { return }
        ended.restore?.timer?.cancel()
        ended.restore?.task.cancel()
        // In the order in which they began.
        for (_, end) in ended.requests.sorted(by: { $0.key < $1.key }) { end() }
        ended.session.invalidate()
        log.write(.info, Self.tag, "logged out: \(reason)")
    }

    /// - Returns: the note for the trace.
    private func openStorage(for credentials: SDKStorage.Credentials) throws -> String? {
        switch try storage.open() {
        case .empty: return nil
        case .recreated(let reason):
            log.write(.warn, Self.tag, "the secure storage was corrupted and has been made anew: \(reason)")
            return "corrupted, and made anew: \(reason)"
        case .credentials(let stored):
            if stored.sharesSessions(with: credentials) { return nil }
            // Left behind by an older version of the app, or by a reconfiguration that was cut off: its token must not
            // go to the new service.
            let hadNoSession = storage.services.storedAccessToken() == .absent
            try storage.services.clearSession()
            if hadNoSession { return nil }
            log.write(.warn, Self.tag, "logged out: the stored session was one of another service")
            return "the session of another service was cleared"
        }
    }

    private func makeSession(_ configuration: SDKConfiguration, _ log: SDKLog) throws(SDKError) -> any SDKSession {
        do {
            return try storage.services.makeSession(configuration, log: log)
        } catch {
            throw SDKError(.clientFailed, "client", "it could not be made: \(error)", underlying: error)
        }
    }

    /// The boot configuration only helps the next process to be quicker: without it the SDK works.
    private func persistBoot(_ configuration: SDKConfiguration) -> String? {
        do throws(StorageError) {
            try storage.persistBoot(configuration)
            return nil
        } catch {
            log.write(.warn, Self.tag, "the boot configuration could not be kept: \(error)")
            return "could not be kept: \(error)"
        }
    }

    private func finish(_ configuration: SDKConfiguration, _ session: any SDKSession) {
        // Before the lock: it may wait for a disk.
        let reasonNotToRestore = reasonNotToRestore()
        let isReady = reasonNotToRestore != nil
        let number = state.withLock { state in
            state.generations += 1
            state.current = Generation(number: state.generations, configuration: configuration, session: session, isReady: isReady)
            state.reasonNotToRestore = reasonNotToRestore
            if isReady { tell(isReady: true) }
            return state.generations
        }
        note("auto-restore", reasonNotToRestore)
        if !isReady { startRestore(session, number) }
    }

    /// Called under the lock, so that nobody hears of it late.
    func tell(isReady: Bool) {
        readiness.note(isReady)
        broadcaster.note(.isReady(isReady))
        if isReady { restoreEnds.note(true) }
    }

    static let noSession = "no session"

    /// - Returns: nil when there is a session to restore.
    private func reasonNotToRestore() -> String? {
        if !options.autoRestores { return "not on this platform" }
        switch storage.services.storedAccessToken() {
        case .absent: return Self.noSession
        case .unavailable(let error):
            // The store cannot tell whether it holds a session. This is not a logout, and nothing is deleted.
            log.write(.warn, Self.tag, "the session cannot be read now: \(error)")
            return "the session cannot be read now: \(error)"
        case .value(let token):
            if token.value.allSatisfy(\.isWhitespace) { return Self.noSession }
            // Before the restore: its messages may quote the token.
            log.redact(token)
            return nil
        }
    }

    private func note(_ step: String, _ note: String? = nil) {
        let line = step + (note.map { ": \($0)" } ?? "")
        let log = state.withLock { state in
            state.trace[state.trace.endIndex - 1].append(line)
            return state.log
        }
        log.write(.debug, Self.tag, line)
    }
}

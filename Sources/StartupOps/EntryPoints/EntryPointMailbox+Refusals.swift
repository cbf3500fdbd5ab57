import Sequencer
import StartupNetworking

// Entry points that the app refused, and those that were dropped: the report of the launch names them.

extension EntryPointMailbox {
    /// The most refusals that are kept for a report.
    static let maximumRefusals = 8

    /// Notes that something came in that the app does not take: the report of the launch that shows the main screen, or fails before it, says so, with the reason.
    ///
    /// ```swift
    /// do { mailbox.receive(.link(try router.link(url.absoluteString))) } catch { mailbox.refuse(because: error) }
    /// ```
    ///
    /// - Parameter error: the error of a router, of a parser of payloads or of ``ShortcutItems``. Of any other, only the type is named: its description may
    ///   quote the input.
    public func refuse(because error: any Error) {
        switch error {
        case let error as DeepLinkError: noteRefusal(error.description)
        case let error as PushPayloadError: noteRefusal(error.description)
        case let error as UnknownShortcutItem: noteRefusal(error.description)
        default: noteRefusal("an entry point was refused: \(type(of: error))")
        }
    }

    /// Notes the parts of a push that were left out.
    func noteProblems(of entryPoint: EntryPoint) {
        guard case .push(let push) = entryPoint else { return }
        for problem in push.problems { noteRefusal("a part of a push was left out: \(problem)") }
    }

    /// The refusals since the last call, each in one sentence for the report; of many, the first ones, and how many more there were.
    func takeRefusals() -> [String] {
        let (sentences, more) = state.withLock { state -> ([String], Int) in
            defer { (state.refusals, state.moreRefusals) = ([], 0) }
            return (state.refusals, state.moreRefusals)
        }
        return more == 0 ? sentences : sentences + ["more was refused: \(more)"]
    }

    /// Sentences for the report on the entry points that were dropped since the last call. Alike ones share one; the last counts further ones.
    func takeDropped() -> [String] {
        let (dropped, more) = state.withLock { state -> ([(sentence: String, count: Int)], Int) in
            defer { (state.untold, state.moreUntold) = ([], 0) }
            return (state.untold, state.moreUntold)
        }
        let sentences = dropped.map { $0.count == 1 ? $0.sentence : "\($0.count) times: \($0.sentence)" }
        return more == 0 ? sentences : sentences + ["more was dropped: \(more)"]
    }

    private func noteRefusal(_ sentence: String) {
        state.withLock { state in
            // An app that is asked again and again says the same: once is enough for the report.
            if state.refusals.contains(sentence) { return }
            if state.refusals.count < Self.maximumRefusals {
                state.refusals.append(sentence)
            } else {
                state.moreRefusals += 1
            }
        }
    }
}

extension EntryPointMailbox.State {
    /// The most sentences that are kept: a report may never come, and has room for few.
    private static let maximumKinds = 4

    /// Keeps the sentence on an entry point that was dropped.
    mutating func keepForReport(_ sentence: String) {
        if let index = untold.firstIndex(where: { $0.sentence == sentence }) {
            untold[index].count += 1
        } else if untold.count < Self.maximumKinds {
            untold.append((sentence, 1))
        } else {
            moreUntold += 1
        }
    }
}

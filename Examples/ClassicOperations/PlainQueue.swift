//  The same operations in an `OperationQueue`, and what is missing there.

import Foundation
import Sequencer

/// The regular launch without a graph.
enum PlainQueue {
    static func show() async {
        print("A regular launch:")
        let operations = await run(Phone()).all
        let finished = operations.count { $0.isFinished }
        print("\(finished) of \(operations.count) operations have finished. When, and how long each took, the queue does not say.")

        print("\nThe version is too old:")
        let update = await run(Phone(isOutdated: true)).update
        print("force-update ended with \(update.error.map { "\($0)" } ?? "no error"), and the main screen came all the same.")

        print("\nThere is no speaker:")
        await run(Phone(hasSpeaker: false))

        print("\nLogin and tutorial wait for each other:")
        let (login, tutorial) = cycle()
        let queue = OperationQueue()
        queue.addOperation(login)
        queue.addOperation(tutorial)
        try? await Task.sleep(for: .milliseconds(500))
        print("after 500 ms, \(queue.operationCount) operations wait, and nobody says why.")
        var graph = OperationGraph("launch")
        let (sameLogin, sameTutorial) = cycle()
        graph.add(sameLogin)
        graph.add(sameTutorial)
        do { _ = try graph.validated() } catch { print("A graph says: \(error)") }
    }

    /// Runs the regular launch, and waits for its end, but not for longer than `limit`.
    @discardableResult
    static func run(_ phone: Phone, limit: Duration = .seconds(2)) async -> (update: ForceUpdateOperation, all: [ConcurrentOperation]) {
        let splash = SplashOperation(phone)
        let update = ForceUpdateOperation(phone)
        let config = FetchConfigOperation(phone)
        let login = LoginOperation(phone, Configuration(country: "SE"))
        let speaker = ConnectSpeakerOperation(phone)
        let tutorial = TutorialOperation(phone)
        // Nothing but the order sees to it that the values are there.
        let main = MainAppOperation(phone, { [weak login] in login?.value }, speaker: { [weak speaker] in speaker?.value })
        tutorial.addDependency(splash)
        for operation in [update, config, login, speaker, tutorial] { main.addDependency(operation) }

        let ended = AsyncStream.makeStream(of: Bool.self)
        main.completionBlock = { ended.continuation.yield(true) }
        let queue = OperationQueue()
        for operation in [splash, tutorial, main] { OperationQueue.main.addOperation(operation) }
        for operation in [update, config, login, speaker] { queue.addOperation(operation) }
        Task {
            try? await Task.sleep(for: limit)
            ended.continuation.yield(false)
        }
        for await isEnd in ended.stream {
            if !isEnd { print("after \(limit) there is no main screen, and no timeout that would end the wait.") }
            break
        }
        return (update, [splash, update, config, login, speaker, tutorial, main])
    }

    private static func cycle() -> (login: Operation, tutorial: Operation) {
        let (login, tutorial) = (LoginOperation(Phone(), Configuration(country: "SE")), TutorialOperation(Phone()))
        login.addDependency(tutorial)
        tutorial.addDependency(login)
        return (login, tutorial)
    }
}

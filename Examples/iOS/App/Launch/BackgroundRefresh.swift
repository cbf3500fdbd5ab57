import BackgroundTasks
import Foundation

/// The time that iOS gives the app in the background, now and then.
nonisolated enum BackgroundRefresh {
    /// Stands in Info.plist under `BGTaskSchedulerPermittedIdentifiers` too.
    static let identifier = "com.example.music.refresh"

    /// Registers what is to be done. Call it before the app has finished launching.
    ///
    /// - Parameter work: says whether all was done; it is cancelled when the time is over.
    static func register(_ work: @escaping @Sendable () async -> Bool) {
        // On a queue of the scheduler's own. The closure has to be isolated to nothing, which `@Sendable` says: one that was isolated to the main actor
        // would trap there.
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
            schedule()
            run(work, in: task)
        }
    }

    /// Asks for time, in a quarter of an hour at the earliest. Asking again replaces what was asked for.
    static func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 900)
        // In a simulator, and where the person has switched it off, there is none: the next launch fetches everything itself.
        try? BGTaskScheduler.shared.submit(request)
    }

    /// Does the work in the time that `task` gives, and completes the task: once, when the work has ended, however it did.
    static func run(_ work: @escaping @Sendable () async -> Bool, in task: BGTask) {
        let work = Task { await work() }
        // A task that is cancelled before it has begun begins cancelled: no expiration is missed.
        task.expirationHandler = { work.cancel() }
        let completion = Completion(task: task)
        // The one place that completes. Work that was cancelled ends after the launch's grace, 250 ms, at the latest.
        Task { completion.task.setTaskCompleted(success: await work.value) }
    }

    /// A task on its way to the place that completes it.
    private struct Completion: @unchecked Sendable {
        // Unchecked: `BGTask` does not say that it is Sendable. Nobody but the holder of this value uses it once its handler is set.
        let task: BGTask
    }
}

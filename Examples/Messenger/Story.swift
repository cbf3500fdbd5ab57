import Foundation
import Sequencer
import StartupOps

/// Some launches, each for another reason, and what a person sees of them.
@MainActor
enum Story {
    static func tell() async throws {
        let app = App(Phone(), Screen())
        app.whenReady()
        show("The app is opened:", app.screen, try await app.launch(app.graph(), Messenger.journal(in: nil)))
        try await app.rested.value
        for work in app.screen.done { print("  when it is ready: \(work)") }

        try await open("It was updated, and has many messages to move:", .afterUpdate(moving: .seconds(8)))
        try await open("There is hardly any room, and the person makes some:", Phone(disk: Disk(isFull: true), answer: .makeRoom))
        try await open("There is hardly any room, and the person leaves:", Phone(disk: Disk(isFull: true), answer: .leave))
        try await open("The phone was switched on, and has not been unlocked:", Phone(isLocked: true))
        try await open("There is no network:", Phone(isOnline: false))
        try await open("This version is too old:", Phone(isOutdated: true))

        let folder = FileManager.default.temporaryDirectory.appending(path: "messenger-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 0..<3 { try await crash(in: "load-chats", folder) }
        try await open("It crashed three times, each time in load-chats:", Phone(), folder)

        try await receive("A message comes while the app does not run:", Phone())
        try await receive("A message comes after an update, before the app was opened:", .updated)
    }

    private static func open(_ title: String, _ phone: Phone, _ folder: URL? = nil) async throws {
        let app = App(phone, Screen())
        show(title, app.screen, try await app.launch(app.graph(), Messenger.journal(in: folder)))
    }

    private static func receive(_ title: String, _ phone: Phone) async throws {
        let notification = NotificationExtension(phone: phone, screen: Screen())
        show(title, notification.screen, try await notification.launch(notification.graph()))
    }

    /// Launches the app in a process of its own, which dies in a step.
    private static func crash(in step: String, _ folder: URL) async throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["crash", step, folder.path]
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        if process.terminationReason == .exit { print("The app did not crash in \(step).") }
    }

    /// Prints what a person saw of a launch, how it ended, and when.
    static func show(_ title: String, _ screen: Screen, _ report: LaunchReport) {
        let budget = report.budget
        let verdict = report.outcome == .completed ? (budget.isMet ? ", within its budget" : ", over its budget") : ""
        let person = budget.interactive > .zero ? "; the person took \(budget.interactive)" : ""
        print("\(title)\n  \(screen.shown.joined(separator: ", "))\n  \(report.outcome.name) in \(budget.measured)\(verdict)\(person)")
    }
}

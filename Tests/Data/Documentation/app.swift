// What an app has of its own, for code that shows how a launch uses it.
struct Updates: Sendable {
    func isUpdateRequired() async throws -> Bool { false }
}
final class Screen: Sendable {
    @MainActor func showUpdate() async {}
    @MainActor func showSplash() async {}
    @MainActor func showMain(_ content: String) async {}
}
final class TutorialScreen: Sendable {
    func show(onClose: @escaping @Sendable () -> Void) { onClose() }
    func close() {}
}
struct Service: Sendable {
    func configuration() async throws -> String { "remote" }
    func logIn(_ configuration: String) async throws -> String { "session" }
}
let updates = Updates()
let screen = Screen()
let tutorial = TutorialScreen()
let service = Service()
@Sendable func index(_ page: Int) {}

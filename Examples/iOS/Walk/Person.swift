import Observation
import StartupOps

/// Who sits in front of the app: answers each question as it appears.
@MainActor
final class Person {
    private let screens: Screens
    /// Whether the login form is left without an answer, once.
    var dismissesNextLogin = false

    init(_ screens: Screens) { self.screens = screens }

    var isStarting: Bool { if case .starting = screens.current { true } else { false } }

    /// Answers questions until a screen appears.
    ///
    /// - Returns: what was asked, in order.
    func goOn(until isThere: (Screen) -> Bool) async -> [String] {
        var asked: [String] = []
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let screen = withObservationTracking {
                screens.current
            } onChange: {
                change.yield()
            }
            if isThere(screen) { return asked }
            if let question = answer(screen) { asked.append(question) }
            for await _ in changes { break }
        }
    }

    private func answer(_ screen: Screen) -> String? {
        switch screen {
        case .login(_, let answer):
            answer.give(dismissesNextLogin ? .dismissed : .logIn(email: "person@example.com", password: "correct horse"))
            dismissesNextLogin = false
            return "login"
        case .code(_, _, let answer):
            answer.give(nil)
            return "code"
        case .tutorial(_, let answer):
            answer.give(())
            return "tutorial"
        case .question(let question, let answer):
            answer.give(question.choices.isEmpty ? nil : 0)
            return question.title
        case .starting, .splash, .update, .main: return nil
        }
    }
}

extension Screen {
    var isMain: Bool { if case .main = self { true } else { false } }
    var isUpdate: Bool { if case .update = self { true } else { false } }
    var place: String? { if case .main(let screen) = self { screen.place } else { nil } }
}

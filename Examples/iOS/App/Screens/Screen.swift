import Foundation
import StartupNetworking
import StartupOps

/// What can be seen. Both sets of screens, SwiftUI's and UIKit's, show these.
enum Screen {
    /// The launch is under way: its progress.
    case starting
    /// The splash, with the progress below.
    case splash
    /// The update screen, or the one that says that the service is being maintained: it stays.
    case update(UpdateNotice)
    /// The login form; what is wrong with the last answer.
    case login(problem: String?, Answer<LoginAnswer>)
    /// The code that was sent to an address.
    case code(email: String, problem: String?, Answer<Secret?>)
    /// The tutorial.
    case tutorial([TutorialPage], Answer<Void>)
    /// Any question that is answered by choosing.
    case question(Question, Answer<Int?>)
    /// The app.
    case main(MainScreen)
}

/// A question with a few answers to choose from.
struct Question: Sendable {
    let title: String
    var text: String?
    let choices: [String]
    /// What not to choose is called; nil when one has to.
    var refusal: String?
}

/// What the update screen says.
struct UpdateNotice: Sendable {
    let title: String
    let text: String
    let canUpdate: Bool

    init(_ decision: UpdateDecision) {
        switch decision {
        case .maintenance(let message, let end):
            title = "Back soon"
            text = message ?? end.map { "The service is closed until \($0.formatted())." } ?? "The service is closed for a while."
            canUpdate = false
        case .required(let minimum, let message, _):
            title = "Please update"
            text = message ?? "This version cannot be used any more. Version \(minimum) can."
            canUpdate = true
        case .mayContinue, .recommended:
            title = "Update"
            text = "A newer version is in the App Store."
            canUpdate = true
        }
    }
}

/// What the main screen shows.
struct MainScreen: Sendable {
    let content: MainContent
    var recommended: SemanticVersion?
    /// Where a link, a push or a shortcut has led.
    var place: String?
}

import Foundation
import StartupNetworking
import StartupOps
import UIKit

/// The login form.
final class LoginViewController: StackViewController {
    init(problem: String?, _ answer: Answer<LoginAnswer>) {
        let (email, password) = (Self.field("Email"), Self.field("Password", isSecret: true))
        super.init([
            Self.label("Log in"), Self.label(problem), email, password,
            Self.button("Log in") { answer.give(.logIn(email: email.text ?? "", password: Secret(password.text ?? ""))) },
            Self.button("Create an account") {
                answer.give(.createAccount(email: email.text ?? "", password: Secret(password.text ?? "")))
            },
            Self.button("Go on as a guest") { answer.give(.continueAsGuest) },
        ])
    }

    required init?(coder: NSCoder) { nil }
}

/// The code that was sent to an address.
final class CodeViewController: StackViewController {
    init(email: String, problem: String?, _ answer: Answer<Secret?>) {
        let code = Self.field("Code")
        super.init([
            Self.label("Which code was sent to \(email)?"), Self.label(problem), code,
            Self.button("Go on") { answer.give(Secret(code.text ?? "")) },
            Self.button("Later") { answer.give(nil) },
        ])
    }

    required init?(coder: NSCoder) { nil }
}

/// The tutorial: a page at a time.
final class TutorialViewController: StackViewController {
    init(_ pages: [TutorialPage], _ answer: Answer<Void>) {
        let (title, text) = (Self.label(pages.first?.title), Self.label(pages.first?.text))
        var rest = pages.dropFirst()
        super.init([
            title, text,
            Self.button("Next") {
                guard let page = rest.popFirst() else { return answer.give(()) }
                (title.text, text.text) = (page.title, page.text)
            },
            Self.button("Skip") { answer.give(()) },
        ])
    }

    required init?(coder: NSCoder) { nil }
}

/// Any question that is answered by choosing.
final class QuestionViewController: StackViewController {
    init(_ question: Question, _ answer: Answer<Int?>) {
        var views: [UIView] = [Self.label(question.title), Self.label(question.text)]
        views += question.choices.enumerated().map { number, title in Self.button(title) { answer.give(number) } }
        if let refusal = question.refusal { views.append(Self.button(refusal) { answer.give(nil) }) }
        super.init(views)
    }

    required init?(coder: NSCoder) { nil }
}

import Foundation
import Observation
import StartupOps
import UIKit

/// The screen that is current, for UIKit and for SwiftUI.
@MainActor @Observable final class ScreenModel: Screens {
    private(set) var text = "One moment"
    /// The button below the text, and what it does.
    private(set) var button: (title: String, action: @MainActor () -> Void)?

    private(set) var isAsking = false

    func logIn() async throws -> Account {
        isAsking = true
        defer { isAsking = false }
        return await withCheckedContinuation { answer in
            show("Who are you?", button: ("Ann", { answer.resume(returning: Account(id: "ann")) }))
        }
    }

    func showHome(_ account: Account, _ configuration: String) {
        show("Hello, \(account.id)", button: ("Log out", { AppDelegate.coordinator.logOut() }))
    }
    func showUpdate() { show("Please update the app") }
    func showFailure(_ message: String) { show(message, button: ("Try again", { AppDelegate.coordinator.handle(.retry) })) }
    func open(_ entryPoint: EntryPoint) { show("\(entryPoint)") }

    private func show(_ text: String, button: (title: String, action: @MainActor () -> Void)? = nil) {
        self.text = text
        // Once: a continuation is not resumed twice.
        self.button = button.map { button in
            (
                button.title,
                { @MainActor [self] in
                    self.button = nil
                    button.action()
                }
            )
        }
    }
}

final class RootViewController: UIViewController {
    private let screens: ScreenModel
    private var content: UIView?

    init(_ screens: ScreenModel) {
        self.screens = screens
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        follow()
    }

    /// Shows the current screen, and the next one when it changes.
    private func follow() {
        let (text, button) = withObservationTracking {
            (screens.text, screens.button)
        } onChange: { [weak self] in
            // Called before the change.
            Task { @MainActor in self?.follow() }
        }
        let label = UILabel()
        label.text = text
        var views: [UIView] = [label]
        if let button {
            let action = UIAction(title: button.title) { _ in button.action() }
            views.append(UIButton(configuration: .filled(), primaryAction: action))
        }
        content?.removeFromSuperview()
        let stack = UIStackView(arrangedSubviews: views)
        stack.axis = .vertical
        stack.frame = view.bounds
        view.addSubview(stack)
        content = stack
    }
}

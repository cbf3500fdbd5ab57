import Foundation
import Observation
import SequencerObservation
import UIKit

/// Shows whatever screen is current, each by a view controller of its own.
final class RootViewController: UIViewController {
    private let screens: Screens
    private let progress: LaunchModel
    private var shown: UIViewController?

    init(_ screens: Screens, _ progress: LaunchModel) {
        self.screens = screens
        self.progress = progress
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        followScreens()
    }

    /// Shows the current screen, and the next one when it changes.
    private func followScreens() {
        let screen = withObservationTracking {
            screens.current
        } onChange: { [weak self] in
            // Called before the change, on the thread that makes it.
            Task { @MainActor in self?.followScreens() }
        }
        show(controller(for: screen))
    }

    private func controller(for screen: Screen) -> UIViewController {
        switch screen {
        case .starting: ProgressViewController(title: nil, progress)
        case .splash: ProgressViewController(title: "Music", progress)
        case .update(let notice): UpdateViewController(notice)
        case .login(let problem, let answer): LoginViewController(problem: problem, answer)
        case .code(let email, let problem, let answer): CodeViewController(email: email, problem: problem, answer)
        case .tutorial(let pages, let answer): TutorialViewController(pages, answer)
        case .question(let question, let answer): QuestionViewController(question, answer)
        case .main(let screen): MainViewController(screen)
        }
    }

    private func show(_ controller: UIViewController) {
        if let shown {
            shown.willMove(toParent: nil)
            shown.view.removeFromSuperview()
            shown.removeFromParent()
        }
        addChild(controller)
        controller.view.frame = view.bounds
        controller.view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        view.addSubview(controller.view)
        controller.didMove(toParent: self)
        shown = controller
    }
}

import Foundation
import Observation
import SequencerObservation
import StartupOps
import UIKit

/// How far the launch is, below the splash if there is one.
final class ProgressViewController: StackViewController {
    private let progress: LaunchModel
    private let bar = UIProgressView(progressViewStyle: .default)
    private let running = StackViewController.label("")

    init(title: String?, _ progress: LaunchModel) {
        self.progress = progress
        super.init([Self.label(title), bar, running])
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        followProgress()
    }

    private func followProgress() {
        withObservationTracking {
            bar.progress = Float(progress.fraction)
            running.text = progress.running.joined(separator: ", ")
        } onChange: { [weak self] in
            Task { @MainActor in self?.followProgress() }
        }
    }
}

/// The screen that takes over: there is no way on from here but the App Store.
final class UpdateViewController: StackViewController {
    init(_ notice: UpdateNotice) {
        var views: [UIView] = [Self.label(notice.title), Self.label(notice.text)]
        if notice.canUpdate, let store = URL(string: "https://apps.apple.com/app/id0000000000") {
            views.append(Self.button("Open the App Store") { UIApplication.shared.open(store) })
        }
        super.init(views)
    }

    required init?(coder: NSCoder) { nil }
}

/// The app.
final class MainViewController: StackViewController {
    init(_ screen: MainScreen) {
        super.init([
            Self.label("Hello, \(screen.content.account.name)"),
            Self.label(screen.content.speaker?.name ?? "No speaker"),
            Self.label(screen.place),
            Self.label(screen.recommended.map { "Version \($0) is in the App Store." }),
        ])
    }

    required init?(coder: NSCoder) { nil }
}

import Foundation
import SequencerObservation
import StartupOps
import SwiftUI

/// Shows whatever screen is current.
struct RootView: View {
    let screens: Screens
    let progress: LaunchModel
    /// Where the person is: iOS keeps it with the scene.
    @SceneStorage("place") private var place: String?

    var body: some View {
        screen
            .onAppear { LaunchCoordinator.shared.restore(place: place) }
            .onChange(of: screens.place) { _, now in if let now { place = now } }
    }

    @ViewBuilder private var screen: some View {
        switch screens.current {
        case .starting: LaunchProgressView(progress: progress)
        case .splash: SplashView(progress: progress)
        case .update(let notice): UpdateView(notice: notice)
        case .login(let problem, let answer): LoginView(problem: problem, answer: answer)
        case .code(let email, let problem, let answer): CodeView(email: email, problem: problem, answer: answer)
        case .tutorial(let pages, let answer): TutorialView(pages: pages, answer: answer)
        case .question(let question, let answer): QuestionView(question: question, answer: answer)
        case .main(let screen): MainView(screen: screen)
        }
    }
}

/// The app.
struct MainView: View {
    let screen: MainScreen

    var body: some View {
        VStack(spacing: 16) {
            Text("Hello, \(screen.content.account.name)").font(.title)
            Text(screen.content.speaker?.name ?? "No speaker")
            if let place = screen.place { Text(place) }
            if let version = screen.recommended { Text("Version \(version.description) is in the App Store.") }
        }
        .padding()
    }
}

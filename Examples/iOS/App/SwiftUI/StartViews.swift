import Foundation
import SequencerObservation
import StartupOps
import SwiftUI

/// How far the launch is.
struct LaunchProgressView: View {
    let progress: LaunchModel

    var body: some View {
        VStack(spacing: 8) {
            ProgressView(value: progress.fraction)
            Text(progress.running.joined(separator: ", ")).font(.caption)
        }
        .padding()
    }
}

/// The splash.
struct SplashView: View {
    let progress: LaunchModel

    var body: some View {
        VStack(spacing: 32) {
            Text("Music").font(.largeTitle)
            LaunchProgressView(progress: progress)
        }
    }
}

/// The screen that takes over: there is no way on from here but the App Store.
struct UpdateView: View {
    let notice: UpdateNotice

    var body: some View {
        VStack(spacing: 16) {
            Text(notice.title).font(.title)
            Text(notice.text)
            if notice.canUpdate, let store = URL(string: "https://apps.apple.com/app/id0000000000") {
                Link("Open the App Store", destination: store)
            }
        }
        .padding()
    }
}

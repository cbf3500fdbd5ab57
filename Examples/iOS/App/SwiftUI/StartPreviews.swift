#if DEBUG
    import Foundation
    import Sequencer
    import SequencerObservation
    import SwiftUI

    /// The splash in the middle of a launch that is made up. One that was run does as well: `sequencer-cli run --clock virtual --json` writes its report.
    struct StartPreviews: PreviewProvider {
        static var previews: some View {
            if let report = try? JSONDecoder().decode(LaunchReport.self, from: Data(launch.utf8)) {
                SplashView(progress: LaunchModel(report, at: .milliseconds(700)))
            }
        }

        private static let launch = """
            {
              "schema": "sequencer.report/1", "scenario": "preview", "outcome": "completed", "milestone": "main-app", "lanes": 2,
              "budget": { "measuredMs": 1500, "interactiveMs": 0, "verdict": "pass" }, "makespanMs": 1500, "workMs": 1900, "criticalPathMs": 1500,
              "operations": [
                { "id": "splash", "outcome": "succeeded", "startMs": 0, "endMs": 400, "slackMs": 100, "critical": false, "attempts": 1 },
                { "id": "fetch-config", "outcome": "succeeded", "startMs": 0, "endMs": 500, "slackMs": 0, "critical": true, "attempts": 1 },
                { "id": "restore-session", "after": ["fetch-config"], "outcome": "succeeded", "startMs": 500, "endMs": 900,
                  "slackMs": 0, "critical": true, "attempts": 1 },
                { "id": "main-app", "after": ["splash", "restore-session"], "outcome": "succeeded", "startMs": 900, "endMs": 1500, "lane": "main",
                  "slackMs": 0, "critical": true, "attempts": 1 }
              ]
            }
            """
    }
#endif

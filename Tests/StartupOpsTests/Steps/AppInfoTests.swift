import TestSupport
import Testing

@testable import StartupOps

@Suite("The running app", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AppInfoTests {
    @Test("E12: one version, the app's, decides whether an update is required and whether the tutorial is shown")
    func version() async throws {
        let device = try SampleDevice()
        // Required from 2.0.0 on, and seen in 1.0.0.
        _ = try await device.launch()
        device.service.requireUpdate(to: "2.0.0")
        let old = try await device.launch(version: SemanticVersion(1, 9))
        #expect(old.report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(!old.shown.contains("main") && old.shown.contains("update"))
        let new = try await device.launch(version: SemanticVersion(2))
        #expect(new.report.outcome == .completed && new.shown.contains("tutorial"))
        #expect(device.directory().launchState().tutorialVersionSeen == .value(SemanticVersion(2)))
    }

    @Test("E12: unless told otherwise, an app runs on this platform, and is set to the device's country and language")
    func defaults() {
        let app = AppInfo(version: SemanticVersion(1))
        #expect(app.platform == currentPlatform && !app.platform.isEmpty)
        #expect(app.region == AppInfo.deviceRegion && !app.region.country.isEmpty && !app.region.language.isEmpty)
    }
}

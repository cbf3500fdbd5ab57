extension StartupStep {
    /// The files that the app needs.
    public static let checkResources = StartupStep("check-resources", "Look for the files the app needs", expected: .milliseconds(5))
    /// The app's registrations.
    public static let register = StartupStep("register", "Make the app's registrations", isOnMain: true, expected: .milliseconds(20))
    /// The configuration of the app's parts.
    public static let configure = StartupStep("configure", "Make the configuration", isOnMain: true, expected: .milliseconds(150))
    /// The end of the process phase.
    public static let endProcessPhase = StartupStep(
        "end-process-phase",
        "End the process phase",
        isOnMain: true,
        expected: .milliseconds(10)
    )
    /// The beginning of the scene phase.
    public static let connectScene = StartupStep("connect-scene", "Connect the scene", isOnMain: true, expected: .milliseconds(30))
    /// The coordinator.
    public static let startCoordinator = StartupStep(
        "start-coordinator",
        "Start the coordinator",
        isOnMain: true,
        expected: .milliseconds(40)
    )
    /// What the person sees first.
    public static let firstScreen = StartupStep("first-screen", "Decide on the first screen", isOnMain: true, expected: .milliseconds(10))
    /// What watches from then on.
    public static let installObservers = StartupStep(
        "install-observers",
        "Install the observers",
        isOnMain: true,
        expected: .milliseconds(10)
    )
}

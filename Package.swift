// swift-tools-version: 6.2
import PackageDescription

// 6.2 is the oldest toolchain that builds this: the sources use `Task.immediate` and `nonisolated(nonsending)`, this file `treatAllWarnings`.
// The platforms are the oldest that have `Duration` and `Clock`. What needs newer ones says so by `@available`.

/// What an app's launch is made with. Each uses only those before it.
let startup: [Target.Dependency] = ["Sequencer", "StartupStorage", "StartupNetworking", "StartupOps"]
/// What explains and proves a launch.
let tools: [Target.Dependency] = ["SequencerAnalysis", "SequencerTesting"]

let package = Package(
    name: "Sequencer",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Sequencer", targets: ["Sequencer"]),
        .library(name: "SequencerAnalysis", targets: ["SequencerAnalysis"]),
        .library(name: "SequencerObservation", targets: ["SequencerObservation"]),
        .library(name: "SequencerTesting", targets: ["SequencerTesting"]),
        .library(name: "SequencerTestingCore", targets: ["SequencerTestingCore"]),
        .library(name: "StartupOps", targets: ["StartupOps", "StartupNetworking", "StartupStorage"]),
        .library(name: "StartupNetworking", targets: ["StartupNetworking", "StartupStorage"]),
        .library(name: "StartupStorage", targets: ["StartupStorage"]),
        // Not for apps: Examples/Backend and Examples/iOS, which are not part of this package, are made with it.
        .library(name: "StartupSamples", targets: ["StartupSamples"]),
        .executable(name: "sequencer-cli", targets: ["sequencer-cli"]),
        .plugin(name: "VerifyScenarios", targets: ["VerifyScenarios"]),
    ],
    targets: [
        // Runs a launch.
        .target(name: "Sequencer", exclude: ["Analysis", "Observation", "Testing"]),
        // Explains one: drawings, reports for people and for other programs, plans, histories.
        .target(name: "SequencerAnalysis", dependencies: ["Sequencer"], path: "Sources/Sequencer/Analysis"),
        // Shows one while it runs: a model for screens.
        .target(name: "SequencerObservation", dependencies: ["Sequencer"], path: "Sources/Sequencer/Observation"),
        // Proves one: virtual time, faults, orders to explore. Without Swift Testing, for programs; SequencerTesting has all of it, for test targets.
        .target(name: "SequencerTestingCore", dependencies: ["Sequencer"], path: "Sources/Sequencer/Testing/Core"),
        .target(
            name: "SequencerTesting",
            dependencies: ["Sequencer", "SequencerAnalysis", "SequencerTestingCore"],
            path: "Sources/Sequencer/Testing",
            exclude: ["Core"]
        ),
        .target(name: "StartupStorage", dependencies: ["Sequencer"], path: "Sources/StartupOps/Storage"),
        .target(name: "StartupNetworking", dependencies: ["Sequencer", "StartupStorage"], path: "Sources/StartupOps/Networking"),
        // The launch of an app.
        .target(
            name: "StartupOps",
            dependencies: ["Sequencer", "StartupNetworking", "StartupStorage"],
            exclude: ["Networking", "Storage", "Samples"]
        ),
        .target(name: "StartupSamples", dependencies: startup, path: "Sources/StartupOps/Samples"),
        .executableTarget(name: "sequencer-cli", dependencies: startup + ["SequencerAnalysis", "SequencerTestingCore", "StartupSamples"]),
        // Checks the scenario files of a target while it builds.
        .plugin(name: "VerifyScenarios", capability: .buildTool(), dependencies: ["sequencer-cli"]),
        .executableTarget(
            name: "QuickStart",
            dependencies: ["Sequencer"],
            path: "Examples/QuickStart",
            exclude: ["README.md", "App"],
            packageAccess: false
        ),
        .executableTarget(
            name: "ClassicOperations",
            dependencies: ["Sequencer"],
            path: "Examples/ClassicOperations",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "MusicApp",
            dependencies: startup + ["StartupSamples"],
            path: "Examples/MusicApp",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "Messenger",
            dependencies: startup + ["SequencerTestingCore"],
            path: "Examples/Messenger",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "Bootstrap",
            dependencies: startup + ["SequencerAnalysis", "StartupSamples"],
            path: "Examples/Bootstrap",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "SDK",
            dependencies: startup + ["StartupSamples"],
            path: "Examples/SDK",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "Browser",
            dependencies: ["Sequencer", "SequencerTestingCore"],
            path: "Examples/Browser",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "PortedApp",
            dependencies: startup + ["SequencerTestingCore"],
            path: "Examples/PortedApp",
            exclude: ["README.md", "iOS"],
            packageAccess: false
        ),
        .testTarget(
            name: "TestingYourLaunch",
            dependencies: startup + tools,
            path: "Examples/TestingYourLaunch",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .target(name: "TestSupport", dependencies: ["Sequencer"], path: "Tests/Support"),
        .testTarget(name: "SequencerTests", dependencies: ["Sequencer", "SequencerObservation"] + tools + ["TestSupport"]),
        .testTarget(name: "StartupOpsTests", dependencies: startup + tools + ["StartupSamples", "TestSupport"]),
        .testTarget(name: "SequencerCLITests", dependencies: startup + tools + ["sequencer-cli", "StartupSamples", "TestSupport"]),
        // What an app could write: it sees neither what is internal nor what the package's own targets share.
        .testTarget(name: "PublicAPITests", dependencies: startup + tools + ["TestSupport"], packageAccess: false),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Sequencer", "SequencerAnalysis", "TestSupport", "QuickStart", "ClassicOperations", "MusicApp", "Bootstrap", "SDK",
                "Browser", "Messenger", "PortedApp", "SequencerTesting", "StartupOps", "StartupStorage",
                "StartupSamples",
            ],
            exclude: ["Browser"]
        ),
        // As an app tests its own launch: of the libraries it sees what is public.
        .testTarget(
            name: "BrowserExamplesTests",
            dependencies: ["Sequencer", "SequencerAnalysis", "SequencerTesting", "TestSupport", "Browser"],
            path: "Tests/ExamplesTests/Browser",
            packageAccess: false
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The gate sets this, and so builds once for the check and for the tests. It is no default: a newer compiler's warnings stop nobody who depends on
// this package.
if Context.environment["SEQUENCER_STRICT"] == "1" {
    for target in package.targets where target.type != .plugin {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}

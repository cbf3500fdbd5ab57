// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Sequencer",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Sequencer", targets: ["Sequencer"]),
        .library(name: "StartupOps", targets: ["StartupOps"]),
        .executable(name: "sequencer-cli", targets: ["sequencer-cli"]),
    ],
    targets: [
        .target(name: "Sequencer"),
        .target(name: "StartupOps", dependencies: ["Sequencer"]),
        .executableTarget(name: "sequencer-cli", dependencies: ["Sequencer", "StartupOps"]),
        .executableTarget(name: "QuickStart", dependencies: ["Sequencer"], path: "Examples/QuickStart", exclude: ["README.md"]),
        .executableTarget(name: "MusicApp", dependencies: ["Sequencer", "StartupOps"], path: "Examples/MusicApp", exclude: ["README.md"]),
        .executableTarget(
            name: "Bootstrap",
            dependencies: ["Sequencer", "StartupOps"],
            path: "Examples/Bootstrap",
            exclude: ["README.md"]
        ),
        .executableTarget(name: "SDK", dependencies: ["Sequencer", "StartupOps"], path: "Examples/SDK", exclude: ["README.md"]),
        .testTarget(
            name: "TestingYourLaunch",
            dependencies: ["Sequencer", "StartupOps"],
            path: "Examples/TestingYourLaunch",
            exclude: ["README.md"]
        ),
        .target(name: "TestSupport", dependencies: ["Sequencer"], path: "Tests/Support"),
        .testTarget(name: "SequencerTests", dependencies: ["Sequencer", "TestSupport"]),
        .testTarget(name: "StartupOpsTests", dependencies: ["StartupOps", "TestSupport"]),
        .testTarget(name: "SequencerCLITests", dependencies: ["sequencer-cli", "StartupOps", "TestSupport"]),
        .testTarget(name: "ExamplesTests", dependencies: ["QuickStart", "MusicApp", "Bootstrap", "SDK", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

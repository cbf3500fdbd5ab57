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
        .target(name: "TestSupport", dependencies: ["Sequencer"], path: "Tests/Support"),
        .testTarget(name: "SequencerTests", dependencies: ["Sequencer", "TestSupport"]),
        .testTarget(name: "StartupOpsTests", dependencies: ["StartupOps", "TestSupport"]),
        .testTarget(name: "SequencerCLITests", dependencies: ["sequencer-cli", "StartupOps", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

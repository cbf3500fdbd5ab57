// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirstLaunch",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [.library(name: "FirstLaunch", targets: ["FirstLaunch"])],
    dependencies: [
        .package(path: "../Sequencer")
    ],
    targets: [
        .target(name: "FirstLaunch", dependencies: [.product(name: "Sequencer", package: "Sequencer")]),
        .testTarget(
            name: "FirstLaunchTests",
            dependencies: [
                "FirstLaunch", .product(name: "SequencerAnalysis", package: "Sequencer"),
                .product(name: "SequencerTesting", package: "Sequencer"),
            ]
        ),
    ]
)

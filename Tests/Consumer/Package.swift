// swift-tools-version: 6.2
import PackageDescription

// The libraries as an app has them: their products, and nothing but what is public. `Scripts/test-consumer` builds and runs all of it.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sequencer", path: "../..")],
    targets: [
        // Says what a program has shown. Of the libraries it uses none.
        .target(name: "Behaviours"),
        // Programs that import one library each.
        .executableTarget(name: "storage", dependencies: ["Behaviours", .product(name: "StartupStorage", package: "Sequencer")]),
        .executableTarget(name: "networking", dependencies: ["Behaviours", .product(name: "StartupNetworking", package: "Sequencer")]),
        .executableTarget(name: "samples", dependencies: ["Behaviours", .product(name: "StartupSamples", package: "Sequencer")]),
        // The sample service on a port of this machine, for `networking`.
        .executableTarget(name: "service", dependencies: [.product(name: "StartupSamples", package: "Sequencer")]),
        // Has the engine, and launches nothing.
        .executableTarget(name: "idle", dependencies: [.product(name: "Sequencer", package: "Sequencer")]),
        .testTarget(
            name: "ConsumerTests",
            dependencies: [
                "idle",
                .product(name: "Sequencer", package: "Sequencer"),
                .product(name: "SequencerTesting", package: "Sequencer"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Telemetry",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "SequencerTelemetry", targets: ["SequencerTelemetry"])],
    dependencies: [
        .package(name: "Sequencer", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    ],
    targets: [
        .target(
            name: "SequencerTelemetry",
            dependencies: [
                .product(name: "Sequencer", package: "Sequencer"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .executableTarget(
            name: "telemetry",
            dependencies: [
                "SequencerTelemetry",
                .product(name: "Sequencer", package: "Sequencer"),
                // The sample runs in virtual time.
                .product(name: "SequencerTestingCore", package: "Sequencer"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                // What they keep in memory is what this program prints; a real one has a handler of its own for each.
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ]
        ),
        .testTarget(
            name: "SequencerTelemetryTests",
            dependencies: [
                "SequencerTelemetry",
                "telemetry",
                .product(name: "SequencerTesting", package: "Sequencer"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

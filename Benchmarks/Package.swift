// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "engine-bench", targets: ["engine-bench"]),
        .executable(name: "engine-count", targets: ["engine-count"]),
        .executable(name: "engine-growth", targets: ["engine-growth"]),
        .executable(name: "empty-foundation", targets: ["empty-foundation"]),
    ],
    dependencies: [.package(name: "Sequencer", path: "..")],
    targets: [
        .target(
            name: "EngineBench",
            dependencies: [
                "CMemory",
                .product(name: "Sequencer", package: "Sequencer"),
                .product(name: "SequencerAnalysis", package: "Sequencer"),
                .product(name: "SequencerTestingCore", package: "Sequencer"),
                .product(name: "StartupOps", package: "Sequencer"),
            ]
        ),
        // What the C library says of its heap, which Swift's overlay of it does not show.
        .target(name: "CMemory"),
        .executableTarget(name: "engine-bench", dependencies: ["EngineBench"]),
        .executableTarget(name: "engine-count", dependencies: ["EngineBench"]),
        .executableTarget(name: "engine-growth", dependencies: ["EngineBench"]),
        // What `sequencer-cli --version` is compared with.
        .executableTarget(name: "empty-foundation"),
    ],
    swiftLanguageModes: [.v6]
)

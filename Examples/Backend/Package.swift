// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Backend",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Sequencer", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // Hummingbird depends on these as well; they are named here because this package uses them itself.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "backend",
            dependencies: [
                .product(name: "StartupNetworking", package: "Sequencer"),
                .product(name: "StartupSamples", package: "Sequencer"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(name: "BackendTests", dependencies: ["backend"]),
    ],
    swiftLanguageModes: [.v6]
)

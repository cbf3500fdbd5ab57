/// How long an embedded backend takes to answer, by path: always the same, without jitter.
public struct EmbeddedLatency: Sendable, Hashable {
    /// How long the paths take that are not in ``paths``.
    public var other: Duration
    /// How long these paths take. A path that ends with a slash stands for all below it.
    public var paths: [String: Duration]

    /// These durations.
    public init(other: Duration, paths: [String: Duration] = [:]) {
        self.other = other
        self.paths = paths
    }

    /// Answers come at once.
    public static let none = EmbeddedLatency(other: .zero)

    /// What the services of an app take over a good mobile connection.
    public static let typical = EmbeddedLatency(
        other: .milliseconds(60),
        paths: [
            "/v1/version-policy": .milliseconds(120),
            "/v1/countries": .milliseconds(80),
            "/v1/configuration": .milliseconds(180),
            "/oauth/token": .milliseconds(300),
            "/v1/accounts": .milliseconds(250),
            "/v1/profile": .milliseconds(100),
            "/v1/entitlements": .milliseconds(90),
            "/v1/devices/": .milliseconds(70),
            "/graphql": .milliseconds(150),
            "/_admin/": .milliseconds(20),
        ]
    )

    /// How long a path takes.
    public func duration(of path: String) -> Duration {
        if let duration = paths[path] { return duration }
        return paths.filter { $0.key.hasSuffix("/") && path.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value ?? other
    }
}

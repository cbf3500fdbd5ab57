import Sequencer

/// Keeps connections open: each closes when it is let go of.
public final class ConnectedDevices: Sendable {
    private let connections = Locked<[any DeviceConnection]>([])

    /// No connections.
    public init() {}

    /// What is connected.
    public var all: [any DeviceConnection] { connections.withLock { $0 } }

    /// Keeps a connection.
    public func add(_ connection: any DeviceConnection) {
        connections.withLock { $0.append(connection) }
    }

    /// Closes all of them.
    public func closeAll() {
        let open = connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in open { connection.close() }
    }
}

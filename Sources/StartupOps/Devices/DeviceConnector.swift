import Sequencer
import StartupNetworking

/// Connects to devices, and finds them.
///
/// Every method returns or throws by its deadline, and soon after the calling task was cancelled; then it closes its
/// connections.
public protocol DeviceConnector: Sendable {
    /// Connects to a speaker that is known.
    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection

    /// Looks for speakers.
    ///
    /// - Parameter endpoints: the expected addresses of speakers. A connector that has other ways to find some may look
    ///     elsewhere too.
    /// - Returns: those that were found, which may be none; those that do not answer are left out.
    /// - Throws: when it was cancelled, or cannot look at all.
    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker]

    /// The same, for connectors that look in several places and do without those that fail.
    ///
    /// - Parameter note: called, before the return, with a sentence for each source that did not answer.
    func scan(
        _ endpoints: [AppConfiguration.Endpoint],
        by deadline: Deadline,
        note: @Sendable (String) -> Void
    ) async throws(DeviceError) -> [Speaker]
}

extension DeviceConnector {
    /// Looks in the one place there is.
    public func scan(
        _ endpoints: [AppConfiguration.Endpoint],
        by deadline: Deadline,
        note: @Sendable (String) -> Void
    ) async throws(DeviceError) -> [Speaker] {
        try await scan(endpoints, by: deadline)
    }
}

/// Finds no device: for an app that has none.
struct NoDevices: DeviceConnector {
    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        throw DeviceError(.unreachable, "speaker", "the app was given nothing that connects to devices")
    }

    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] { [] }
}

/// An open connection to a device. It closes when it is released.
public protocol DeviceConnection: Sendable {
    /// The speaker at the other end, under the name that it gives itself.
    var speaker: Speaker { get }

    /// Asks the speaker whether it is still there.
    func ping(by deadline: Deadline) async throws(DeviceError)

    /// Takes leave and closes the connection; calls that wait for an answer end at once. It can be called more than
    /// once.
    func close()
}

/// A speaker and where it answers.
public struct Speaker: Sendable, Hashable, Codable, Identifiable, CustomStringConvertible {
    /// The service's identifier; without one, host and port.
    public let id: String
    /// The user's name for it.
    public let name: String
    /// A name or an address.
    public let host: String
    /// From 1 to 65535; connecting to another one fails as ``DeviceError/Code/invalidAddress``.
    public let port: Int

    /// A speaker.
    public init(id: String, name: String, host: String, port: Int) {
        self.id = id
        self.name = name
        self.host = host
        self.port = port
    }

    /// To the byte.
    public static func == (one: Speaker, other: Speaker) -> Bool {
        areSame(one.id, other.id) && areSame(one.name, other.name) && areSame(one.host, other.host)
            && one.port == other.port
    }

    /// Name, host and port.
    public var description: String { printable("\(name) (\(host):\(port))") }
}

/// Why a device could not be reached or talked to.
public struct DeviceError: DescribedError, Sendable, Hashable {
    /// The kinds of error.
    public struct Code: NamedValue, Sendable, Hashable {
        package let name: String

        /// There can be no such host or port.
        public static let invalidAddress = Code(name: "invalidAddress")
        /// The host's name is not known.
        package static let unknownHost = Code(name: "unknownHost")
        /// Nobody answers there, or the connection was lost.
        public static let unreachable = Code(name: "unreachable")
        /// No answer came before the deadline.
        public static let timedOut = Code(name: "timedOut")
        /// The task was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// This side has closed the connection.
        package static let closed = Code(name: "closed")
        /// Somebody answers, but not as a speaker does.
        package static let unexpectedAnswer = Code(name: "unexpectedAnswer")
    }

    /// The kind of error.
    public let code: Code
    /// The device, such as `speaker 127.0.0.1:7400`.
    let device: String
    /// The reason in a few words.
    let reason: String

    /// An error.
    public init(_ code: Code, _ device: String, _ reason: String) {
        self.code = code
        self.device = device
        self.reason = reason
    }

    /// The device and what happened, in one sentence.
    public var description: String { "\(device): \(reason)" }
}

/// Keeps connections open: each closes when it is released.
public final class ConnectedDevices: Sendable {
    private let connections = Locked<[any DeviceConnection]>([])

    /// No connections.
    init() {}

    /// The open connections.
    var all: [any DeviceConnection] { connections.withLock { $0 } }

    /// Keeps a connection.
    func add(_ connection: any DeviceConnection) {
        connections.withLock { $0.append(connection) }
    }

    /// Closes all of them.
    public func closeAll() {
        let open = connections.withLock { exchange(&$0, with: []) }
        // Outside the lock: a connection may be of the app's own making.
        for connection in open { connection.close() }
    }
}

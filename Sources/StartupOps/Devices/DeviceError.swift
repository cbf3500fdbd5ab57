import Foundation

/// Why a device could not be reached or talked to.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// There can be no such host or port.
        public static let invalidAddress = Code(description: "invalidAddress")
        /// The host's name is not known.
        public static let unknownHost = Code(description: "unknownHost")
        /// Nobody answers there, or the connection was lost.
        public static let unreachable = Code(description: "unreachable")
        /// There was no answer before the deadline.
        public static let timedOut = Code(description: "timedOut")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// This side has closed the connection.
        public static let closed = Code(description: "closed")
        /// Somebody answers, but not as a speaker does.
        public static let unexpectedAnswer = Code(description: "unexpectedAnswer")
    }

    /// What kind of error it is.
    public let code: Code
    /// The device, such as `speaker 127.0.0.1:7400`.
    public let device: String
    /// What happened, in a few words.
    public let reason: String

    /// An error.
    public init(_ code: Code, _ device: String, _ reason: String) {
        self.code = code
        self.device = device
        self.reason = reason
    }

    /// The device and what happened, in one sentence.
    public var description: String { "\(device): \(reason)" }
}

extension DeviceError {
    /// The error for a system's error number.
    init(system number: Int32, _ device: String, _ action: String) {
        self.init(
            number == ETIMEDOUT ? .timedOut : .unreachable,
            device,
            Self.words[number] ?? "\(action) failed with system error \(number)"
        )
    }

    /// What a person calls the system's errors; `strerror` may not be called by two threads at once.
    private static let words: [Int32: String] = [
        ECONNREFUSED: "connection refused",
        ECONNRESET: "the connection was reset",
        EPIPE: "the connection was reset",
        EHOSTUNREACH: "no route to the host",
        ENETUNREACH: "the network cannot be reached",
        ENETDOWN: "the network is down",
        ETIMEDOUT: "the host does not answer",
        EADDRINUSE: "the port is in use",
        EACCES: "access was denied",
        EMFILE: "the process has no free file descriptor",
        ENFILE: "the system has no free file descriptor",
    ]
}

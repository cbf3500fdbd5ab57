/// Connects to devices, and finds them.
///
/// Every method returns or throws by its deadline, and soon after the calling task was cancelled; then what it had opened is closed.
public protocol DeviceConnector: Sendable {
    /// Connects to a speaker that is known.
    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection

    /// Looks for speakers.
    ///
    /// - Parameter endpoints: where speakers are said to answer. A connector with a way of its own to find some may look elsewhere too.
    /// - Returns: those that were found, which may be none; those that do not answer are left out.
    /// - Throws: when it was cancelled, or cannot look at all.
    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker]

    /// The same, for connectors that look in several places and do without those that fail.
    ///
    /// - Parameter note: told what it did without, in one sentence, before it returns.
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

/// An open connection to a device. It closes when it is released.
public protocol DeviceConnection: Sendable {
    /// The speaker at the other end, under the name that it gives itself.
    var speaker: Speaker { get }

    /// Asks the speaker whether it is still there.
    func ping(by deadline: Deadline) async throws(DeviceError)

    /// Takes leave and closes the connection; what waits for an answer ends at once. It can be called more than once.
    func close()
}

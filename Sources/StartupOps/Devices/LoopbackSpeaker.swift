import Foundation
import Sequencer

/// A real speaker, as far as its protocol goes, on this machine: for tests, samples and demonstrations.
///
/// It listens on 127.0.0.1, serves any number of clients on one thread of its own, and can be told to misbehave. It stops when it is released.
///
/// ```swift
/// let speaker = try LoopbackSpeaker(name: "Kitchen")
/// let connection = try await TCPSpeakerConnector().connect(to: speaker.speaker, by: .after(.seconds(1)))
/// ```
public final class LoopbackSpeaker: Sendable {
    /// How a speaker can misbehave.
    public enum Fault: Sendable, Hashable {
        /// It takes connections and never answers.
        case silent
        /// It answers after so long.
        case slow(Duration)
        /// It greets as something that is no speaker.
        case wrongGreeting
        /// It answers with a line that never ends.
        case endless
        /// It closes the connection instead of answering.
        case closes
    }

    /// What happens at the speaker.
    public enum Event: Sendable, Hashable {
        /// A client has connected.
        case connected
        /// A client sent this line.
        case received(String)
        /// A client is gone.
        case disconnected
    }

    /// What to connect to.
    public let speaker: Speaker
    private let shared: LoopbackSpeakerState

    /// Starts a speaker.
    ///
    /// - Parameters:
    ///   - port: where to listen; with 0 the system chooses.
    ///   - onEvent: told what happens, on the speaker's thread, which it holds up.
    /// - Throws: ``DeviceError`` when it cannot listen there.
    public init(
        id: String = "loopback",
        name: String = "Loopback",
        port: UInt16 = 0,
        fault: Fault? = nil,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(DeviceError) {
        let device = "loopback speaker 127.0.0.1:\(port)"
        guard let wake = WakeSignal() else { throw DeviceError(system: EMFILE, device, "opening a pipe") }
        let (listener, boundPort) = try Self.listen(on: port, device)
        let name = plainText(name, limit: 64)
        speaker = Speaker(id: id, name: name, host: "127.0.0.1", port: boundPort)
        let shared = LoopbackSpeakerState(fault: fault, wake: wake, onEvent: onEvent)
        self.shared = shared
        let thread = Thread {
            shared.thread.withLock { $0 = ObjectIdentifier(Thread.current) }
            LoopbackSpeakerLoop(listener, name, shared).run()
        }
        thread.name = "loopback-speaker"
        thread.start()
    }

    deinit { stop() }

    /// Changes how it misbehaves from the next line it receives on; nil makes it behave.
    public func setFault(_ fault: Fault?) { shared.fault.withLock { $0 = fault } }

    /// Closes every connection and stops listening. When it returns, connections are refused, unless it was called from `onEvent`.
    public func stop() {
        shared.stop()
        if shared.thread.withLock({ $0 }) != ObjectIdentifier(Thread.current) { shared.waitUntilStopped() }
    }

    private static func listen(on port: UInt16, _ device: String) throws(DeviceError) -> (listener: Int32, port: Int) {
        guard let address = SocketPlatform.addresses(of: "127.0.0.1", port: Int(port), isNumeric: true).first,
            let listener = SocketPlatform.socket(address.family)
        else { throw DeviceError(system: errno, device, "opening a socket") }
        var on: Int32 = 1
        _ = setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var bound = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening =
            address.withPointer { bind(listener, $0, $1) } == 0 && Foundation.listen(listener, 64) == 0
            && withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
            } == 0
        guard isListening else {
            let number = errno
            close(listener)
            throw DeviceError(system: number, device, "listening")
        }
        return (listener, Int(UInt16(bigEndian: bound.sin_port)))
    }
}

/// What a loopback speaker and its thread share.
final class LoopbackSpeakerState: Sendable {
    let fault: Locked<LoopbackSpeaker.Fault?>
    /// The thread that serves, once it runs.
    let thread = Locked<ObjectIdentifier?>(nil)
    let wake: WakeSignal
    let onEvent: @Sendable (LoopbackSpeaker.Event) -> Void
    private let isStopping = Locked(false)
    private let stopped = NSCondition()
    private let hasStopped = Locked(false)

    init(fault: LoopbackSpeaker.Fault?, wake: WakeSignal, onEvent: @escaping @Sendable (LoopbackSpeaker.Event) -> Void) {
        self.fault = Locked(fault)
        self.wake = wake
        self.onEvent = onEvent
    }

    var mustStop: Bool { isStopping.withLock { $0 } }

    func stop() {
        isStopping.withLock { $0 = true }
        wake.signal()
    }

    func didStop() {
        stopped.lock()
        hasStopped.withLock { $0 = true }
        stopped.broadcast()
        stopped.unlock()
    }

    func waitUntilStopped() {
        stopped.lock()
        while !hasStopped.withLock({ $0 }) { stopped.wait() }
        stopped.unlock()
    }
}

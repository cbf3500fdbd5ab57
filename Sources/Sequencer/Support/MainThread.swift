/// The one place besides lanes where a step can be asked to run.
public struct MainThread: Sendable {
    /// The main thread: the step's closure is isolated to the main actor, or its `Operation` is started there.
    public static let main = MainThread()
}

/// Something that watches what changes as long as the app lives: who the user is, what notifications or tracking are allowed.
public struct BootstrapObserver: Sendable {
    /// What it is called, in reports; unique in a plan.
    public let name: String
    let observe: @Sendable (BootstrapConfiguration) async -> Void

    /// An observer.
    ///
    /// - Parameter observe: reads a stream until it ends; it runs in a task of its own, off the main thread, and is told to cancel when the
    ///   ``Bootstrap`` it belongs to is no longer kept.
    public init(_ name: String, observe: @escaping @Sendable (BootstrapConfiguration) async -> Void) {
        self.name = name
        self.observe = observe
    }
}

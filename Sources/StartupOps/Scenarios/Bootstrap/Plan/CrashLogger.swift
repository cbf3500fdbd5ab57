/// Reports crashes, and wants to know whose they are.
public protocol CrashLogger: Sendable {
    /// Crashes from now on are this user's, on this device.
    ///
    /// - Parameter user: nil when nobody is logged in, or the session does not say who is.
    func identify(user: String?, device: String)
}

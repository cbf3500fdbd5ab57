import Foundation

/// A file that has to be delivered with the app, such as the configuration of a platform's SDK.
public struct RequiredResource: Sendable, Hashable {
    /// The file's name, as people know it: `GoogleService-Info.plist`.
    public let name: String
    /// Where it should be; nil when the bundle has no such file.
    public let location: URL?
    /// What cannot work without it.
    public let reason: String
    /// Whether there is no launch without it.
    public let isRequired: Bool

    /// A file at `location`.
    public init(_ name: String, at location: URL?, isRequired: Bool = true, because reason: String) {
        self.name = name
        self.location = location
        self.isRequired = isRequired
        self.reason = reason
    }

    /// What is wrong with it; nil when it is a file that can be read and is not empty.
    func problem() -> MissingResourceError? {
        guard let location else { return MissingResourceError(name: name, problem: "it is not among the app's files", reason: reason) }
        do {
            // A directory cannot be read, and neither can what another user owns: both fail here, and say how.
            let content = try Data(contentsOf: location, options: .mappedIfSafe)
            return content.isEmpty ? MissingResourceError(name: name, problem: "it is empty", reason: reason) : nil
        } catch CocoaError.fileReadNoSuchFile {
            return MissingResourceError(name: name, problem: "there is no such file", reason: reason)
        } catch {
            return MissingResourceError(name: name, problem: "it cannot be read", reason: reason)
        }
    }
}

/// A file that the app needs is not there, or cannot be read.
public struct MissingResourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public let name: String
    /// What is wrong with it.
    public let problem: String
    /// What cannot work without it.
    public let reason: String

    /// One sentence.
    public var description: String { "\(name) is needed, because \(reason), and \(problem); add it to the app's target" }
}

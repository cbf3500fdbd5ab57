/// Why a launch is one: only what a person waits for is counted when launches die.
public enum LaunchKind: String, Sendable, Hashable, CaseIterable {
    /// A person has started the app, and waits for it.
    case foreground
    /// The system has started the app, or keeps it, where nobody sees it. It may end it at any time.
    case background
    /// The system has started the app before anybody asked for it, and may end it at any time.
    case prewarmed
}

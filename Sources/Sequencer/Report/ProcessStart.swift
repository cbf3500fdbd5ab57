/// How the process of a launch began. Only where the user has started it, the time before the launch is the launch's:
/// see ``LaunchOptions/processStart``.
public struct ProcessStart: NamedValue, Sendable, Hashable {
    package let name: String

    /// The user has started the app, and waits since then.
    public static let person = Self(name: "person")
    /// The system has started the app where nobody sees it, for a push or a task in the background.
    public static let background = Self(name: "background")
    /// The system has started the app before anybody asked for it.
    public static let prewarmed = Self(name: "prewarmed")
    /// Nobody has said how, and it was more than ``maximumTimeBeforeRun`` ago.
    static let early = Self(name: "early")

    /// The longest time between the start of a process and its launch that is the launch's: the system ends an app
    /// whose launch takes 20 seconds. A process that is older was started for something else, or before anybody asked
    /// for it.
    static let maximumTimeBeforeRun = Duration.seconds(20)

    /// The start of a process of that age, for a launch whose budget counts from there; nil where the age is not known.
    static func judged(_ said: ProcessStart?, age: Duration?, isPrewarmed: Bool = isPrewarmed) -> ProcessStart? {
        if let said, said != .person { return said }
        if said == nil, isPrewarmed { return .prewarmed }
        return age.map { $0 > maximumTimeBeforeRun ? .early : .person }
    }

    /// Why a time does not count from the start of the process:
    /// `; counted from the launch on, for its process was prewarmed`.
    var text: String {
        let reason =
            switch self {
            case .background: "began in the background"
            case .prewarmed: "was prewarmed"
            case .early: "began more than \(durationText(Self.maximumTimeBeforeRun)) before"
            // Of a report of a later version.
            default: "began otherwise (\(printable(name, limit: 80)))"
            }
        return "; counted from the launch on, for its process \(reason)"
    }
}

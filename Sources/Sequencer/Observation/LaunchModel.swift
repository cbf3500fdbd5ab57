import Observation
import Sequencer

/// The progress of a launch, for a screen. A view that reads a property is drawn again when the property changes.
///
/// ```swift
/// let model = LaunchModel()   // kept by the app; a view has it as a property
/// model.follow(try graph.start(budget: .seconds(3)))
/// ```
///
/// It changes on the main actor, and the launch does not wait for it: it may show an earlier state. ``remaining`` is as
/// of the launch's last event.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor @Observable
public final class LaunchModel {
    /// Something outside of the app that a launch waits for.
    public enum Wait: Sendable, Hashable {
        /// The user, whom this operation asks.
        case person(operation: String)
        /// The event of this name, for which this operation waits.
        case event(String, operation: String)
    }

    /// The part of the operations that have ended, from 0 to 1: of those that the milestone needs, or of all without
    /// one. They may have failed.
    public private(set) var fraction = 0.0
    /// The identifiers of the operations that run, in the order in which they started; after the milestone as well.
    public private(set) var running: [String] = []
    /// The users and events that the launch waits for, in the order in which that began.
    public private(set) var waits: [Wait] = []
    /// How long the longest way to the milestone is still expected to take, without users' time; where lanes are few,
    /// the launch may take longer.
    ///
    /// Nil if no operation has an expected duration (`StepOption.expected(_:)`), while the milestone waits for the user
    /// or an event, and at the end. An operation without an expected duration counts as zero. An operation that takes
    /// longer than expected counts as if it ended at once.
    public private(set) var remaining: Duration?
    /// How the launch ended; nil until its milestone has. Where a milestone is not reached, and without one, nil until
    /// the end.
    public private(set) var outcome: LaunchReport.Outcome?

    @ObservationIgnored private var followed: FollowedLaunch?
    @ObservationIgnored private var readers: [Task<Void, Never>] = []

    /// A model that follows no launch yet: nothing has ended, and nothing runs.
    public init() {}

    /// A model of a launch that is not run, for previews: as it was at `time`, or at its end if nil.
    ///
    /// The report may be one that was kept, or be made up: of a launch in virtual time, or read from JSON.
    ///
    /// ```swift
    /// let report = try JSONDecoder().decode(LaunchReport.self, from: Data(contentsOf: file))   // sequencer-cli run --clock virtual --json -o file
    /// SplashView(launch: LaunchModel(report, at: .milliseconds(800)))
    /// ```
    public init(_ report: LaunchReport, at time: Duration? = nil) {
        let moment = ReportedMoment(report, at: time ?? report.makespan)
        (fraction, running, waits, remaining) = (moment.fraction, moment.running, moment.waits, moment.remaining)
        outcome = moment.outcome
    }

    /// Follows this launch from its first event to its end, and no longer the one before it.
    ///
    /// The launch does not wait for the model. Letting go of the model does not end the launch.
    public func follow(_ launch: RunningLaunch) {
        for reader in readers { reader.cancel() }
        let (questions, asked) = AsyncStream.makeStream(of: String.self)
        var followed = FollowedLaunch(launch.graph)
        for operation in launch.watchQuestions({ asked.yield($0) }) {
            followed.ask(operation, isAsking: true)
        }
        outcome = nil
        show(followed)
        readers = [
            Task { [weak self, events = launch.events] in
                for await event in events { self?.change { $0.apply(event) } }
                // The launch would keep it, and so its reader.
                asked.finish()
            },
            Task { [weak self] in
                for await operation in questions { self?.change { $0.ask(operation, isAsking: launch.isAsking(operation)) } }
            },
            Task { [weak self] in
                let outcome = await launch.milestoneOutcome
                if !Task.isCancelled { self?.ended(outcome) }
            },
        ]
    }

    private func change(_ body: (inout FollowedLaunch) -> Void) {
        // A reader may be cancelled after it has taken an event, and before this.
        guard !Task.isCancelled, var followed else { return }
        body(&followed)
        show(followed)
    }

    private func ended(_ outcome: LaunchReport.Outcome) {
        self.outcome = outcome
        remaining = nil
    }

    /// Sets only the properties that differ: each that is set draws views again.
    private func show(_ followed: FollowedLaunch) {
        self.followed = followed
        if fraction != followed.fraction { fraction = followed.fraction }
        if running != followed.running { running = followed.running }
        if waits != followed.waits { waits = followed.waits }
        let left = outcome == nil ? followed.remaining : nil
        if remaining != left { remaining = left }
    }
}

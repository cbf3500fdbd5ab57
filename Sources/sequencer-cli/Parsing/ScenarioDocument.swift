import Foundation
import Sequencer
import StartupNetworking

/// A scenario file as it is written: checked, but with nothing decided about how to run it.
struct ScenarioDocument: Equatable, Sendable {
    /// The value of the key `schema` that this tool reads.
    static let schema = "sequencer.scenario/1"
    /// The schema of a graph without work, as an app prints it by `validated().json()`: its operations take as long as
    /// expected.
    static let graphSchema = "sequencer.graph/1"
    /// The size of a file beyond which it is not read.
    static let sizeLimit = 64 * 1024 * 1024
    static let operationLimit = 1_000_000
    static let lanes = 1...1024

    var name: String
    var budget: Duration?
    /// The identifier of the operation whose end stops the budget clock.
    var milestone: String?
    /// The identifier of the operation that shows the user the app for the first time.
    var initialDisplay: String?
    /// The time that this may take.
    var initialDisplayBudget: Duration?
    var lanes: Int?
    /// The launch ends by then, even if operations still run.
    var deadline: Duration?
    /// How many operations may hold a resource at the same time; of others, one may.
    var resources: [String: Int] = [:]
    /// The facts that conditions ask for, each with the values that it may have; the first is the one that it has.
    var facts: [String: [String]] = [:]
    var operations: [OperationDocument] = []

    /// The operations that take no time, since they have no work, though a duration is expected of them.
    var workless: [String] { operations.filter(\.isWorkless).map(\.id) }

    /// Whether the conditions of an operation hold.
    func runs(_ operation: OperationDocument) -> Bool {
        operation.when
            ?? operation.conditions.allSatisfy { condition in
                facts[condition.fact]?.first.map { condition.values.contains($0) } ?? false
            }
    }
}

/// A fact, and its values for which an operation runs.
struct FactCondition: Equatable, Sendable {
    let fact: String
    let values: [String]
}

/// An operation of a scenario file.
struct OperationDocument: Equatable, Sendable {
    var id: String
    var title: String?
    /// The operations that must end first.
    var after: [DependencyDocument] = []
    /// Whether it runs on the main thread, rather than on any other.
    var onMain = false
    var timeout: Duration?
    /// How much later it begins than it could.
    var delay: Duration?
    var onFailure = FailurePolicy.required
    /// The value that stands in when the work fails or times out.
    var fallback: String?
    var retry: RetryPolicy?
    /// The statuses of a command or a server after which nothing is tried again.
    var finalStatuses: [Int] = []
    /// Whether it waits for the user, as the file says; see ``asksPerson``.
    var interactive = false
    /// Whether it may run after the milestone, to keep the budget.
    var deferrable = false
    /// Whether its fallback may take its place early, to keep the budget.
    var cuttable = false
    /// Whether it always runs, even if others or the launch fail.
    var always = false
    /// Whether, once it has begun, the launch's end does not cancel it.
    var cancellationShield = false
    /// The operations, of those that it waits for, that end when the first of them has succeeded.
    var firstOf: [String]?
    /// The operations for which it holds its resources until they have ended.
    var heldOver: [String]?
    /// The resources that it holds alone while it runs.
    var exclusive: [String] = []
    /// Those of them that are one for all launches of the process.
    var exclusiveOfProcess: [String] = []
    var qos: QualityDocument?
    /// How long it usually takes.
    var expected: Duration?
    /// Whether that is the time of an interactive operation itself, without the user.
    var expectsOwnTime = false
    /// The condition for running at all; false skips the operation and lets its dependents run.
    var when: Bool?
    /// The conditions under which it runs; all of them have to hold.
    var conditions: [FactCondition] = []
    var work = WorkDocument.none
    /// Where the operation begins in the file.
    var position = SourcePosition.start

    /// Whether it has no work, though a duration is expected of it: it takes no time.
    var isWorkless: Bool { work == .none && expected ?? .zero > .zero }

    /// Whether its time is the user's. A computation and a request never ask, even if the file says so; for a command,
    /// only the file can say.
    var asksPerson: Bool {
        switch work {
        case .compute, .http: false
        case .simulate, .command, .expected, .none: interactive
        }
    }
}

/// An operation that another one waits for.
struct DependencyDocument: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The effect of its failure on the one that waits.
    enum Effect: String, CaseIterable, Sendable { case skip, `continue` }

    var id: String
    /// Nil for the effect that it has on all that wait for it.
    var onFailure: Effect?
    /// Whether it may be missing in the file; it is then not waited for.
    var isOptional = false

    init(_ id: String) { self.id = id }

    init(stringLiteral id: String) { self.init(id) }
}

/// The effect of an operation's failure on the others, as files spell it.
extension FailurePolicy: CaseIterable {
    /// In the order in which messages list them.
    public static let allCases: [FailurePolicy] = [.required, .skipDependents, .continue]
}

enum QualityDocument: String, CaseIterable, Sendable {
    case userInteractive, userInitiated, utility, background, `default`
}

/// The work of an operation.
enum WorkDocument: Equatable, Sendable {
    /// It waits, holding no thread.
    case simulate(Duration)
    /// It keeps a processor busy.
    case compute(Duration)
    /// It runs a program: its name or path, then its arguments.
    case command([String])
    case http(HTTPRequest)
    /// It takes as long as is expected, in which it keeps its thread or does not; for an operation of a graph, whose
    /// work is somebody else's.
    case expected(keepsThread: Bool)
    /// It only joins its dependencies.
    case none
}

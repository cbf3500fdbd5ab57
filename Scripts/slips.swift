// Mistakes that are made while writing a graph, and what the compiler says of each: `Scripts/check-slips` compares. Not part of any target.
import Sequencer

struct Config: Sendable {
    var country = "DE"
}
struct Session: Sendable {
    var user = "x"
}
final class Box {
    var count = 1
}
func load() async throws -> Config { Config() }
func show(_ text: String) {}

func slips() async throws {
    var graph = OperationGraph("slips")
    let config = graph.add("config") { Config() }
    let session = graph.add("session") { Session() }

    // A member that the context does not have.
    graph.add("a") { step in step.nte("x") }  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name
    graph.add("a") { step in
        step.note("begun")
        step.nte("x")  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name
    }
    graph.add("a") { step in try await step.slep(for: .seconds(1)) }  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name
    graph.add("a") { step in step.abrt(.forceUpdate) }  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name
    graph.add("a") { step in try step.checkCancelation() }  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name
    graph.add("a", on: .main) { step in step.nte("x") }  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name
    graph.add("a") { step in if step.isCanceled { return } }  // error: cannot convert value of type 'StepContext.UnknownMember' to expected condition type 'Bool'
    graph.add("a", using: config) { step, config in step.nte(config.country) }  // error: 'subscript(dynamicMember:)' is unavailable: a step's context has no member of this name

    // A member that a value does not have.
    graph.add("a", using: config) { config in config.contry }  // error: value of type 'Config' has no member 'contry'
    graph.add("a", using: config, session) { config, session in config.country + session.usr }  // error: value of type 'Session' has no member 'usr'

    // Inside an argument, the overloads get in the way: which parameter is which? Where the parameters have types, the message is right.
    graph.add("a") { step in step.abort(.forceUpdat) }  // error: cannot infer contextual base in reference to member 'forceUpdat'
    graph.add("a") { (step: StepContext) in step.abort(.forceUpdat) }  // error: type 'AbortReason' has no member 'forceUpdat'
    graph.add("a", using: config) { config in show(config.contry) }  // error: generic parameter 'Value' could not be inferred
    graph.add("a", using: config) { (config: Config) in show(config.contry) }  // error: value of type 'Config' has no member 'contry'
    graph.add("a", using: config) { step, config in step.note(config.contry) }  // error: pack expansion requires that '' and '_' have the same shape
    graph.add("a", using: config) { (step: StepContext, config: Config) in step.note(config.contry) }  // error: value of type 'Config' has no member 'contry'

    // A name that is not there, or the wrong type.
    graph.add("a", .timout(.seconds(1))) { 1 }  // error: type 'StepOption' has no member 'timout'
    graph.add("a", .timeout(1)) { 1 }  // error: cannot convert value of type 'Int' to expected argument type 'Duration'
    graph.add("a") { try await laod() }  // error: cannot find 'laod' in scope
    graph.add("a", after: confg) { 1 }  // error: cannot find 'confg' in scope
    graph.add("a", using: config) { config in show(config) }  // error: cannot convert value of type 'Config' to expected argument type 'String'
    graph.add("a", fallback: "none") { 1 }  // error: cannot convert value of type 'Int' to closure result type 'String'
    graph.add("a") { step, config in 1 }  // error: contextual closure type '@Sendable (StepContext) throws -> Int' expects 1 argument, but 2 were used in closure body
    _ = try await graph.run(budget: 3)  // error: cannot convert value of type 'Int' to expected argument type 'Budget'

    // `try` or `await` forgotten, and what may not cross threads.
    graph.add("a") { try load() }  // error: 'async' call in a function that does not support concurrency
    graph.add("a") { Box() }  // error: type 'Box' does not conform to the 'Sendable' protocol
}

// Slips of newcomers, for Scripts/check-compiler: from each `// slip NAME` on, the compiler's first error has to be at
// the line with `// names: WORDS`, and to match these words (an extended regular expression). A slip with
// `// does not name: REASON` has no error that names it.

import Sequencer

struct Configuration: Sendable {
    var country = "DE"
    static let bundled = Configuration()
}
struct Session: Sendable { var user = "" }
final class Player { var volume = 1.0 }
@MainActor final class Screen {
    func show(_ configuration: Configuration) async {}
}
struct API: Sendable {
    func configuration() async throws -> Configuration { Configuration() }
    func session(_ country: String) async throws -> Session { Session() }
    func read() throws -> Session { Session() }
}
let work = OnceInProcess<Configuration>("work")

@MainActor func slips(api: API, screen: Screen) {
    var graph = OperationGraph("launch")
    let config = graph.add("config") { try await api.configuration() }
    let session = graph.add("session", using: config) { config in try await api.session(config.country) }
    let count = graph.add("count") { 3 }

    // slip a misspelt member: of the value, beside one
    graph.add("a", using: config) { config in
        print(config.contry)  // names: no member 'contry'
    }

    // slip a misspelt member: of the value, beside one, in a single expression
    graph.add("a", using: config) { config in print(config.contry) }  // names: no member 'contry'

    // slip a misspelt member: of the value, awaited
    graph.add("a", using: config) { config in
        try await api.session(config.contry)  // names: no member 'contry'
    }

    // slip a misspelt member: of a value, beside three
    graph.add("a", using: config, session, count) { config, session, count in
        print(count, session.usr)  // names: no member 'usr'
    }

    // slip a misspelt member: of a value, beside three, in the second statement, awaited
    graph.add("a", using: config, session, count) { config, session, count in
        let other = try await api.session(config.country)
        print(other, session.usr)  // names: no member 'usr'
    }

    // slip a misspelt member: of the value, beside the launch and one
    graph.add("a", using: .context, config) { launch, config in
        launch.note(config.contry)  // names: no member 'contry'
    }

    // slip a misspelt member: of a value, beside the launch and three
    graph.add("a", using: .context, config, session, count) { launch, config, session, count in
        launch.note(config.country)
        print(count, session.usr)  // names: no member 'usr'
    }

    // slip a misspelt member: of the value, on the main thread
    graph.add("a", using: config, on: .main) { config in
        print(config.contry)  // names: no member 'contry'
    }

    // slip a misspelt member: of the launch
    graph.add("a") { launch in
        launch.nte("x")  // names: no member of this name
    }

    // slip a misspelt member: of the launch, beside one
    graph.add("a", using: .context, config) { launch, config in
        launch.nte(config.country)  // names: no member of this name
    }

    // slip a misspelt member: of the launch, beside three
    graph.add("a", using: .context, config, session, count) { launch, config, session, count in
        launch.nte(config.country)  // names: no member of this name
    }

    // slip a misspelt member: of another type, without values
    graph.add("a") {
        try await api.configuraton()  // names: no member 'configuraton'
    }

    // slip a misspelt member: of another type, beside the launch
    graph.add("a") { launch in
        try await api.configuraton()  // names: no member 'configuraton'
    }

    // slip a misspelt member: of another type, beside one
    graph.add("a", using: config) { config in
        try await api.sesion(config.country)  // names: no member 'sesion'
    }

    // slip a misspelt member: of another type, beside one, on the main thread
    graph.add("a", using: config, on: .main) { config in
        await screen.sho(config)  // names: no member 'sho'
    }

    // slip a misspelt member: of another type, beside three
    graph.add("a", using: config, session, count) { config, session, count in
        try await api.sesion(config.country)  // names: no member 'sesion'
    }

    // slip a parameter too few: none of one
    graph.add("a", using: config) {  // names: expects 1 argument
        print("x")
    }

    // slip a parameter too few: none of two
    graph.add("a", using: config, session) {  // names: expects 2 arguments
        print("x")
    }

    // slip a parameter too few: one of two
    graph.add("a", using: config, session) { config in  // names: expects 2 arguments
        print(config.country)
    }

    // slip a parameter too few: one of the launch and one
    graph.add("a", using: .context, config) { config in  // names: expects 2 arguments
        print("x")
    }

    // slip a parameter too many: three of two
    graph.add("a", using: config, session) { config, session, more in  // names: expects 2 arguments
        print(config.country)
    }

    // slip a parameter too many: three of none
    graph.add("a") { launch, config in  // names: expects 1 argument
        launch.note(config.country)
    }

    // slip a parameter too many: three of one
    graph.add("a", using: config) { launch, config, session in  // names: argument
        print(config.country, session.user)
    }

    // slip parameters in the wrong order: the launch last
    graph.add("a", using: .context, config) { config, launch in
        launch.note(config.country)  // names: no member 'note'
    }

    // slip parameters in the wrong order: of three values
    graph.add("a", using: config, session, count) { session, config, count in
        print(config.country, session.user, count)  // names: no member '(country|user)'
    }

    // slip a parameter of the wrong type
    graph.add("a", using: config) { (config: Session) in  // names: Session
        print(config.user)
    }

    // slip the launch without `.context`
    graph.add("a", using: config) { launch, config in  // names: expects 1 argument
        launch.note(config.country)
    }

    // slip a misspelt member: of the launch, in an argument
    graph.add("a") { launch in
        print(launch.atempt)  // names: no member of this name
    }

    // slip a misspelt member: of the launch, in an argument, beside one
    graph.add("a", using: .context, config) { launch, config in
        print(launch.atempt, config.country)  // names: no member of this name
    }

    // slip a misspelt member: of a value, beside two
    graph.add("a", using: config, session) { config, session in
        let other = try await api.session(config.country)
        print(other, session.usr)  // names: no member 'usr'
    }

    // slip a misspelt member: of a value, beside five
    graph.add("a", using: config, session, count, config, session) { config, session, count, _, _ in
        print(config.country, count, session.usr)  // names: no member 'usr'
    }

    // slip an option after `after:`
    graph.add("a", after: config, .timeout(.seconds(1))) {  // names: 'timeout'
        print("x")
    }

    // slip an option after `after:`, beside `using:`
    graph.add("a", using: config, after: session, .timeout(.seconds(1))) { config in  // names: 'timeout'
        print(config.country)
    }

    // slip `on:` before `using:`
    graph.add("a", on: .main, using: config) { config in  // names: have '_:on:
        await screen.show(config)
    }

    // slip `fallback:` before `using:`
    graph.add("a", fallback: .bundled, using: count) { count in  // names: have '_:fallback:
        try await api.configuration()
    }

    // slip `fallback:` before the options
    graph.add("a", fallback: .bundled, .timeout(.seconds(1))) {  // names: have '_:fallback:
        try await api.configuration()
    }

    // slip a `fallback:` of a wrong type
    graph.add("a", fallback: 3) {  // names: 'Int'
        try await api.configuration()
    }

    // slip a `fallback:` of a wrong type, beside `using:`
    graph.add("a", using: count, fallback: 3) { count in  // names: 'Int'
        try await api.configuration()
    }

    // slip a `fallback:` closure with two statements, one of them misspelt
    graph.add("a") {
        try await api.configuration()
    } fallback: { launch, _ in
        launch.note("x")
        return .bundeled  // names: 'bundeled'
    }

    // slip a `fallback:` closure with two statements, one of them misspelt, beside `using:`
    graph.add("a", using: count) { count in
        try await api.configuration()
    } fallback: { launch, _ in
        launch.note("x")
        return .bundeled  // names: 'bundeled'
    }

    // slip a `fallback:` closure of the wrong shape
    graph.add("a") {
        try await api.configuration()
    } fallback: { error in  // names: 2 arguments
        .bundled
    }

    // slip a `fallback:` closure of the wrong shape, beside `using:`
    graph.add("a", using: count) { count in
        try await api.configuration()
    } fallback: {  // names: 2 arguments
        .bundled
    }

    // slip a `fallback:` closure without parameters where a value belongs
    graph.add("a", fallback: { .bundled }) {  // names: 'bundled'
        try await api.configuration()
    }

    // slip a string where a handle belongs
    graph.add("a", using: "config") { config in  // names: 'String'
        print(config)
    }

    // slip a string where a handle belongs, beside a handle
    graph.add("a", using: config, "session") { config, session in  // names: 'String'
        print(config, session)
    }

    // slip a missing `await`
    graph.add("a", using: config) { config in
        try api.session(config.country)  // names: 'async' call
    }

    // slip a missing `await`, without values
    graph.add("a") { try api.configuration() }  // names: 'async' call

    // slip a missing `try`
    graph.add("a") { api.read() }  // names: 'try'

    // slip a missing `try`, beside one
    graph.add("a", using: config) { config in
        await api.session(config.country)  // names: 'try'
    }

    // slip a missing `return`
    let value = graph.add("a", using: config) { config in
        let value = Session(user: config.country)
        value
    }
    graph.add("b", using: value) { value in
        print(value.user)  // names: no member 'user'
    }

    // slip a missing `return`, with a fallback
    graph.add("a", using: count, fallback: .bundled) { count in  // names: '[(][)][?]' has no member
        let value = Configuration(country: "\(count)")
        value
    }

    // slip a class that is not Sendable
    graph.add("a") { Player() }  // names: 'Player'

    // slip a class that is not Sendable, beside one
    graph.add("a", using: config) { config in Player() }  // names: 'Player'

    // slip a class that is not Sendable, captured
    let player = Player()
    graph.add("a", using: config) { config in
        player.volume = 2  // names: 'Player'
    }

    // slip `.when` on what is not Bool
    graph.add("a", .when(config) { $0.country }) {  // names: 'Bool'
        print("x")
    }

    // slip `.when` with a misspelt member
    graph.add("a", .when(config) { $0.contry == "DE" }) {  // names: 'contry'
        print("x")
    }

    // slip `.when` on what is not Bool, without values
    graph.add("a", .when { 3 }, using: config) { config in  // names: 'Bool'
        print(config)
    }

    // slip a misspelt option
    graph.add("a", .timout(.seconds(1))) { print("x") }  // names: 'timout'

    // slip a misspelt option, beside one
    graph.add("a", .milestne, using: config) { config in print(config) }  // names: 'milestne'

    // slip a missing unit
    graph.add("a", .timeout(3)) { print("x") }  // names: 'Duration'

    // slip a missing unit, beside one
    graph.add("a", .timeout(3), using: config) { config in print(config) }  // names: 'Duration'

    // slip a misspelt member: of work that is done once
    graph.addOnce(work) {
        try await api.configuraton()  // names: no member 'configuraton'
    }

    // slip `addOnce` with `using:`
    graph.addOnce(work, using: count) { count in  // names: using:
        try await api.configuration()
    }

    // slip `addOnce` with `using:` and a misspelt member
    graph.addOnce(work, using: config) { config in  // names: using:
        try await api.session(config.contry)
    }

    // slip a misspelt member: in the prologue
    graph.addPrologue("a") {
        print(api.red())  // names: no member 'red'
    }

    // slip a misspelt member: in the prologue, beside one
    graph.addPrologue("a", using: config) { config in
        print(config.contry)  // names: no member 'contry'
    }

    // slip a parameter too few: two of three
    graph.add("a", using: config, session, count) { config, session in  // does not name: it complains about a pack
        print(config.country, session.user)
    }

    // slip a parameter too many: five of three
    graph.add("a", using: config, session, count) { launch, config, session, count, more in  // does not name: a pack
        print(config.country, session.user)
    }

    // slip an option after `using:`
    graph.add("a", using: config, .timeout(.seconds(1))) { config in  // does not name: it is taken for a step
        print(config.country)
    }

    // slip a handle of another graph
    var other = OperationGraph("other")
    other.add("a", using: config) { config in print(config) }  // does not name: validated() does
}

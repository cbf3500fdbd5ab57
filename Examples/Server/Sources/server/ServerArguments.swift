/// What a server is started with.
struct ServerOptions: Sendable {
    var host = "127.0.0.1"
    /// 0 for one that is free.
    var port = 8080
    /// The file of the database; nil for one in memory.
    var database: String?
    var configuration = "server.json"
    /// How long a server whose start-up has failed goes on answering, so that whoever asks `/ready` can read why.
    var linger = Duration.zero
}

/// Why the command line makes no sense.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// The command line, read.
enum ServerArguments {
    case help
    case serve(ServerOptions)

    static let usage =
        "usage: server [--host 127.0.0.1] [--port 8080] [--database FILE] [--configuration server.json] [--linger 0]"

    static let helpText = """
        Serves a catalogue of products from memory, after a start-up that Sequencer has run.

        \(usage)

          --host            the address to listen on
          --port            the port; 0 for one that is free
          --database        the SQLite file of the catalogue, made when it is not there; without it, a database in memory
          --configuration   a JSON file such as {"currency":"EUR","cacheLimit":1000}; what is built in is used when it cannot be read
          --linger          how many seconds to go on answering /ready and /live after the start-up has failed
        """

    init(_ arguments: some Sequence<String>) throws {
        var options = ServerOptions()
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--help" || name == "-h" {
                self = .help
                return
            }
            guard ["--host", "--port", "--database", "--configuration", "--linger"].contains(name) else {
                throw UsageError(description: "'\(name)' is no option")
            }
            guard let value = rest.popFirst() else { throw UsageError(description: "\(name) needs a value") }
            switch name {
            case "--host": options.host = value
            case "--port": options.port = try Self.number(value, name, upTo: 65_535)
            case "--database": options.database = value
            case "--configuration": options.configuration = value
            default: options.linger = .seconds(try Self.number(value, name, upTo: 86_400))
            }
        }
        self = .serve(options)
    }

    private static func number(_ value: String, _ name: String, upTo most: Int) throws -> Int {
        guard let number = Int(value), (0...most).contains(number) else {
            throw UsageError(description: "\(name) is '\(value)'; expected a number from 0 to \(most)")
        }
        return number
    }
}

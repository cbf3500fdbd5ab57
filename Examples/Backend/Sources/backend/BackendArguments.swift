import StartupSamples

/// What a server is started with.
struct BackendOptions: Sendable {
    var host = "127.0.0.1"
    /// 0 for one that is free.
    var port = 8080
    /// 0 for one that is free.
    var speakerPort = 7400
    var tokenLifetime = Duration.seconds(3600)
    var faults: [(path: String, fault: SampleFault)] = []
}

/// Why the command line makes no sense.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// The command line, read.
enum BackendArguments {
    case help
    case serve(BackendOptions)

    static let usage =
        "usage: backend [--host 127.0.0.1] [--port 8080] [--speaker-port 7400] [--token-lifetime 3600s] [--fault PATH=FAULT]..."

    static let helpText = """
        Serves the sample backend of the sample launch over HTTP, and a sample speaker over TCP.

        \(usage)

          --host             the address to listen on
          --port             the port of the backend; 0 for one that is free
          --speaker-port     the port of the speaker; 0 for one that is free
          --token-lifetime   how long an access token is valid, as a whole number and s, m or h
          --fault            what goes wrong on a path, such as /v1/configuration=hang; may be given for several paths
        """

    init(_ arguments: some Sequence<String>) throws {
        var options = BackendOptions()
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--help" || name == "-h" {
                self = .help
                return
            }
            guard ["--host", "--port", "--speaker-port", "--token-lifetime", "--fault"].contains(name) else {
                throw UsageError(description: "'\(name)' is no option")
            }
            guard let value = rest.popFirst() else { throw UsageError(description: "\(name) needs a value") }
            switch name {
            case "--host": options.host = value
            case "--port": options.port = try Self.port(value, name)
            case "--speaker-port": options.speakerPort = try Self.port(value, name)
            case "--token-lifetime": options.tokenLifetime = try Self.lifetime(value)
            default: options.faults.append(try Self.fault(value))
            }
        }
        self = .serve(options)
    }

    private static func port(_ value: String, _ name: String) throws -> Int {
        guard let port = Int(value), (0...65_535).contains(port) else {
            throw UsageError(description: "\(name) is '\(value)'; expected a number from 0 to 65535")
        }
        return port
    }

    private static func lifetime(_ value: String) throws -> Duration {
        let scale: Int? =
            switch value.last {
            case "s": 1
            case "m": 60
            case "h": 3600
            default: nil
            }
        guard let scale, let number = Int(value.dropLast()), (0...(366 * 86_400 / scale)).contains(number) else {
            throw UsageError(
                description: "--token-lifetime is '\(value)'; expected a whole number and s, m or h, such as 90s, up to a year"
            )
        }
        return .seconds(number * scale)
    }

    private static func fault(_ value: String) throws -> (path: String, fault: SampleFault) {
        guard let equals = value.firstIndex(of: "="), value.hasPrefix("/") else {
            throw UsageError(description: "--fault is '\(value)'; expected PATH=FAULT, such as /v1/configuration=hang")
        }
        do {
            return (String(value[..<equals]), try SampleFault(parsing: String(value[value.index(after: equals)...])))
        } catch {
            throw UsageError(description: "--fault \(value[..<equals]): \(error)")
        }
    }
}

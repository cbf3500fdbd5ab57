import NIOCore
import NIOPosix
import ServiceLifecycle

/// A sample speaker: a line protocol over TCP, until the server ends.
struct Speaker: Service {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let name: String
    /// Where it listens.
    let port: Int

    private let listener: NIOAsyncChannel<Connection, Never>

    /// Listens; port 0 is one that is free. Connections wait until ``run()``.
    init(host: String, port: Int, name: String) async throws {
        self.name = name
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        self.port = listener.channel.localAddress?.port ?? port
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in connections {
                        group.addTask { await serve(connection) }
                    }
                }
            }
        }
    }

    private func serve(_ connection: Connection) async {
        // A connection that is lost ends a conversation like any other.
        try? await connection.executeThenClose { inbound, outbound in
            var conversation = SpeakerConversation(name: name)
            for try await var bytes in inbound {
                let (reply, isOver) = conversation.receive(bytes.readString(length: bytes.readableBytes) ?? "")
                if !reply.isEmpty { try await outbound.write(ByteBuffer(string: reply)) }
                if isOver { return }
            }
        }
    }
}

/// What a speaker says to what it is told: `HELLO name`, `PING` and `BYE`, each on a line of its own.
struct SpeakerConversation {
    private let name: String
    private var rest = ""

    init(name: String) { self.name = name }

    /// What to answer to these characters, and whether the conversation is over. A line may come in pieces, and several at once.
    mutating func receive(_ text: String) -> (reply: String, isOver: Bool) {
        rest += text
        var reply = ""
        while let end = rest.firstIndex(where: \.isNewline) {
            let line = rest[..<end]
            rest = String(rest[rest.index(after: end)...])
            if line.hasPrefix("HELLO "), line.count > 6 {
                reply += "READY \(name)\n"
            } else if line == "PING" {
                reply += "PONG\n"
            } else {
                // BYE, or something that is no word of this protocol.
                return (reply, true)
            }
        }
        return (reply, rest.utf8.count > 1024)
    }
}

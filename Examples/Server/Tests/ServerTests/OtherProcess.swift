import GRDB

/// The database as another process has it open.
struct OtherProcess {
    private let queue: DatabaseQueue

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func execute(_ sql: String) throws { try queue.writeWithoutTransaction { try $0.execute(sql: sql) } }

    func tables() throws -> [String] {
        try queue.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") }
    }
}

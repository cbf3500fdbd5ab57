import Foundation
import GRDB
import Synchronization

/// Something that is sold.
struct Product: Sendable, Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "product"

    var id: Int64
    var name: String
    var cents: Int
}

/// The opened database of the catalogue, which may not have its tables yet.
final class Catalogue: Sendable {
    private let queue: DatabaseQueue
    private let lock: LockWait
    private let name: String

    /// Opens the SQLite file `path`, or makes it; nil for a database in memory.
    init(_ path: String?) throws {
        let lock = LockWait()
        var configuration = Configuration()
        configuration.busyMode = .callback { tries in lock.goesOn(afterTries: tries) }
        self.lock = lock
        name = path ?? "the database in memory"
        do {
            queue =
                try path.map { try DatabaseQueue(path: $0, configuration: configuration) } ?? DatabaseQueue(configuration: configuration)
        } catch {
            throw CatalogueError(
                "\(name) cannot be opened",
                error,
                advice: "--database names a file that is, or can be made, a SQLite database"
            )
        }
    }

    /// What ``migrate(while:)`` is doing.
    var migrationActivity: String { lock.isWaiting ? "the lock of \(name), which another process holds" : "the migrations of \(name)" }

    /// Brings the tables up to date: all migrations that it has not had yet, each in a transaction of its own.
    ///
    /// It waits for a lock that another process holds, for half a minute at the most, and for as long as `isWanted` says.
    func migrate(while isWanted: @escaping @Sendable () -> Bool) throws -> MigratedCatalogue {
        lock.begin(while: isWanted)
        let current = Mutex("")
        do {
            try Self.migrator { [lock] name in
                lock.end()
                current.withLock { $0 = name }
            }.migrate(queue)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw CatalogueError("\(name) cannot be migrated", error, advice: "another process holds its lock: end that, or wait for it")
        } catch {
            let migration = current.withLock { $0.isEmpty ? "the migrations" : "migration '\($0)'" }
            throw CatalogueError("\(migration) of \(name) failed", error, advice: "nothing of it was kept; mend the file, or move it away")
        }
        return MigratedCatalogue(queue: queue)
    }

    private static func migrator(_ willApply: @escaping @Sendable (String) -> Void) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        func register(_ name: String, _ body: @escaping @Sendable (Database) throws -> Void) {
            migrator.registerMigration(name) { db in
                willApply(name)
                try body(db)
            }
        }
        register("1-products") { db in
            try db.create(table: Product.databaseTableName) { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
                table.column("cents", .integer).notNull()
            }
        }
        register("2-first-products") { db in
            let products = [("Espresso", 220), ("Cappuccino", 340), ("Croissant", 190)]
            for (index, product) in products.enumerated() {
                try Product(id: Int64(index + 1), name: product.0, cents: product.1).insert(db)
            }
        }
        return migrator
    }
}

/// A database whose tables are up to date: only this one can be read.
struct MigratedCatalogue: Sendable {
    fileprivate let queue: DatabaseQueue

    /// The first products, `limit` at the most.
    func products(limit: Int) throws -> [Product] {
        try queue.read { db in try Product.order(sql: "id").limit(limit).fetchAll(db) }
    }
}

/// What is served, in memory.
struct ProductCache: Sendable {
    private let products: [Int64: Product]
    private let currency: String

    init(_ catalogue: MigratedCatalogue, _ configuration: ServerConfiguration) throws {
        let products = try catalogue.products(limit: configuration.cacheLimit)
        self.products = Dictionary(uniqueKeysWithValues: products.map { ($0.id, $0) })
        currency = configuration.currency
    }

    var count: Int { products.count }

    /// The product with this number, as clients see it; nil when there is none.
    func product(_ id: Int64) -> ProductAnswer? {
        products[id].map { ProductAnswer(id: $0.id, name: $0.name, cents: $0.cents, currency: currency) }
    }
}

/// A database that cannot be used.
struct CatalogueError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ error: any Error, advice: String) {
        let reason =
            (error as? DatabaseError).map { "\($0.message ?? "SQLite error \($0.resultCode.rawValue)")" } ?? String(describing: error)
        description = "\(what): \(reason); \(advice)"
    }
}

/// Waits for the lock of a database that another process holds, until it is told not to.
private final class LockWait: Sendable {
    private struct State {
        var isWaiting = false
        var isWanted: @Sendable () -> Bool = { true }
    }

    private let state = Mutex(State())

    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    func begin(while isWanted: @escaping @Sendable () -> Bool) { state.withLock { $0.isWanted = isWanted } }

    /// The lock is there.
    func end() { state.withLock { $0.isWaiting = false } }

    /// Called by SQLite, on the thread that waits: whether it tries again.
    func goesOn(afterTries tries: Int) -> Bool {
        let isWanted = state.withLock { state in
            state.isWaiting = true
            return state.isWanted
        }
        guard tries < 3000, isWanted() else { return false }
        // SQLite has no way to be told that a lock is free: it tries every ten milliseconds.
        usleep(10_000)
        return true
    }
}

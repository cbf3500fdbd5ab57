import Sequencer
import Synchronization
import Testing

@testable import server

@Suite("The catalogue", .serialized, .timeLimit(.minutes(10)))
struct CatalogueTests {
    @Test("a migration waits for a lock only as long as it is wanted, and says what it waits for")
    func lock() throws {
        let folder = try Folder()
        let path = try folder.file("catalogue.sqlite")
        let other = try OtherProcess(path)
        try other.execute("BEGIN IMMEDIATE")
        let catalogue = try Catalogue(path)
        #expect(catalogue.migrationActivity == "the migrations of \(path)")

        let activities = Mutex<[String]>([])
        let error = #expect(throws: CatalogueError.self) {
            try catalogue.migrate {
                activities.withLock { activities in
                    activities.append(catalogue.migrationActivity)
                    return activities.count < 3
                }
            }
        }
        #expect(
            error?.description == """
                \(path) cannot be migrated: database is locked; another process holds its lock: end that, or wait for it
                """
        )
        #expect(activities.withLock { $0 } == Array(repeating: "the lock of \(path), which another process holds", count: 3))

        try other.execute("ROLLBACK")
        let migrated = try catalogue.migrate { true }
        #expect(catalogue.migrationActivity == "the migrations of \(path)")
        #expect(try migrated.products(limit: 10).map(\.name) == ["Espresso", "Cappuccino", "Croissant"])
        #expect(try migrated.products(limit: 1).map(\.id) == [1])
    }
}

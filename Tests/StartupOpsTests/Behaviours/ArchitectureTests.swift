import Testing

/// What depends on what, read from the sources.
@Suite("Behaviours: what depends on what", .serialized)
struct ArchitectureTests {
    @Test("C2: networking knows no operation, no scenario and nothing else of a launch: only storage and what all share")
    func networking() throws {
        let files = try SourceFiles("Sources/StartupOps").all
        func folder(_ file: SourceFiles.File) -> String { String(file.path.split(separator: "/")[2]) }
        let allowed: Set<String> = ["Networking", "Storage", "Support"]
        let foreign = files.filter { !allowed.contains(folder($0)) }.reduce(into: Set<String>()) { $0.formUnion($1.declaredTypes) }
        // That the sources are read as they should be: some of what must be found is.
        #expect(foreign.isSuperset(of: ["Scenario", "StartupOperations", "LaunchContext", "LoginOperation", "Stage"]))
        let networking = files.filter { folder($0) == "Networking" }
        #expect(networking.contains { $0.declaredTypes.contains("NetworkError") })
        for file in networking {
            #expect(file.words.intersection(foreign) == [], "\(file.path)")
        }
    }

    @Test("C2: the engine imports nothing but Foundation and the system; the root package depends on no other")
    func engine() throws {
        let system: Set<String> = ["Foundation", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin", "Android"]
        for file in try SourceFiles("Sources/Sequencer").all {
            #expect(file.imports.subtracting(system) == [], "\(file.path)")
        }
        let networking: Set<String> = ["FoundationNetworking", "Network", "Security", "Sequencer"]
        for file in try SourceFiles("Sources/StartupOps").all {
            #expect(file.imports.subtracting(system.union(networking)) == [], "\(file.path)")
        }
        let manifest = try SourceFiles.file("Package.swift").text
        #expect(manifest.contains("\"StartupOps\"") && !manifest.contains(".package("))
    }
}

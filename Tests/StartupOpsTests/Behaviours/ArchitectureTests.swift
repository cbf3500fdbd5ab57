import TestSupport
import Testing

/// What depends on what, read from the sources.
@Suite("Behaviours: what depends on what", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ArchitectureTests {
    @Test("C2: networking knows no operation, no scenario and nothing else of a launch: only storage and what all share")
    func networking() throws {
        let files = try SourceFiles("Sources/StartupOps").all
        func folder(_ file: SourceFiles.File) -> String { String(file.path.split(separator: "/")[2]) }
        let below: Set<String> = ["Networking", "Storage"]
        let foreign = files.filter { !below.contains(folder($0)) }.reduce(into: Set<String>()) { $0.formUnion($1.declaredTypes) }
        // That the sources are read as they should be: some of what must be found is.
        #expect(foreign.isSuperset(of: ["Scenario", "StartupSteps", "LaunchFacts", "LoginOperation", "Stage"]))
        let lower = files.filter { below.contains(folder($0)) }
        #expect(lower.contains { $0.declaredTypes.contains("NetworkError") } && lower.contains { $0.declaredTypes.contains("DataStore") })
        for file in lower {
            #expect(file.words.intersection(foreign) == [], "\(file.path)")
        }
    }
}

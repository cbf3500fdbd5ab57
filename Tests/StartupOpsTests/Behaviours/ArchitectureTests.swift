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

    @Test("C2: the engine imports nothing but Foundation and the system; the root package depends on no other")
    func engine() throws {
        let system: Set<String> = ["Foundation", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin", "Android"]
        for file in try SourceFiles("Sources/Sequencer").all {
            // Analysis and testing are targets over the engine. Only the last of them knows Swift Testing, for the tool must not link it.
            let others: [(folder: String, modules: Set<String>)] = [
                ("Analysis", ["Sequencer"]), ("Observation", ["Observation", "Sequencer"]), ("Testing/Core", ["Sequencer"]),
                ("Testing", ["Sequencer", "SequencerAnalysis", "SequencerTestingCore", "Testing"]),
            ]
            let modules = others.first { file.path.hasPrefix("Sources/Sequencer/\($0.folder)/") }?.modules ?? []
            #expect(file.imports.subtracting(system.union(modules)) == [], "\(file.path)")
        }
        for file in try SourceFiles("Sources/sequencer-cli").all {
            #expect(file.imports.isDisjoint(with: ["SequencerTesting", "Testing"]), "\(file.path)")
        }
        let networking = system.union(["FoundationNetworking", "Network", "Security"])
        // Each of the modules over the engine uses only those before it.
        var below: Set<String> = ["Sequencer"]
        let root = "Sources/StartupOps"
        let nested = ["StartupStorage": "\(root)/Storage", "StartupNetworking": "\(root)/Networking", "StartupSamples": "\(root)/Samples"]
        for module in ["StartupStorage", "StartupNetworking", "StartupOps", "StartupSamples"] {
            let others = nested.filter { $0.key != module }.map { "\($0.value)/" }
            for file in try SourceFiles(nested[module] ?? root).all where !others.contains(where: file.path.hasPrefix) {
                #expect(file.imports.subtracting(networking.union(below)) == [], "\(file.path)")
            }
            below.insert(module)
        }
        let manifest = try SourceFiles.file("Package.swift").text
        #expect(manifest.contains("\"StartupOps\"") && !manifest.contains(".package("))
    }

    @Test("each error that has a description shows it in an alert, too; a public one has a description")
    func errors() throws {
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "extension"]
        var described: Set<Substring> = []
        for file in try ["Sources/Sequencer", "Sources/StartupOps"].flatMap({ try SourceFiles($0).all }) {
            for line in file.text.split(separator: "\n") {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count, line.contains(":") else { continue }
                let conformances = words[(kind + 2)...]
                if conformances.contains("DescribedError") { described.insert(words[kind + 1]) }
                #expect(!conformances.contains("LocalizedError"), "\(file.path): \(line)")
                guard conformances.contains("Error") else { continue }
                #expect(!conformances.contains("CustomStringConvertible") && !words.contains("public"), "\(file.path): \(line)")
            }
        }
        // That the sources are read as they should be: some of what must be found is.
        #expect(described.isSuperset(of: ["GraphError", "HistoryError", "InjectedFailure", "StorageError", "NetworkError"]))
    }
}

import Foundation

/// Compiles code of the documentation against the modules of this build, as far as to every message that the compiler has.
struct DocumentationCompiler: Sendable {
    let swiftc: URL
    let modules: URL
    let manifests: URL

    /// The compiler of the toolchain that this process was built with, and what was built beside this test.
    init() throws {
        guard let swiftc = Self.compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw DocumentationProblem("swiftc", "not found in \(Self.compilers.map(\.path)); put the toolchain's into PATH")
        }
        // Not where the link leads: the compiler is many programs, and does what it is called.
        self.swiftc = swiftc
        let products = Tool.path.deletingLastPathComponent()
        // Xcode puts modules beside the products.
        let folders = [products.appending(path: "Modules"), products]
        guard
            let modules = folders.first(where: { FileManager.default.fileExists(atPath: $0.appending(path: "StartupOps.swiftmodule").path) }
            )
        else { throw DocumentationProblem("StartupOps.swiftmodule", "not found in \(folders.map(\.path))") }
        self.modules = modules
        manifests = swiftc.deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib/swift/pm/ManifestAPI")
    }

    /// Where it may be: in the toolchain whose runtime library this process has loaded, then where the system finds one.
    private static var compilers: [URL] {
        var found: [URL] = []
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        if let library = maps.firstMatch(of: /(\/.*)\/lib\/swift\/\w+\/libswiftCore\.so/) {
            found.append(URL(filePath: "\(library.1)/bin/swiftc"))
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return found + path.split(separator: ":").map { URL(filePath: "\($0)/swiftc") }
    }

    /// The compiler's errors; empty when there are none.
    func errors(in code: DocumentedCode) async throws -> String {
        if code.kind == .manifest {
            // A script, as the package manager takes it.
            return try await errors(in: code.sources, ["-package-description-version", "6.2", "-I", manifests.path])
        }
        return try await errors(in: code.sources, ["-parse-as-library", "-I", modules.path])
    }

    /// The errors of statements, all compiled at once: each is a function of its own.
    func errors(inStatements code: [DocumentedCode]) async throws -> String {
        try await errors(in: code.flatMap(\.sources) + [DocumentedCode.support], ["-parse-as-library", "-I", modules.path])
    }

    private func errors(in sources: [String], _ options: [String]) async throws -> String {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let files = try sources.enumerated().map { try folder.write($0.element, to: "code\($0.offset).swift") }
        // SIL, and not only types: whether values may cross threads, and are there when they are read, is said then. Warnings are about code that is
        // shown in part: a value that is not used, say.
        let arguments = ["-swift-version", "6", "-module-name", "Documentation", "-wmo", "-suppress-warnings"]
        let result = try await Tool.run(arguments + options + ["-emit-sil", "-o", "/dev/null"] + files, executable: swiftc)
        if result.code == 0 { return "" }
        let errors = (result.messages + result.output).split(separator: "\n").filter { $0.contains("error: ") && $0.first != " " }
        return errors.isEmpty ? "swiftc ended with \(result.code): \(result.messages.prefix(500))" : errors.joined(separator: "\n")
    }
}

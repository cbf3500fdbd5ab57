import Foundation
import PackagePlugin

/// Checks the scenario files of a target while it builds: those whose names end in `.scenario.json`. What is wrong with one is an error or a warning of the build, with
/// its file and line. A launch that cannot run, or whose critical path alone exceeds its budget or its deadline, fails the build.
@main
struct VerifyScenarios: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "sequencer-cli").url
        return Self.commands(for: target.sourceFiles.map(\.url), tool: tool, in: context.pluginWorkDirectoryURL)
    }

    fileprivate static func commands(for files: [URL], tool: URL, in folder: URL) -> [Command] {
        var names: Set<String> = []
        return files.filter { $0.lastPathComponent.hasSuffix(".scenario.json") }.sorted { $0.path < $1.path }.map { file in
            // A command runs where something is made of its output: a source file that is a comment.
            let base = "Verified_" + String(file.lastPathComponent.dropLast(".json".count).map { $0.isLetter || $0.isNumber ? $0 : "_" })
            var name = base
            while !names.insert(name).inserted { name = "\(base)_\(names.count)" }
            let output = folder.appending(path: name + ".swift")
            return .buildCommand(
                displayName: "Verify \(file.lastPathComponent)",
                executable: tool,
                arguments: ["verify", file.path, "--format", "xcode", "--output", output.path],
                inputFiles: [file],
                outputFiles: [output]
            )
        }
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension VerifyScenarios: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let tool = try context.tool(named: "sequencer-cli").url
            return Self.commands(for: target.inputFiles.map(\.url), tool: tool, in: context.pluginWorkDirectoryURL)
        }
    }
#endif

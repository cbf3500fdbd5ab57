import Foundation

/// The command line of `engine-bench`.
public enum EngineBench {
    /// Measures what `words` ask for.
    ///
    /// - Returns: the exit code: 0, or 64 for a command line that cannot be followed, 1 for a measurement that failed.
    @MainActor
    public static func run(_ words: [String]) async -> Int32 {
        let options: BenchOptions
        do {
            options = try BenchOptions(words)
        } catch {
            complain("\(error)")
            return 64
        }
        if options.isHelp {
            print(HelpText.text, terminator: "")
            return 0
        }
        do {
            if let contestant = options.contestant {
                try await Task(priority: .userInitiated) { try await LaunchContest.runHere(contestant) }.value
                return 0
            }
            // User-initiated, as an app's launch is: every engine's queues and tasks are, too.
            try await Task(priority: .userInitiated) { try await measure(options) }.value
            return 0
        } catch {
            complain("\(error)")
            return 1
        }
    }

    @MainActor
    private static func measure(_ options: BenchOptions) async throws {
        let result = try await Measurement(options: options, progress: ProgressLine()).result()
        print(options.printsJSON ? try JSONReport(result).text() : TextReport(result: result).text, terminator: "")
        if let path = options.save { try write(try JSONReport(result).text(), path) }
        if let path = options.svg { try write(PlotSVG(result).text, path) }
    }

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("engine-bench: \(message)\n".utf8))
    }
}

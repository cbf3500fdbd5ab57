import Foundation

/// How long `sequencer-cli --version` takes, as a multiple of a program that does nothing but load Foundation.
@MainActor
struct CommandLineStart {
    let options: BenchOptions
    let progress: ProgressLine

    func metrics() throws -> [Metric] {
        guard let cli = options.cli else { return [] }
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let empty = options.empty ?? directory.appendingPathComponent("empty-foundation").path
        progress.show("\(cli) --version")
        var (ours, theirs): ([Double], [Double]) = ([], [])
        for round in 0..<(options.isQuick ? 25 : 105) {
            let (our, their) = (try time([cli, "--version"]), try time([empty]))
            // The first ones bring the programs into memory.
            guard round >= 5 else { continue }
            ours.append(our)
            theirs.append(their)
        }
        let detail = "\(Figures.duration(ours.median)) of \(Figures.duration(theirs.median)), medians of \(ours.count)"
        return [Metric("version", ours.median / theirs.median, detail)]
    }

    /// From before the program is started until it has ended, its output thrown away; in nanoseconds.
    private func time(_ words: [String]) throws -> Double {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var child = pid_t()
        let begin = now()
        guard posix_spawn(&child, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw EngineFailure("\(words[0]) cannot be started: \(String(cString: strerror(errno)))")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        let time = Double(now() - begin)
        if status != 0 { throw EngineFailure("\(words.joined(separator: " ")) ended with status \(status)") }
        return time
    }
}

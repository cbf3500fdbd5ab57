import Foundation
import TestSupport
import Testing

/// The tool as a process: signals, limits, another user, a clock that jumps.
@Suite("Faults of the process", .serialized, .timeLimit(.minutes(30)), .real)
struct RealProcessFaultTests {
    private static let isRoot = geteuid() == 0
    /// Whether another user may run the tool where it is.
    private static let canBecomeNobody =
        isRoot && exitCode(of: "/usr/bin/setpriv", "--reuid=65534", "--clear-groups", Tool.path.path, "--version") == 0

    /// Whether this process may trace another.
    private static let canTrace = exitCode(of: "/usr/bin/strace", "-o", "/dev/null", "true") == 0

    /// A scenario whose first operation makes the file `mark`, and whose second takes `rest`.
    private func waiting(in folder: TemporaryFolder, rest: String, timeout: String = "1h") throws -> (scenario: String, mark: String) {
        let mark = folder.file("mark").path
        let scenario = try folder.write(
            scenarioText(
                #"{ "id": "first", "work": { "command": ["touch", "\#(mark)"] } }"#,
                #"{ "id": "long", "after": ["first"], "timeout": "\#(timeout)", "work": \#(rest) }"#
            )
        )
        return (scenario, mark)
    }

    // MARK: Signals

    @Test("fault C5: a launch that was stopped for a second and goes on completes; what had time left did not time out")
    func stopped() async throws {
        var outcome: String?
        // On a slow machine 200 ms of work take longer than their timeout: then both are longer.
        for seconds in [1, 4, 16] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let (scenario, mark) = try waiting(in: folder, rest: #"{ "simulate": "200ms" }"#, timeout: "\(seconds * 900)ms")
            let result = try await Tool.shell(
                """
                "$TOOL" run \(scenario) --deadline none --budget 1h --json & pid=$!
                while [ ! -e \(mark) ]; do sleep 0.01; done
                kill -STOP $pid; sleep \(seconds); kill -CONT $pid
                wait $pid
                """
            )
            outcome = try result.json()["outcome"] as? String
            if outcome == "completed" { break }
        }
        #expect(outcome == "completed")
    }

    @Test("fault A6: what has been told is with whoever reads, although the tool is killed right afterwards")
    func killedWhileTelling() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (scenario, mark) = try waiting(in: folder, rest: #"{ "simulate": "1h" }"#)
        let told = folder.file("told").path
        let pid = folder.file("pid").path
        // The tool is asked what it waits for, and killed as soon as the answer has come through the pipe. Not with the first answer: that may be
        // that the first operation's command has not ended, which has made the file already.
        let result = try await Tool.shell(
            """
            { sh -c 'echo $$ > \(pid); exec "$TOOL" run \(scenario) --deadline none' 2>&1; echo "code $?" >> \(told).code; } | cat > \(told) &
            while [ ! -e \(mark) ]; do sleep 0.01; done
            until grep -q '1 of 2 operations have not ended' \(told); do kill -USR1 $(cat \(pid)); sleep 0.05; done
            kill -KILL $(cat \(pid))
            wait
            cat \(told) \(told).code
            """
        )
        #expect(result.output.contains("long"), "\(result.output)")
        #expect(result.output.contains("code 137"), "\(result.output)")
    }

    @Test("fault P14: a child that left its process group, and so outlives a killed run, keeps nothing from the next one")
    func orphan() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let child = folder.file("child").path
        let scenario = try folder.write(
            scenarioText(
                #"{ "id": "long", "work": { "command": ["sh", "-c", "[ -e \#(child) ] || exec setsid sh -c 'echo $$ > \#(child); exec sleep 600'"] } }"#
            )
        )
        let result = try await Tool.shell(
            """
            "$TOOL" run \(scenario) --deadline none > /dev/null & pid=$!
            until [ -s \(child) ]; do sleep 0.01; done
            kill -KILL $pid; wait $pid
            kill -0 $(cat \(child)) && echo "the child lives"
            "$TOOL" run \(scenario); echo "code $?"
            kill -KILL $(cat \(child))
            """
        )
        #expect(result.output.hasPrefix("the child lives\n"))
        #expect(result.output.hasSuffix("code 0\n"), "\(result.output)")
    }

    // MARK: Limits and rights

    @Test("fault L22: a scenario that runs many commands with 16 descriptors ends, and each that could not be started says why")
    func manyCommands() async throws {
        let operations = (0..<40).map { #"{ "id": "op\#($0)", "onFailure": "continue", "work": { "command": ["sleep", "0.2"] } }"# }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(scenarioText(operations.joined(separator: ",\n")))
        let result = try await Tool.shell("ulimit -n 16; \"$TOOL\" run \(path) --lanes 40 --json --budget 1h")
        #expect(result.code == 0, "\(result.messages)")
        let list = try #require(try result.json()["operations"] as? [[String: Any]])
        let failed = list.filter { $0["outcome"] as? String == "failed" }
        #expect(!failed.isEmpty && failed.allSatisfy { ($0["message"] as? String)?.contains("Too many open files") == true })
    }

    @Test(
        "fault A12: as another user without a home, the variables to set are named",
        .enabled(if: canBecomeNobody, "needs root, to become another user")
    )
    func withoutHome() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The tool's own folder may be one that only its owner may enter; there Foundation ends the process of any other user.
        let tool = folder.file("tool").path
        let result = try await Tool.shell(
            """
            chmod 755 \(folder.url.path) && cp "$TOOL" \(tool) && chmod 755 \(tool) \
                && env -u HOME -u XDG_STATE_HOME /usr/bin/setpriv --reuid=65534 --clear-groups \(tool) run first-launch --budget 60s
            """
        )
        #expect(result.code == 0, "\(result.messages)")
        #expect(result.output.contains("XDG_STATE_HOME nor HOME holds an absolute path"), "\(result.output)")
    }

    @Test(
        "fault N50: a process that may not read the folder of its program goes on",
        .enabled(if: canBecomeNobody, "needs root, to become another user")
    )
    func unreadableProgram() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let tool = folder.file("tool").path
        let result = try await Tool.shell(
            """
            cp "$TOOL" \(tool) && chmod 755 \(tool) && chmod 711 \(folder.url.path) \
                && /usr/bin/setpriv --reuid=65534 --clear-groups \(tool) run first-launch --budget 60s --state /nonexistent
            """
        )
        #expect(result.code == 0, "\(result.code): \(result.messages)")
    }

    @Test(
        "fault P12: whatever is stored is synced before it gets its name, and its folder after that",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") && canTrace, "needs strace, and the right to trace")
    )
    func syncing() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let trace = folder.file("trace").path
        let result = try await Tool.shell(
            "strace -f -y -o \(trace) -e trace=fsync,rename,renameat,renameat2 \"$TOOL\" run first-launch --state \(folder.file("state").path)"
        )
        // A machine that is busy, and traces, may take longer than the budget.
        #expect([0, 3].contains(result.code), "\(result.messages)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        var renames = 0
        for (place, call) in calls.enumerated() where call.contains(" rename") && call.contains("/.tmp-") {
            // What a launch was doing matters to the next one on a machine that still runs: the journal is not worth the wait for the disk.
            if call.contains("/journal/") { continue }
            renames += 1
            let paths = call.split(separator: "\"").filter { $0.hasPrefix("/") }
            try #require(paths.count == 2, "\(call)")
            let directory = paths[1].prefix(upTo: paths[1].lastIndex(of: "/") ?? paths[1].startIndex)
            let isSynced = calls[..<place].contains { $0.contains("fsync(") && $0.contains("<\(paths[0])>") }
            #expect(isSynced, "not synced before: \(call)")
            let isFolderSynced = calls[place...].contains { $0.contains("fsync(") && $0.contains("<\(directory)>") }
            #expect(isFolderSynced, "folder not synced after: \(call)")
        }
        #expect(renames >= 5, "\(renames)")
    }

    // MARK: Clocks

    /// A library that moves the wall clock, each time it is read: a day back, then ten years ahead, and so on. Monotonic clocks stay.
    private static let jumpingClock = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdatomic.h>
        #include <sys/time.h>
        #include <time.h>
        static atomic_int readings;
        static long jump(void) { return atomic_fetch_add(&readings, 1) % 2 ? 315360000 : -86400; }
        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            if (clock == CLOCK_REALTIME && result == 0) time->tv_sec += jump();
            return result;
        }
        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }
        """
    private static let compiler = ["/usr/bin/clang", "/usr/bin/cc", "/usr/bin/gcc"].first(where: FileManager.default.isExecutableFile)

    @Test(
        "fault C1: a wall clock that jumps a day back and ten years ahead, at every reading, moves no duration and no timeout",
        .enabled(if: compiler != nil, "needs a C compiler")
    )
    func jumpingClock() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = try folder.write(Self.jumpingClock, to: "clock.c")
        let library = folder.file("clock.so").path
        let scenario = try folder.write(
            scenarioText(
                #"{ "id": "first", "timeout": "1h", "work": { "simulate": "20ms" } }"#,
                #"{ "id": "hangs", "timeout": "30ms", "onFailure": "continue", "work": { "simulate": "1h" } }"#,
                #"{ "id": "last", "after": ["first", "hangs"], "work": { "command": ["true"] } }"#
            )
        )
        let compiled = try await Tool.shell("\(Self.compiler ?? "cc") -shared -fPIC -o \(library) \(source) -ldl")
        try #require(compiled.code == 0, "\(compiled.messages)")
        let result = try await Tool.run(
            ["run", scenario, "--json", "--budget", "1h", "--deadline", "1h"],
            environment: ["LD_PRELOAD": library]
        )
        #expect(result.code == 0, "\(result.messages)")
        let report = try result.json()
        let operations = try #require(report["operations"] as? [[String: Any]])
        #expect(operations.map { $0["outcome"] as? String } == ["succeeded", "timedOut", "succeeded"])
        // A jump would be a day at least.
        #expect(operations.allSatisfy { ($0["durationMs"] as? Double).map { (0..<3_600_000).contains($0) } == true })
        #expect(try await Tool.run(["run", "first-launch", "--budget", "60s"], environment: ["LD_PRELOAD": library]).code == 0)
    }
}

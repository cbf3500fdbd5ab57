import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Ends the process of the tests when it stands still for ten minutes.
    ///
    /// A time limit cancels the task of a test. A thread that is blocked, or a task that does not look, does not notice, and the run would never end.
    /// Traits are made when tests are looked for, before the first one runs and whichever are to run: once in the package is enough.
    package static var endsARunThatStandsStill: Self {
        Standstill.watch
        return .enabled(if: true)
    }
}

/// A process that no longer does anything.
///
/// What counts is the processor time that it has used, which a busy machine makes come slowly but does not stop; no length of a run is too much.
package enum Standstill {
    /// Begins to watch this process; once, however often it is asked for.
    static let watch: Void = watch(every: .seconds(30), upTo: 20) {
        let message = """

            The tests have stood still for ten minutes: something waits for what never comes. Tests above that have begun and not ended are where.

            """
        FileHandle.standardError.write(Data(message.utf8))
        _exit(EXIT_FAILURE)
    }

    /// Looks at what this process does, and calls back when that was nothing so often in a row.
    ///
    /// It counts looks and not time: where the process is stopped, by a person with a debugger, nobody looks.
    package static func watch(every pause: Duration, upTo limit: Int, then end: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var used = processorTime
            var idle = 0
            while idle < limit {
                Thread.sleep(forTimeInterval: pause / .seconds(1))
                let now = processorTime
                // Looking takes time too, and so does whatever looks now and then whether it may go on.
                idle = now - used < pause / 100 ? idle + 1 : 0
                used = now
            }
            end()
        }
    }

    /// Of all threads, and of the children that have ended.
    private static var processorTime: Duration {
        var sum = Duration.zero
        // RUSAGE_SELF and RUSAGE_CHILDREN, whose types differ from system to system.
        for who: Int32 in [0, -1] {
            var usage = rusage()
            getrusage(who, &usage)
            for time in [usage.ru_utime, usage.ru_stime] { sum += .seconds(time.tv_sec) + .microseconds(time.tv_usec) }
        }
        return sum
    }
}

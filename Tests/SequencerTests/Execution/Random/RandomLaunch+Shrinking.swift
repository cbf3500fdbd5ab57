@testable import Sequencer

/// Finding the smallest launch that still does what it should not do.
extension RandomLaunch {
    /// The smallest launch reached from this one by leaving something out, as long as `fails` says that what is left still fails.
    ///
    /// Greedy, as QuickCheck shrinks (K. Claessen, J. Hughes, "QuickCheck: A Lightweight Tool for Random Testing of Haskell Programs", 2000):
    /// the first smaller launch that fails is taken, until there is none.
    func shrunk(while fails: (RandomLaunch) async throws -> Bool) async rethrows -> RandomLaunch {
        var smallest = self
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in smallest.smaller where try await fails(candidate) {
                smallest = candidate
                isSmaller = true
                break
            }
        }
        return smallest
    }

    /// Launches with a little less in them, those with much less first.
    private var smaller: [RandomLaunch] {
        var launches: [RandomLaunch] = []
        var size = steps.count / 2
        while size > 0 {
            for start in stride(from: 0, to: steps.count, by: size) {
                launches.append(removing(start..<min(start + size, steps.count)))
            }
            size /= 2
        }
        func add(_ change: (inout RandomLaunch) -> Bool) {
            var launch = self
            if change(&launch) { launches.append(launch) }
        }
        func drop<Value>(_ path: WritableKeyPath<RandomLaunch, Value?>) {
            add { launch in
                defer { launch[keyPath: path] = nil }
                return launch[keyPath: path] != nil
            }
        }
        drop(\.lanes)
        drop(\.cancelAfterEvents)
        drop(\.deadline)
        drop(\.milestone)
        add { launch in
            defer { launch.cancelStep = nil }
            return launch.cancelStep != nil
        }
        for index in steps.indices {
            for variant in steps[index].simpler {
                add {
                    $0.steps[index] = variant; return true
                }
            }
        }
        return launches
    }

    /// Without these steps; what waited for one waits for nothing in its place.
    private func removing(_ removed: Range<Int>) -> RandomLaunch {
        func place(_ index: Int) -> Int { index < removed.lowerBound ? index : index - removed.count }
        var launch = self
        launch.steps.removeSubrange(removed)
        for index in launch.steps.indices {
            let read = launch.steps[index].dependencies.prefix(launch.steps[index].inputs)
            launch.steps[index].inputs = read.count { !removed.contains($0) }
            launch.steps[index].dependencies = launch.steps[index].dependencies.filter { !removed.contains($0) }.map(place)
        }
        if let milestone { launch.milestone = removed.contains(milestone) ? nil : place(milestone) }
        if let cancel = cancelStep {
            launch.cancelStep = removed.contains(cancel.step) ? nil : (place(cancel.step), cancel.afterEvents)
        }
        return launch
    }
}

extension RandomLaunch.Step {
    /// This step, with one thing less each.
    fileprivate var simpler: [RandomLaunch.Step] {
        var steps: [RandomLaunch.Step] = []
        func add(_ condition: Bool, _ change: (inout RandomLaunch.Step) -> Void) {
            guard condition else { return }
            var step = self
            change(&step)
            steps.append(step)
        }
        for index in dependencies.indices {
            add(true) { step in
                if index < step.inputs { step.inputs -= 1 }
                step.dependencies.remove(at: index)
            }
        }
        add(inputs > 0) { $0.inputs = 0 }
        add(failures > 0) { $0.failures = 0 }
        add(hangs) { step in
            step.hangs = false
            step.timeout = nil
        }
        add(aborts) { $0.aborts = false }
        add(hasFallback) { $0.hasFallback = false }
        add(attempts > 1) { $0.attempts = 1 }
        add(condition != nil) { $0.condition = nil }
        add(resource != nil) { $0.resource = nil }
        add(isInteractive) { $0.isInteractive = false }
        add(finishesTwice) { $0.finishesTwice = false }
        add(leavesValue) { step in
            step.leavesValue = false
            step.inputs = 0
        }
        add(startsOnMain) { $0.startsOnMain = false }
        add(existsAlready) { $0.existsAlready = false }
        add(personWait != nil) { $0.personWait = nil }
        add(duration != .zero) { $0.duration = .zero }
        add(body != .synchronous && body != .join) { $0.body = .synchronous }
        return steps
    }
}

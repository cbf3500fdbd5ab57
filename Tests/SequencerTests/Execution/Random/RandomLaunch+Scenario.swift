@testable import Sequencer

/// A random launch as a scenario file that `sequencer-cli run` runs.
extension RandomLaunch {
    /// The file, as far as scenario files can say it, and the command line that misbehaves in its operations' place.
    ///
    /// Files have no conditions, no values and no cancelling after so many events; what is left out is in ``omissions``.
    var scenario: (file: String, arguments: [String]) {
        var injections: [String] = []
        let operations = steps.enumerated().map { index, step in
            var fields = ["\"id\": \"\(name(index))\""]
            if !step.dependencies.isEmpty {
                fields.append("\"after\": [\(step.dependencies.map { "\"\(name($0))\"" }.joined(separator: ", "))]")
            }
            if step.body == .main { fields.append("\"on\": \"main\"") }
            if step.isInteractive { fields.append("\"interactive\": true") }
            if let resource = step.resource { fields.append("\"exclusive\": [\"\(resource.name)\"]") }
            if let timeout = step.timeout { fields.append("\"timeout\": \"\(timeout.nanoseconds / 1_000)us\"") }
            if step.hasFallback {
                fields.append("\"fallback\": \"\(step.fallback(index))\"")
            } else if step.policy != .required {
                fields.append("\"onFailure\": \"\(step.policy.name)\"")
            }
            if step.attempts > 1 { fields.append("\"retry\": { \"attempts\": \(step.attempts), \"backoff\": \"100us\" }") }
            if step.body != .join { fields.append("\"work\": { \"simulate\": \"\(step.duration.nanoseconds / 1_000_000)ms\" }") }
            if step.hangs {
                injections.append("\(name(index))=hang")
            } else if step.failures >= step.attempts {
                injections.append("\(name(index))=fail")
            } else if step.aborts {
                injections.append("\(name(index))=required")
            }
            return "    { \(fields.joined(separator: ", ")) }"
        }
        let lanes = lanes.map { "\n  \"lanes\": \($0)," } ?? ""
        let milestone = milestone.map { "\n  \"milestone\": \"\(name($0))\"," } ?? ""
        let deadline = deadline ?? (needsDeadline ? .seconds(60) : nil)
        let limit = deadline.map { "\n  \"deadline\": \"\($0.nanoseconds / 1_000_000)ms\"," } ?? ""
        let file = """
            {
              "schema": "sequencer.scenario/1",
              "name": "seed-\(seed)",\(lanes)\(limit)\(milestone)
              "operations": [
            \(operations.joined(separator: ",\n"))
              ]
            }

            """
        let arguments = ["--clock", "virtual", "--budget", "1h"] + injections.flatMap { ["--inject", $0] }
        return (file, arguments)
    }

    /// What no scenario file can say of this launch.
    var omissions: [String] {
        var omissions: [String] = []
        if let events = cancelAfterEvents { omissions.append("cancelled after \(events) events") }
        if let cancel = cancelStep { omissions.append("\(name(cancel.step)) is cancelled after \(cancel.afterEvents) events") }
        for (index, step) in steps.enumerated() {
            if let condition = step.condition { omissions.append("\(name(index)) has the condition \(condition)") }
            if step.inputs > 0 {
                omissions.append("\(name(index)) reads \(step.inputs) values\(step.readsOptionally ? ", if there are" : "")")
            }
            if step.failures > 0, step.failures < step.attempts { omissions.append("\(name(index)) fails \(step.failures) times") }
            if step.body == .operation {
                let traits = [
                    step.leavesValue ? " that leaves a value" : "", step.startsOnMain ? " on the main thread" : "",
                    step.existsAlready ? " that exists already" : "", step.finishesTwice ? " that finishes twice" : "",
                ]
                omissions.append("\(name(index)) is an Operation\(traits.joined())")
            }
            if let wait = step.personWait { omissions.append("\(name(index)) waits \(wait) for a person") }
        }
        return omissions
    }

    /// Only an operation of that name can require an update.
    private func name(_ index: Int) -> String {
        index == steps.firstIndex { $0.aborts } ? "force-update" : id(index)
    }
}

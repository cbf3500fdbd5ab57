import Sequencer

/// Plans as JSON, in the format `sequencer.plan/1`, described by `Schemas/plan.schema.json`.
enum PlanJSON {
    static func text(_ plans: [LaunchPlan], budget: Budget) -> String {
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.plan/1", for: "schema")
            json.write(plans.first?.scenario ?? "", for: "scenario")
            json.write(milliseconds: plans.first?.criticalPathDuration ?? .zero, for: "criticalPathMs")
            json.write(plans.first?.criticalPath ?? [], for: "criticalPath")
            json.writeArray(for: "plans") { json in
                for plan in plans { write(plan, budget, to: &json) }
            }
        } + "\n"
    }

    private static func write(_ plan: LaunchPlan, _ budget: Budget, to json: inout JSONWriter) {
        json.writeObject { json in
            json.write(plan.lanes, for: "lanes")
            json.write(milliseconds: plan.makespan, for: "makespanMs")
            json.write(milliseconds: plan.lowerBound, for: "lowerBoundMs")
            json.write(decimal: plan.utilization, for: "utilization")
            json.write(plan.meets(budget) ? "pass" : "fail", for: "verdict")
            json.writeArray(for: "operations") { json in
                for operation in plan.operations {
                    json.writeObject { json in
                        json.write(operation.id, for: "id")
                        json.write(milliseconds: operation.start, for: "startMs")
                        json.write(milliseconds: operation.end, for: "endMs")
                        let lane = operation.isMain ? "main" : operation.lane.map { "lane \($0)" }
                        if let lane { json.write(lane, for: "lane") } else { json.writeNull(for: "lane") }
                        json.write(milliseconds: operation.slack, for: "slackMs")
                        json.write(operation.isCritical, for: "critical")
                    }
                }
            }
        }
    }
}

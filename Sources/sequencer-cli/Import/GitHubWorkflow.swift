import Sequencer

/// Reads a workflow of GitHub Actions as JSON, which `yq` makes of its YAML: each job comes after those that it needs.
///
/// The file has no times. Each job takes one millisecond, as a package of npm does.
func readGitHubWorkflow(_ json: inout JSONCursor) throws(JSONFault) -> ImportedLaunch {
    var name: String?
    var jobs: [WorkflowJob] = []
    var hasJobs = false
    try json.object { json, key throws(JSONFault) in
        switch key {
        case "name": name = try json.optionalText()
        case "jobs":
            hasJobs = true
            try json.object { json, id throws(JSONFault) in
                // Before the job is read: the limit is there for the memory.
                if jobs.count == ImportedLaunch.operationLimit { throw tooManyOperations(json.offset) }
                var job = WorkflowJob(id: id, offset: json.offset)
                try json.object { json, key throws(JSONFault) in try job.read(key, &json) }
                jobs.append(job)
            }
        default: try json.skipValue()
        }
    }
    if !json.isAtEnd() { throw json.expected("nothing after the object") }
    if !hasJobs { throw JSONFault(0, .mistake("missing key 'jobs'")) }
    // After all jobs: `needs` may name one that comes later in the file.
    let places = Dictionary(jobs.enumerated().map { ($1.id, $0) }) { first, _ in first }
    var dependencies: [[Int]] = []
    for job in jobs {
        var needs: [Int] = []
        for id in job.needs {
            guard let place = places[id] else {
                let hint = question(nearestName(to: id, in: jobs.lazy.map(\.id)))
                throw JSONFault(job.offset, .mistake("\(quoted(job.id)) needs \(quoted(id)), which is not a job\(hint)"))
            }
            needs.append(place)
        }
        dependencies.append(needs)
    }
    var launch = ImportedLaunch(name: name ?? "workflow", begin: 0)
    launch.addUntimed(jobs.map { ($0.id, $0.title) }, dependencies)
    return launch
}

private struct WorkflowJob {
    let id: String
    let offset: Int
    var title: String?
    var needs: [String] = []

    init(id: String, offset: Int) {
        (self.id, self.offset) = (id, offset)
    }

    mutating func read(_ key: String, _ json: inout JSONCursor) throws(JSONFault) {
        switch key {
        case "name": title = try json.optionalText()
        case "needs":
            // One job, or a list.
            if json.next() == ASCII.quote { needs = [try json.text()] } else { needs = try json.texts() }
        default: try json.skipValue()
        }
    }
}

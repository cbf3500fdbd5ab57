import Sequencer

/// Reads what `systemd-analyze plot --json=short` prints: the units of a start of the system, each with the microsecond at which it was being activated, and how
/// long that took.
///
/// The format knows no dependencies: `systemd-analyze dot` has them. An array of names under `after`, which another program may have added to a unit, is taken
/// for its own.
func readSystemdPlot(_ json: inout JSONCursor) throws(JSONFault) -> ImportedLaunch {
    var launch = ImportedLaunch(name: "boot", begin: 0)
    var names: [[String]] = []
    try json.array { json throws(JSONFault) in
        _ = json.next()
        let offset = json.offset
        var unit = Unit()
        try json.object { json, key throws(JSONFault) in try unit.read(key, &json) }
        guard let name = unit.name else { throw JSONFault(offset, .mistake("missing key 'name'")) }
        guard let start = unit.activating else {
            throw JSONFault(offset, .mistake("missing key 'activating', the microsecond of the start"))
        }
        if launch.operations.count == ImportedLaunch.operationLimit { throw tooManyOperations(offset) }
        // systemd says of a unit that was not up at the end of the start that it was activated then, and took no time.
        let length = unit.time ?? unit.activated.map { $0 - start } ?? 0
        if length < 0 { throw JSONFault(offset, .mistake("\(quoted(name)) ended before it started")) }
        // Saturated: start and length are each in range, and their sum need not be.
        launch.operations.append(ImportedOperation(name: name, start: start, end: start.addingSaturated(length)))
        names.append(unit.after)
    }
    // Older versions go on with a line for people.
    if !json.isAtEnd(), !(ASCII.zero...ASCII.nine ~= json.next()) { throw json.expected("nothing after the units") }
    if names.contains(where: { !$0.isEmpty }) {
        let places = Dictionary(launch.operations.enumerated().map { ($1.name, $0) }) { first, _ in first }
        // Names that were not started are passed over: ordering in systemd does not start anything.
        for (node, after) in names.enumerated() { launch.operations[node].dependencies = after.compactMap { places[$0] } }
    }
    launch.reconstructLanes()
    return launch
}

private struct Unit {
    var name: String?
    var activating: Nanoseconds?
    var activated: Nanoseconds?
    var time: Nanoseconds?
    var after: [String] = []

    mutating func read(_ key: String, _ json: inout JSONCursor) throws(JSONFault) {
        switch key {
        case "name": name = try json.text()
        case "activating": activating = try json.time(digits: 3)
        case "activated": activated = try json.time(digits: 3)
        case "time": time = try json.time(digits: 3)
        case "after": after = try json.texts()
        default: try json.skipValue()
        }
    }
}

/// Adds what `systemd-analyze dot` says of units: a green line leads from a unit to one that it is started after, as in
/// `"b.service"->"a.service" [color="green"];`. Lines of other colours, and units that were not started, have no part in it.
///
/// - Parameter file: its name in messages.
/// - Throws: a ``ScenarioError`` when no line has that form.
/// - Complexity: linear in the file and the units.
func addSystemdDependencies(from bytes: [UInt8], file: String, to launch: inout ImportedLaunch) throws(ScenarioError) {
    let places = Dictionary(launch.operations.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var isDrawing = false
    for line in bytes.split(separator: 0x0A) {
        // A unit's name has no quotes: `\t"`, the unit, `"->"`, the other, `" [color="`, the colour, `"];`.
        let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count == 7, parts[2].elementsEqual("->".utf8), parts[4].elementsEqual(" [color=".utf8) else { continue }
        isDrawing = true
        // Green is `After`, by the list of colours of systemd-analyze itself; the others are requirements.
        guard parts[5].elementsEqual("green".utf8) else { continue }
        guard let unit = places[String(decoding: parts[1], as: UTF8.self)],
            let other = places[String(decoding: parts[3], as: UTF8.self)]
        else { continue }
        launch.operations[unit].dependencies.append(other)
    }
    if isDrawing { return }
    let message = "no line of the form '\"b.service\"->\"a.service\" [color=\"green\"];'; expected the output of 'systemd-analyze dot'"
    throw ScenarioError(file: file, position: SourcePosition(line: 1, column: 1), path: "", message: message)
}

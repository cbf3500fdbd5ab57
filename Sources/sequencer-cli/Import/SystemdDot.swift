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

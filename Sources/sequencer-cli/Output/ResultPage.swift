/// Where a command writes its result, and how.
struct ResultPage {
    let output: Output
    let style: TextStyle
    let isJSON: Bool

    /// Finds out before the work, which may take long, that a result could not be written.
    init(_ common: CommonArguments) throws(OutputError) {
        output = Output(common.output)
        try output.check()
        style = TextStyle(common.color, for: output)
        isJSON = common.json
    }

    func write(json: @autoclosure () throws -> String, text: @autoclosure () throws -> String) throws {
        try output.write(isJSON ? json() : text())
    }
}

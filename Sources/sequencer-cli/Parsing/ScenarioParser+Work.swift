import Foundation

/// The work of operations: a simulation, a computation, a program or a request.
extension ScenarioParser {
    enum WorkKey: String, CaseIterable {
        case simulate, compute, command, http
    }

    enum HTTPKey: String, CaseIterable {
        case url, method, headers
    }

    func parseWork(_ object: ScenarioField) throws(ScenarioFault) -> WorkDocument {
        let members = try object.members(WorkKey.self, called: "kind of work", homes: Self.homes)
        guard let (key, field) = members.first else {
            throw object.fault("the work is empty; expected \(alternatives(WorkKey.allCases.map(\.rawValue)))")
        }
        // The kinds are named in the order of the file.
        if members.count > 1 {
            let given = members.map { quoted($0.key.rawValue) }.joined(separator: " and ")
            throw object.fault("an operation has one kind of work, found \(given)")
        }
        switch key {
        case .simulate: return .simulate(try field.duration(minimum: .zero))
        case .compute: return .compute(try field.duration(minimum: .zero))
        case .command: return .command(try parseCommand(field))
        case .http: return .http(try parseHTTP(field))
        }
    }

    private func parseCommand(_ field: ScenarioField) throws(ScenarioFault) -> [String] {
        var words: [String] = []
        for element in try field.elements() {
            let word = try element.string()
            // A program receives its arguments as C strings, which end at the first zero.
            if word.utf8.contains(0) { throw element.fault("a word of a command cannot hold the character U+0000") }
            words.append(word)
        }
        guard let program = words.first else { throw field.fault("the command is empty; expected a program and its arguments") }
        // Arguments may be blank or empty, the program may not.
        if program.allSatisfy(\.isWhitespace) { throw field.fault("the command's program is blank") }
        return words
    }

    private func parseHTTP(_ object: ScenarioField) throws(ScenarioFault) -> HTTPDocument {
        var url: URL?
        var method: String?
        var headers: [String: String] = [:]
        for (key, field) in try object.members(HTTPKey.self, homes: Self.homes) {
            switch key {
            case .url:
                let text = try field.string()
                do throws(ValueError) { url = try URLText.parse(text) } catch { throw field.fault(error.message) }
            case .method:
                // Exactly: methods are case-sensitive (RFC 9110, section 9.1).
                let word = try field.string()
                guard HTTPDocument.methods.contains(word) else {
                    throw field.fault(unknownWord(word, called: "method", among: HTTPDocument.methods))
                }
                method = word
            case .headers: headers = try parseHeaders(field)
            }
        }
        guard let url else { throw object.missing("url") }
        return HTTPDocument(url: url, method: method ?? "GET", headers: headers)
    }

    /// Header values may be secrets: no message repeats one.
    private func parseHeaders(_ object: ScenarioField) throws(ScenarioFault) -> [String: String] {
        var headers: [String: String] = [:]
        var seen: Set<String> = []
        for member in try object.object() {
            let field = ScenarioField(value: member.value, path: .key(member.key, of: object.path))
            // RFC 9110, section 5.1: a name is a token.
            let isToken = member.key.utf8.allSatisfy(URLText.isToken)
            if member.key.isEmpty || !isToken {
                throw member.fault("\(quoted(member.key)) is not the name of a header", in: object)
            }
            // Names of headers do not depend on case.
            if !seen.insert(member.key.lowercased()).inserted {
                throw member.fault("the header \(quoted(member.key)) is given twice", in: object)
            }
            let text = try field.string()
            // A line break would begin another header; a tab is allowed (RFC 9110, section 5.5).
            if text.unicodeScalars.contains(where: { !$0.isPrintable && $0 != "\t" }) {
                throw field.fault("the header's value holds a control character")
            }
            headers[member.key] = text
        }
        return headers
    }
}

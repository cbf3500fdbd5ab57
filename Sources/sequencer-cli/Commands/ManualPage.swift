/// The manual page of the tool in the language of man(7), written from the declarations alone, as help is.
enum ManualPage {
    static var text: String {
        var page = Roff()
        let name = CommandLineTool.name
        page.request("TH", name.uppercased(), "1", "", "\(name) \(CommandLineTool.version)", "User Commands")
        page.request("SH", "NAME")
        page.line("\(name) - \(HelpText.summary)")
        page.request("SH", "SYNOPSIS")
        page.request("B", name)
        page.line("COMMAND [SCENARIO] [options]")
        page.request("SH", "DESCRIPTION")
        page.line(HelpText.scenario)
        page.request("SH", "COMMANDS")
        for command in CommandDeclaration.all { page.add(command) }
        page.request("SH", "EXIT STATUS")
        page.line("Each command has its own, above. These are the same for all:")
        page.item(HelpText.mistakes.0, HelpText.mistakes.1)
        page.item("129, 130, 131, 143", "Ended by SIGHUP, SIGINT, SIGQUIT or SIGTERM.")
        page.request("SH", "ENVIRONMENT")
        page.item("NO_COLOR", "No colour, unless --color says otherwise, if it is set and not empty.")
        page.item("TERM", "No colour and no animation if it is dumb.")
        page.item("CLICOLOR, CLICOLOR_FORCE", "No colour if CLICOLOR is 0; colour everywhere if CLICOLOR_FORCE is neither empty nor 0.")
        page.item("LC_ALL, LC_CTYPE, LANG", "Whether drawings may use more than ASCII.")
        page.item("LC_ALL, LC_MESSAGES, LANG", "The region of the device, unless --region names another.")
        return page.text
    }
}

extension Roff {
    fileprivate mutating func add(_ command: CommandDeclaration) {
        request("SS", ([command.name] + command.positionals.map(\.spelling)).joined(separator: " "))
        line(command.summary)
        for positional in command.positionals { item(positional.name, positional.help) }
        // Help aligns short and long spellings with spaces, which man(7) would show.
        for option in command.allOptions { item(option.spelling.trimmed, option.help) }
        list("Examples:", command.examples.map { ("\(CommandLineTool.name) \($0.key)", $0.value) })
        list("Exit status:", command.exitCodes.map { ($0.key, $0.value) })
        list("Signals:", command.signals.map { ($0.key, $0.value) })
    }

    private mutating func list(_ title: String, _ items: [(String, String)]) {
        if items.isEmpty { return }
        request("PP")
        line(title)
        for (term, text) in items { item(term, text) }
    }
}

/// A text in the language of roff.
struct Roff {
    private(set) var text = ""

    /// A line of text, which may begin with any character.
    mutating func line(_ line: String) {
        text += Self.escaped(line) + "\n"
    }

    mutating func request(_ name: String, _ arguments: String...) {
        // In roff a backslash and a double quote begin a comment, so the quote is written by its name.
        text += "." + name + arguments.map { " \"" + Self.escaped($0).replacing("\"", with: "\\(dq") + "\"" }.joined() + "\n"
    }

    /// A term in bold letters, and below it its meaning.
    mutating func item(_ term: String, _ meaning: String) {
        request("TP")
        request("B", term)
        line(meaning)
    }

    /// Hyphens become minus signs, which can be copied into a shell; quotes stay those of ASCII; a dot at the start of a line does not begin a request.
    private static func escaped(_ text: String) -> String {
        // The backslash first: it begins the replacements of all the others.
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
            // Without names for these, a UTF-8 terminal shows typographic marks that no shell understands.
            .replacing("~", with: "\\(ti").replacing("^", with: "\\(ha").replacing("`", with: "\\(ga")
        // A dot or an apostrophe at the start would begin a request; the apostrophe has its name by now. `\&` has no width.
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}

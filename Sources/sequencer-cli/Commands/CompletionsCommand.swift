import StartupOps

/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// `completions`: the script that makes a shell complete command lines.
struct CompletionsCommand: Command {
    static let name = "completions"
    static let summary = "Print a script for a shell to complete commands, options and scenarios."
    static let positionals: [CommandPositional<Self>] = [
        .required("SHELL", help: "bash, zsh or fish.") { command, word throws(ValueError) in
            guard let shell = Shell(rawValue: word) else {
                throw ValueError(message: unknownWord(word, called: "shell", among: Shell.allCases.map(\.rawValue)))
            }
            command.shell = shell
        }
    ]
    static let options: [CommandOption<Self>] = part([CommonArguments.outputOption], \.common)
    static let examples: KeyValuePairs = [
        "completions bash -o /etc/bash_completion.d/sequencer-cli": "Install them for bash.",
        "completions zsh -o ~/.zfunc/_sequencer-cli": "For zsh, in a folder of its fpath.",
        "completions fish -o ~/.config/fish/completions/sequencer-cli.fish": "For fish.",
    ]

    var shell = Shell.bash
    var common = CommonArguments()

    func run() throws -> ExitCode {
        let text = CompletionsText(commands: CommandDeclaration.all, scenarios: Scenario.builtIn.map(\.name))
        try Output(common.output).write(text.text(for: shell))
        return .success
    }
}

/// The scripts that make shells complete the tool's command lines, written from the declarations alone.
struct CompletionsText {
    let commands: [CommandDeclaration]
    let scenarios: [String]

    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private var tool: String { CommandLineTool.name }
    private var names: [String] { commands.map(\.name) }

    /// The words to choose from as a command's arguments, beside files.
    private func words(of command: CommandDeclaration) -> [String] {
        // By the name in the declaration: an argument that help calls SCENARIO is completed as one.
        switch command.positionals.first?.name {
        case "SCENARIO", "SOURCE": scenarios
        case "COMMAND": names
        case "SHELL": Shell.allCases.map(\.rawValue)
        default: []
        }
    }

    private func takesFiles(_ command: CommandDeclaration) -> Bool {
        !command.positionals.isEmpty && !["COMMAND", "SHELL"].contains(command.positionals[0].name)
    }

    /// The identifiers in what `graph --json` prints, a line each; only such that mean nothing to a shell.
    private static let identifiers = #"sed -n 's/^ *"id": "\([A-Za-z0-9._-]*\)",*$/\1/p'"#

    // MARK: bash

    private var bash: String {
        let cases = commands.map { command in
            let options = command.allOptions.map { "--\($0.name)" }.joined(separator: " ")
            let values = command.options.compactMap { option -> String? in
                guard option.takesValue else { return nil }
                // An operation's name comes from the tool itself, called again with the scenario of the line.
                let reply =
                    option.takesOperation
                    ? "_sequencer_cli_operations"
                    : option.words.isEmpty
                        // An option whose value is free text completes nothing: files would be a wrong guess.
                        ? (option.takesFile ? "COMPREPLY=($(compgen -f -- \"$current\"))" : "COMPREPLY=()")
                        : "COMPREPLY=($(compgen -W \"\(option.words.joined(separator: " "))\" -- \"$current\"))"
                let spellings = (option.short.map { "-\($0)|" } ?? "") + "--\(option.name)"
                return "            \(spellings)) \(reply); return ;;"
            }
            let positional =
                "COMPREPLY=($(compgen -W \"\(words(of: command).joined(separator: " "))\" \(takesFiles(command) ? "-f " : "")-- \"$current\"))"
            return """
                    \(command.name))
                        case "$previous" in
                \(values.isEmpty ? "            *) ;;" : values.joined(separator: "\n"))
                        esac
                        if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "\(options)" -- "$current")); else \(positional); fi
                        ;;
                """
        }
        return """
            # bash completion for \(tool)
            # The operations of the scenario that the line names, to be followed by a value.
            _sequencer_cli_operations() {
                local word names
                for word in "${COMP_WORDS[@]:2}"; do
                    [[ "$word" == [-=]* ]] && continue
                    names=$("${COMP_WORDS[0]}" graph "$word" --json 2> /dev/null < /dev/null | \(Self.identifiers))
                    [[ -n "$names" ]] && break
                done
                COMPREPLY=()
                while IFS= read -r word; do
                    [[ -n "$word" && "$word" == "$current"* ]] && COMPREPLY+=("$word=")
                done <<< "$names"
                compopt -o nospace 2> /dev/null
            }
            _sequencer_cli() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
                if [[ $COMP_CWORD -eq 1 ]]; then
                    COMPREPLY=($(compgen -W "\(names.joined(separator: " ")) --help --version" -- "$current"))
                    return
                fi
                case "${COMP_WORDS[1]}" in
            \(cases.joined(separator: "\n"))
                esac
            }
            complete -o filenames -F _sequencer_cli \(tool)

            """
    }

    // MARK: zsh

    private var zsh: String {
        let cases = commands.map { command in
            let options = command.allOptions.map { option -> String in
                let help = Self.zshEscaped(option.help)
                let action = !option.takesValue ? "" : ":value:" + zshAction(option)
                // zsh shows one description for both spellings, and offers neither once one is there.
                let spelling = option.short.map { "'(-\($0) --\(option.name))'{-\($0),--\(option.name)}" } ?? "'--\(option.name)"
                return option.short == nil ? "\(spelling)[\(help)]\(action)'" : "\(spelling)'[\(help)]\(action)'"
            }
            let choices = words(of: command).joined(separator: " ")
            let files = takesFiles(command) ? "_alternative 'words:word:(\(choices))' 'files:file:_files'" : "_values word \(choices)"
            // Inside single quotes, which the alternatives hold themselves.
            let positional = command.positionals.isEmpty ? "" : " '*::argument:{ \(files.replacing("'", with: "'\\''")) }'"
            return "        \(command.name)) _arguments \(options.joined(separator: " "))\(positional) ;;"
        }
        let described = commands.map { "'\($0.name):\(Self.zshEscaped($0.summary))'" }
        return """
            #compdef \(tool)
            # zsh completion for \(tool)
            # The operations of the scenario that the line names, to be followed by a value.
            _sequencer_cli_operations() {
                local word
                local -a names
                for word in "${(@)words[2,-1]}"; do
                    [[ "$word" == -* ]] && continue
                    names=(${(f)"$("$tool" graph "$word" --json 2> /dev/null < /dev/null | \(Self.identifiers))"})
                    (( $#names )) && break
                done
                compadd -S = -a names
            }
            _sequencer_cli() {
                local -a commands=(\(described.joined(separator: " ")))
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local tool="$words[1]" command="$words[2]"
                shift words
                (( CURRENT-- ))
                case "$command" in
            \(cases.joined(separator: "\n"))
                esac
            }
            _sequencer_cli "$@"

            """
    }

    private func zshAction(_ option: OptionDeclaration) -> String {
        if option.takesOperation { return "_sequencer_cli_operations" }
        if !option.words.isEmpty { return "(\(option.words.joined(separator: " ")))" }
        return option.takesFile ? "_files" : " "
    }

    /// Inside single quotes, within an option's brackets.
    private static func zshEscaped(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
    }

    // MARK: fish

    private var fish: String {
        var lines = ["# fish completion for \(tool)", Self.fishOperations, "complete -c \(tool) -f"]
        for command in commands {
            lines.append("complete -c \(tool) -n __fish_use_subcommand -a \(command.name) -d \(Self.fishQuoted(command.summary))")
        }
        for command in commands {
            let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
            // fish offers files for every command unless it is told not to; `-F` brings them back where a command takes some.
            let words = words(of: command)
            if !words.isEmpty { lines.append("complete -c \(tool) \(condition) -a '\(words.joined(separator: " "))'") }
            if takesFiles(command) { lines.append("complete -c \(tool) \(condition) -F") }
            for option in command.allOptions {
                let short = option.short.map { " -s \($0)" } ?? ""
                let words = option.takesOperation ? "(__sequencer_cli_operations)" : option.words.joined(separator: " ")
                // `-x`: a value has to follow, and files are not offered for it.
                let value = words.isEmpty ? (option.takesFile ? " -r -F" : " -x") : " -x -a '\(words)'"
                lines.append(
                    "complete -c \(tool) \(condition)\(short) -l \(option.name)\(option.takesValue ? value : "") -d \(Self.fishQuoted(option.help))"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let fishOperations = """
        # The operations of the scenario that the line names, to be followed by a value.
        function __sequencer_cli_operations
            set -l words (commandline -opc)
            for word in $words[3..-1]
                string match -q -- '-*' $word; and continue
                set -l names (command $words[1] graph $word --json 2> /dev/null < /dev/null | \(identifiers))
                if set -q names[1]
                    printf '%s=\\n' $names
                    return
                end
            end
        end
        """

    private static func fishQuoted(_ text: String) -> String {
        // In fish's single quotes a backslash escapes only itself and the quote.
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

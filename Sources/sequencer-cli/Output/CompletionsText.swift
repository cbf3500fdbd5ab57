import StartupOps

/// What makes a shell complete the tool's command lines, written from the declarations alone.
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

    private var tool: String { HelpText.tool }
    private var names: [String] { commands.map(\.name) }

    /// The words to choose from as a command's arguments, beside files.
    private func words(of command: CommandDeclaration) -> [String] {
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

    // MARK: bash

    private var bash: String {
        let cases = commands.map { command in
            let options = command.allOptions.map { "--\($0.name)" }.joined(separator: " ")
            let values = command.options.compactMap { option -> String? in
                guard option.takesValue else { return nil }
                let reply =
                    option.words.isEmpty
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
                let spelling = option.short.map { "'(-\($0) --\(option.name))'{-\($0),--\(option.name)}" } ?? "'--\(option.name)"
                return option.short == nil ? "\(spelling)[\(help)]\(action)'" : "\(spelling)'[\(help)]\(action)'"
            }
            let choices = words(of: command).joined(separator: " ")
            let files = takesFiles(command) ? "_alternative 'words:word:(\(choices))' 'files:file:_files'" : "_values word \(choices)"
            let positional = command.positionals.isEmpty ? "" : " '*::argument:{ \(files.replacing("'", with: "'\\''")) }'"
            return "        \(command.name)) _arguments \(options.joined(separator: " "))\(positional) ;;"
        }
        let described = commands.map { "'\($0.name):\(Self.zshEscaped($0.summary))'" }
        return """
            #compdef \(tool)
            # zsh completion for \(tool)
            _sequencer_cli() {
                local -a commands=(\(described.joined(separator: " ")))
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command="$words[2]"
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
        if !option.words.isEmpty { return "(\(option.words.joined(separator: " ")))" }
        return option.takesFile ? "_files" : " "
    }

    /// Inside single quotes, within an option's brackets.
    private static func zshEscaped(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
    }

    // MARK: fish

    private var fish: String {
        var lines = ["# fish completion for \(tool)", "complete -c \(tool) -f"]
        for command in commands {
            lines.append("complete -c \(tool) -n __fish_use_subcommand -a \(command.name) -d \(Self.fishQuoted(command.summary))")
        }
        for command in commands {
            let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
            let words = words(of: command)
            if !words.isEmpty { lines.append("complete -c \(tool) \(condition) -a '\(words.joined(separator: " "))'") }
            if takesFiles(command) { lines.append("complete -c \(tool) \(condition) -F") }
            for option in command.allOptions {
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.words.isEmpty ? (option.takesFile ? " -r -F" : " -x") : " -x -a '\(option.words.joined(separator: " "))'"
                lines.append(
                    "complete -c \(tool) \(condition)\(short) -l \(option.name)\(option.takesValue ? value : "") -d \(Self.fishQuoted(option.help))"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

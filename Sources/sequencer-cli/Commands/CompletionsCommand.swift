import StartupNetworking
import StartupOps

/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

/// `completions`: the script that makes a shell complete command lines. It asks the tool itself, so that the two never
/// disagree: see ``CompleteCommand``.
struct CompletionsCommand: ResultCommand {
    static let name = "completions"
    static let summary = "Print a script for a shell to complete commands, options and scenarios."
    static let ownArguments: [CommandArgument<Self>] = [
        .positional("SHELL") { $0.shell = try parseWord($1, Shell.self, called: "shell") }.help("bash, zsh or fish.")
    ]
    static let resultOptions = [CommonArguments.outputOption]
    static let examples: KeyValuePairs = [
        "completions bash -o /etc/bash_completion.d/sequencer-cli": "Install them for bash.",
        "completions zsh -o ~/.zfunc/_sequencer-cli": "For zsh, in a folder of its fpath.",
        "completions fish -o ~/.config/fish/completions/sequencer-cli.fish": "For fish.",
    ]

    var shell = Shell.bash
    var common = CommonArguments()

    func run(_ page: ResultPage) throws -> ExitCode {
        try page.output.write(script)
        return .success
    }

    /// Each line that the tool answers is a word and, behind a tab, its description; `:files` stands for the names of
    /// files.
    private var script: String {
        switch shell {
        case .bash:
            #"""
            # bash completion for sequencer-cli, which answers by itself.
            _sequencer_cli() {
                local current="${COMP_WORDS[COMP_CWORD]}" line
                COMPREPLY=()
                while IFS= read -r line; do
                    if [[ "$line" == :files ]]; then
                        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
                    else
                        COMPREPLY+=("${line%%$'\t'*}")
                        if [[ "$line" == *= ]]; then compopt -o nospace 2> /dev/null; fi
                    fi
                done < <("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null < /dev/null)
            }
            complete -o filenames -F _sequencer_cli sequencer-cli

            """#
        case .zsh:
            #"""
            #compdef sequencer-cli
            # zsh completion for sequencer-cli, which answers by itself.
            _sequencer_cli() {
                local line
                local -a names shown suffix
                for line in "${(@f)$("$words[1]" --complete "${(@)words[2,CURRENT]}" 2> /dev/null < /dev/null)}"; do
                    case "$line" in
                        '') ;;
                        :files) _files ;;
                        *)
                            names+=("${line%%$'\t'*}") shown+=("${line/$'\t'/  -- }")
                            if [[ "$line" == *= ]]; then suffix=(-S '') fi
                            ;;
                    esac
                done
                compadd -l "${(@)suffix}" -d shown -a names
            }
            _sequencer_cli "$@"

            """#
        case .fish:
            #"""
            # fish completion for sequencer-cli, which answers by itself.
            function __sequencer_cli
                set -l words (commandline -opc)
                set -l current (commandline -ct)
                for line in (command $words[1] --complete $words[2..-1] "$current" 2> /dev/null < /dev/null)
                    if test "$line" = :files
                        __fish_complete_path "$current"
                    else
                        printf '%s\n' $line
                    end
                end
            end
            complete -c sequencer-cli -f -a '(__sequencer_cli)'

            """#
        }
    }
}

/// `--complete`: the words that may stand in the last place of a command line, for the scripts of
/// ``CompletionsCommand``.
struct CompleteCommand: Command {
    static let name = "--complete"
    static let summary = "Print what may stand in place of the last word."
    private static let files = ":files"
    private static let commands = Commands.all.map { "\($0.name)\t\($0.summary)" }

    /// The line without the name of the tool, up to the word that is being typed.
    var words: [String] = []

    func run() throws -> ExitCode {
        let current = words.last ?? ""
        // bash takes `--clock=wall` for three words.
        let lines = current == "=" ? [] : candidates(after: words.dropLast().filter { $0 != "=" }, current)
        try Output(nil).write(lines.filter { $0.hasPrefix(current) || $0 == Self.files }.map { $0 + "\n" }.joined())
        return .success
    }

    private func candidates(after words: [String], _ current: String) -> [String] {
        guard let name = words.first else { return Self.commands + ["--help\tShow help.", "--version\tShow the version."] }
        guard let command = Commands.all.first(where: { $0.name == name }) else { return [] }
        let words = words.dropFirst()
        if let previous = words.last, let option = command.declaredOptions.first(where: { $0.isSpelled(previous) }),
            let value = option.value
        {
            // By the name of the value, so that help and completions cannot disagree. Files would be a wrong guess for
            // a value of another kind.
            return option.words.isEmpty && (value.contains("FILE") || value.contains("DIR")) ? [Self.files] : option.words
        }
        if current.hasPrefix("-") { return command.declaredOptions.map { "--\($0.name)\t\($0.help)" } }
        // By the name in the declaration: an argument that help calls SCENARIO is completed as one.
        switch command.declaredPositionals.first?.name {
        case nil: return []
        case "SCENARIO", "SOURCE": return Scenario.builtIn.map { "\($0.name)\t\($0.summary)" } + [Self.files]
        case "COMMAND": return Self.commands
        case "SHELL": return Shell.words
        default: return [Self.files]
        }
    }
}

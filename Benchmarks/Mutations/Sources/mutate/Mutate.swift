import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds mutations in Swift files, and writes files that have some of them behind switches.
///
///     mutate list ROOT FILE...
///     mutate write ROOT OUT FILE... < NUMBERS
///
/// The first prints every mutation of ROOT/FILE, as JSON, a line each. The second writes OUT/FILE with those mutations of them whose numbers it
/// reads, each behind a call of `__isMutated(NUMBER)`, which has to be there.
@main
enum Mutate {
    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        switch (arguments.popFirst(), arguments.popFirst()) {
        case ("list", let root?):
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for (_, _, mutations) in try mutations(of: Array(arguments), in: root) {
                for mutation in mutations { print(String(decoding: try encoder.encode(mutation), as: UTF8.self)) }
            }
        case ("write", let root?):
            guard let output = arguments.popFirst() else { usage() }
            var wanted: Set<Int> = []
            while let line = readLine() {
                if let number = Int(line) { wanted.insert(number) }
            }
            for (file, text, mutations) in try mutations(of: Array(arguments), in: root) {
                let switched = switchedText(text, mutations.filter { wanted.contains($0.number) })
                let target = URL(fileURLWithPath: output).appendingPathComponent(file)
                // What has not changed is not compiled anew.
                if (try? String(contentsOf: target, encoding: .utf8)) == switched { continue }
                try switched.write(to: target, atomically: true, encoding: .utf8)
            }
        default:
            usage()
        }
    }

    private static func mutations(of files: [String], in root: String) throws -> [(file: String, text: String, mutations: [Mutation])] {
        var number = 0
        return try files.map { file in
            let text = try String(contentsOf: URL(fileURLWithPath: root).appendingPathComponent(file), encoding: .utf8)
            let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in }
            let finder = MutationFinder(file: file, tree: tree)
            finder.walk(tree)
            let mutations = finder.mutations.map { mutation in
                var mutation = mutation
                number += 1
                mutation.number = number
                return mutation
            }
            return (file, text, mutations)
        }
    }

    private static func usage() -> Never {
        FileHandle.standardError.write(Data("usage: mutate list ROOT FILE...\n       mutate write ROOT OUT FILE... < NUMBERS\n".utf8))
        exit(64)
    }
}

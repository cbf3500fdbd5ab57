import Foundation
import Sequencer

/// Reads npm's `package-lock.json`, version 2 or 3: each package comes after those that it depends on, found as Node.js finds them.
///
/// The file has no times. Each package takes one millisecond, as early as its dependencies let it, so that lengths are numbers of packages. Packages may depend on one
/// another in a circle; the dependency that closes one is left out.
func readPackageLock(_ json: inout JSONCursor) throws(JSONFault) -> ImportedLaunch {
    var lock = PackageLock()
    var hasPackages = false
    try json.object { json, key throws(JSONFault) in
        switch key {
        case "name": lock.name = try json.optionalText()
        case "packages":
            hasPackages = true
            try json.object { json, path throws(JSONFault) in try lock.readPackage(path, &json) }
        default: try json.skipValue()
        }
    }
    if !json.isAtEnd() { throw json.expected("nothing after the object") }
    if !hasPackages { throw JSONFault(0, .mistake("missing key 'packages', which a lock file of version 2 or 3 has")) }
    return lock.launch()
}

private struct PackageLock {
    private struct Package {
        let path: String
        var name: String?
        var version: String?
        /// The path of the folder that it stands for.
        var target: String?
        var dependencies: [String] = []
    }

    /// A longer path is no path: for each dependency all of its folders are looked at.
    private static let pathLimit = 1024
    private static let duration: Nanoseconds = 1_000_000

    var name: String?
    private var packages: [Package] = []

    mutating func readPackage(_ path: String, _ json: inout JSONCursor) throws(JSONFault) {
        let offset = json.offset
        if path.utf8.count > Self.pathLimit { throw JSONFault(offset, .mistake("a path of more than \(Self.pathLimit) bytes")) }
        if packages.count == ImportedLaunch.operationLimit { throw tooManyOperations(offset) }
        var package = Package(path: path)
        var (isLink, resolved) = (false, String?.none)
        try json.object { json, key throws(JSONFault) in
            switch key {
            case "name": package.name = try json.optionalText()
            case "version": package.version = try json.optionalText()
            case "resolved": resolved = try json.optionalText()
            case "link":
                isLink = json.next() == UInt8(ascii: "t")
                try json.skipValue()
            case "dependencies", "devDependencies", "optionalDependencies", "peerDependencies":
                try json.object { json, name throws(JSONFault) in
                    package.dependencies.append(name)
                    try json.skipValue()
                }
            default: try json.skipValue()
            }
        }
        if isLink { package.target = resolved }
        packages.append(package)
    }

    func launch() -> ImportedLaunch {
        let places = Dictionary(packages.enumerated().map { ($1.path, $0) }) { first, _ in first }
        let dependencies = packages.map { package in
            package.target.map { places[$0].map { [$0] } ?? [] }
                ?? package.dependencies.compactMap { Self.place(of: $0, for: package.path, places) }
        }
        let schedule = Schedule(dependencies)
        var launch = ImportedLaunch(name: name ?? "packages", begin: 0)
        if schedule.circles > 0 {
            launch.remark = "\(schedule.circles) dependenc\(schedule.circles == 1 ? "y" : "ies") that would close a circle left out"
        }
        launch.operations = packages.indices.map { place in
            let start = Nanoseconds(schedule.levels[place]) * Self.duration
            return ImportedOperation(
                name: title(of: packages[place]),
                start: start,
                end: start + Self.duration,
                dependencies: schedule.dependencies[place]
            )
        }
        launch.reconstructLanes()
        return launch
    }

    /// `name@version`; the name is the last of the path unless the package says another.
    private func title(of package: Package) -> String {
        let last = package.path.components(separatedBy: "node_modules/").last ?? ""
        let name = package.name ?? (package.path.isEmpty ? self.name ?? "root" : last)
        return package.version.map { "\(name)@\($0)" } ?? name
    }

    /// The package that a name means at a path: the nearest, from its own folder to the outermost.
    private static func place(of name: String, for path: String, _ places: [String: Int]) -> Int? {
        var folder = path[...]
        while !folder.isEmpty {
            if let place = places["\(folder)/node_modules/\(name)"] { return place }
            folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        }
        return places["node_modules/\(name)"]
    }
}

/// When each node of a graph could start if all took one step, circles opened.
private struct Schedule {
    private(set) var levels: [Int]
    private(set) var dependencies: [[Int]]
    /// How many dependencies were left out.
    private(set) var circles = 0

    /// Depth first, without recursion.
    init(_ graph: [[Int]]) {
        levels = [Int](repeating: -1, count: graph.count)
        dependencies = [[Int]](repeating: [], count: graph.count)
        var isOpen = [Bool](repeating: false, count: graph.count)
        for root in graph.indices where levels[root] < 0 {
            var path = [(node: root, next: 0)]
            isOpen[root] = true
            while let (node, next) = path.last {
                guard next < graph[node].count else {
                    var level = 0
                    for dependency in dependencies[node] { level = max(level, levels[dependency] + 1) }
                    levels[node] = level
                    isOpen[node] = false
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let dependency = graph[node][next]
                if isOpen[dependency] {
                    circles += 1
                    continue
                }
                dependencies[node].append(dependency)
                if levels[dependency] < 0 {
                    isOpen[dependency] = true
                    path.append((dependency, 0))
                }
            }
        }
    }
}

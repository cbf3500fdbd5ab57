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
    // Version 1 has `dependencies` in place of `packages`, nested, and is not read.
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

    /// Longer paths are refused: for each dependency all folders of the path are looked at.
    private static let pathLimit = 1024

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
            // Peer dependencies are installed, too, since version 7 of npm.
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
            // An entry for a link has its folder as its only dependency.
            package.target.map { places[$0].map { [$0] } ?? [] }
                // Optional packages may not be there: those are passed over.
                ?? package.dependencies.compactMap { Self.place(of: $0, for: package.path, places) }
        }
        var launch = ImportedLaunch(name: name ?? "packages", begin: 0)
        launch.addUntimed(packages.map { (title(of: $0), nil) }, dependencies)
        return launch
    }

    /// `name@version`; the name is the last of the path unless the package says another.
    private func title(of package: Package) -> String {
        // A scoped name has a slash: the last part of the path would not be enough.
        let last = package.path.components(separatedBy: "node_modules/").last ?? ""
        let name = package.name ?? (package.path.isEmpty ? self.name ?? "root" : last)
        return package.version.map { "\(name)@\($0)" } ?? name
    }

    /// The package that a name means at a path: the nearest, from its own folder to the outermost.
    private static func place(of name: String, for path: String, _ places: [String: Int]) -> Int? {
        // As Node.js looks: in the folder's own node_modules, then in each one around it.
        var folder = path[...]
        while !folder.isEmpty {
            if let place = places["\(folder)/node_modules/\(name)"] { return place }
            folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        }
        return places["node_modules/\(name)"]
    }
}

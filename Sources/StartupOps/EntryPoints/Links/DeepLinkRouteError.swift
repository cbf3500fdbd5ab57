/// Routes that contradict themselves or each other: a mistake in the app, found before a link arrives.
public struct DeepLinkRouteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The route's name.
    public let route: String
    /// What is wrong with it, and what to do.
    public let reason: String

    /// One sentence.
    public var description: String { "route \(route): \(reason)" }

    /// Throws the first mistake there is.
    static func check(_ routes: [DeepLinkRoute]) throws(DeepLinkRouteError) {
        var names: Set<String> = []
        var shapes: [[String?]: String] = [:]
        for route in routes {
            func error(_ reason: String) -> DeepLinkRouteError { DeepLinkRouteError(route: route.name, reason: reason) }
            guard names.insert(route.name).inserted else { throw error("there are two routes of this name; rename one") }
            guard route.path.hasPrefix("/") else { throw error("its path, \(route.path), has to begin with a slash") }
            let shape: [String?] = route.segments.map { if case .literal(let text) = $0 { text } else { nil } }
            if let other = shapes.updateValue(route.name, forKey: shape) {
                throw error("its path, \(route.path), fits the same links as that of \(other)")
            }
            if let brace = shape.compactMap({ $0 }).first(where: { $0.contains("{") || $0.contains("}") }) {
                throw error("\(brace) in its path is neither a word nor a parameter; a parameter is a whole part, such as {id}")
            }
            try check(route, error)
        }
    }

    private static func check(_ route: DeepLinkRoute, _ error: (String) -> DeepLinkRouteError) throws(DeepLinkRouteError) {
        var parameters: [String: DeepLinkParameter] = [:]
        for parameter in route.parameters where parameters.updateValue(parameter, forKey: parameter.name) != nil {
            throw error("it has two parameters named \(parameter.name)")
        }
        var inPath: Set<String> = []
        for case .parameter(let name) in route.segments {
            guard let parameter = parameters[name] else { throw error("{\(name)} in its path is none of its parameters; add it to them") }
            guard parameter.isRequired else { throw error("\(name) is in its path, so it cannot be left out; make it required") }
            guard inPath.insert(name).inserted else { throw error("{\(name)} is in its path twice") }
        }
    }
}

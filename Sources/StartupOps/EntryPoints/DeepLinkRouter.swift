import Sequencer

/// Judges links: which an app takes, and where they lead.
///
/// A link comes from a stranger. It is taken only when its scheme, host and port are exactly one of the app's origins,
/// its path is one of the app's routes, and every parameter is what the route says. Upper case in scheme and host does
/// no harm, nor does the scheme's own port. A user name, a host with an encoded or international letter or a dot at its
/// end, and a path that climbs are refused. The fragment, after `#`, is left out. A plus stays a plus.
///
/// An app that takes other links, as a browser takes any page, reads those itself, and hands them on as an
/// ``AppEntryPoint``.
///
/// ```swift
/// let router = try DeepLinkRouter(
///     origins: [DeepLinkOrigin("https", "music.example")],
///     routes: [DeepLinkRoute("speaker", path: "/speakers/{id}", parameters: [.uuid("id")])])
/// let link = try router.link("https://music.example/speakers/2D7A6C9E-5C1D-4E0C-9A55-8B8D1E0F3A10")
/// link.string("id")
/// ```
public struct DeepLinkRouter: Sendable {
    /// The origins that links are taken for.
    let origins: Set<DeepLinkOrigin>
    /// The routes, those first that are tried first: of two that fit, the one that is more literal further to the left.
    let routes: [DeepLinkRoute]

    /// A router that takes links from `origins` along `routes`.
    ///
    /// - Throws: an error that names the route when routes contradict themselves or each other.
    public init(origins: Set<DeepLinkOrigin>, routes: [DeepLinkRoute]) throws {
        self.origins = origins
        try DeepLinkRouteError.check(routes)
        self.routes = routes.sorted { $0.segments.map(\.rank).lexicographicallyPrecedes($1.segments.map(\.rank)) }
    }

    /// The link that a text is.
    ///
    /// - Throws: ``DeepLinkError``, which names the mistake and its parameter.
    public func link(_ text: String) throws(DeepLinkError) -> DeepLink {
        // The scheme before the rest: other schemes are other apps' syntax.
        let address = try LinkAddress(text, schemes: Set(origins.map(\.scheme)))
        try checkOrigin(of: address)
        let path = try address.segments()
        for route in routes {
            guard let values = route.match(path) else { continue }
            // The first that fits decides: with wrong parameters the link is refused, and no wider route gets it.
            return DeepLink(route: route, parameters: try parameters(of: route, values, address.query))
        }
        throw DeepLinkError("\(address.scheme)://\(address.host)", "there is no route for \(shown(path))")
    }

    private func checkOrigin(of address: LinkAddress) throws(DeepLinkError) {
        let ofScheme = origins.filter { $0.scheme == address.scheme }
        let origin = "\(address.scheme)://\(address.host)"
        let ofHost = ofScheme.filter { $0.host == address.host }
        guard !ofHost.isEmpty else {
            let hosts = Set(ofScheme.map(\.host)).sorted().joined(separator: ", ")
            throw DeepLinkError(origin, "the host is none of \(hosts)")
        }
        guard ofHost.contains(where: { $0.port == address.port }) else {
            throw DeepLinkError(origin, "port not allowed")
        }
    }

    private func parameters(
        of route: DeepLinkRoute,
        _ path: [(name: String, text: String)],
        _ query: [LinkAddress.Field]
    ) throws(DeepLinkError) -> [String: DeepLink.Value] {
        let link = "route \(route.name)"
        var values: [String: DeepLink.Value] = [:]
        func add(_ parameter: DeepLinkParameter, _ text: String?) throws(DeepLinkError) {
            let name = parameter.name
            // Twice would be read differently by two readers.
            guard values[name] == nil else {
                throw DeepLinkError(link, "parameter \(name) is there twice")
            }
            guard let text, parameter.takes(text) else {
                throw DeepLinkError(link, "parameter \(name) is not \(parameter.expectation)")
            }
            values[name] = .string(text)
        }
        for (name, text) in path {
            if let parameter = route.parameter(name) { try add(parameter, text) }
        }
        for (encodedName, encoded) in query {
            // Longer names than any route has are not even decoded.
            guard encodedName.count <= 256, let name = percentDecoded(encodedName), let parameter = route.parameter(name) else {
                if route.ignoresUnknownParameters { continue }
                throw unknownParameter(encodedName, hasValue: encoded.contains { $0 != UInt8(ascii: "=") }, route)
            }
            // A value that is too long is not even decoded.
            try add(parameter, encoded.count <= parameter.maximumEncodedLength ? percentDecoded(encoded) : nil)
        }
        // In the order of the declaration, so that the same link has the same message.
        for parameter in route.parameters where parameter.isRequired && values[parameter.name] == nil {
            throw DeepLinkError(link, "parameter \(parameter.name) is missing; it has to be \(parameter.expectation)")
        }
        return values
    }

    /// A bare word in a query may be a token: only a word that looks like a name, and has a value, is shown.
    private func unknownParameter(_ name: LinkAddress.Bytes, hasValue: Bool, _ route: DeepLinkRoute) -> DeepLinkError {
        let isShown =
            hasValue && !name.isEmpty && name.count <= 32
            && name.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_-.".utf8.contains($0) }
        let text = isShown ? String(Substring(name)) : nil
        let nearest = text.flatMap { nearestName(to: $0, in: route.parameters.map(\.name).sorted()) }
        let hint = nearest.map { "; did you mean \($0)?" } ?? ""
        let reason = "the route has no parameter \(text ?? "like one that is there")\(hint)"
        return DeepLinkError("route \(route.name)", reason)
    }

    /// A path in which only words of the app's own routes are shown: anything else may be a token.
    private func shown(_ segments: [String]) -> String {
        let words = Set(routes.flatMap(\.segments))
        let shown = segments.prefix(8).map { words.contains(.literal($0)) ? $0 : "…" }
        return "/" + shown.joined(separator: "/") + (segments.count > 8 ? "/…" : "")
    }
}

/// Routes that contradict themselves or each other: a mistake in the app, found before a link arrives.
struct DeepLinkRouteError: DescribedError, Sendable, Hashable {
    /// The route's name.
    let route: String
    /// The mistake, and how to correct it.
    let reason: String

    /// The message, in one sentence.
    var description: String { "route \(route): \(reason)" }

    /// Throws the first mistake there is.
    static func check(_ routes: [DeepLinkRoute]) throws(DeepLinkRouteError) {
        var names: Set<String> = []
        var shapes: [[String?]: String] = [:]
        for route in routes {
            func error(_ reason: String) -> DeepLinkRouteError { DeepLinkRouteError(route: route.name, reason: reason) }
            guard names.insert(route.name).inserted else { throw error("there are two routes of this name; rename one") }
            let shape = route.segments.map(\.word)
            // Two routes of one shape would be chosen by their order.
            if let other = shapes.updateValue(route.name, forKey: shape) {
                throw error("its path, \(route.path), fits the same links as that of \(other)")
            }
            if let brace = shape.compactMap({ $0 }).first(where: { $0.contains("{") || $0.contains("}") }) {
                throw error("\(brace) in its path is neither a word nor a parameter; a parameter is a whole part, such as {id}")
            }
            for case .parameter(let name) in route.segments where route.parameter(name) == nil {
                throw error("{\(name)} in its path is none of its parameters; add it to them")
            }
            if let parameter = route.parameters.first(where: { $0.maximumEncodedLength == 0 }) {
                throw error("its parameter \(parameter.name) can have no value; give it choices, or a length")
            }
        }
    }
}

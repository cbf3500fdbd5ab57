/// What a device is set to: the language of its person and the country they are in.
struct DeviceRegion: Equatable, Sendable, CustomStringConvertible {
    /// By ISO 639, in lower case.
    let language: String
    /// By ISO 3166, in upper case.
    let country: String

    /// Where nothing says otherwise.
    static let standard = DeviceRegion(language: "en", country: "US")

    /// Reads `de-DE`; an underscore will do, as in the names of locales.
    static func parse(_ text: String) throws(ValueError) -> DeviceRegion {
        if let region = DeviceRegion(text) { return region }
        throw ValueError(message: "\(quoted(text)) is not of the form LANG-COUNTRY, two letters each, such as 'de-DE'")
    }

    /// The region of the first of the locale's variables that names one, as in `LANG=de_DE.UTF-8`; else ``standard``.
    static func current(_ environment: [String: String]) -> DeviceRegion {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let regions = names.lazy.compactMap { environment[$0] }.compactMap { locale in
            DeviceRegion(String(locale.prefix { $0 != "." && $0 != "@" }))
        }
        return regions.first ?? standard
    }

    init(language: String, country: String) {
        self.language = language
        self.country = country
    }

    private init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        let isValid =
            parts.count == 2
            && parts.allSatisfy { part in
                part.utf8.count == 2 && part.allSatisfy { $0.isASCII && $0.isLetter }
            }
        guard isValid else { return nil }
        self.init(language: parts[0].lowercased(), country: parts[1].uppercased())
    }

    var description: String { "\(language)-\(country)" }
}

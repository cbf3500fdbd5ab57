import Foundation
import Sequencer
import StartupOps

/// The texts of the sample service, by language; in English where it is another one.
enum SampleTexts {
    static func greeting(_ language: String) -> String {
        ["de": "Guten Tag", "fr": "Bonjour", "es": "Buenos días", "ja": "こんにちは"][language] ?? "Hello"
    }

    static func tutorial(_ language: String) -> [TutorialPage] {
        let pages: KeyValuePairs<String, String> =
            switch language {
            case "de": ["Willkommen": "Musik in jedem Raum.", "Lautsprecher": "Verbinde deinen ersten Lautsprecher."]
            case "fr": ["Bienvenue": "De la musique dans chaque pièce.", "Enceintes": "Connectez votre première enceinte."]
            case "es": ["Bienvenido": "Música en cada habitación.", "Altavoces": "Conecta tu primer altavoz."]
            case "ja": ["ようこそ": "すべての部屋に音楽を。", "スピーカー": "最初のスピーカーを接続しましょう。"]
            default: ["Welcome": "Music in every room.", "Speakers": "Connect your first speaker."]
            }
        return pages.map { TutorialPage(title: $0.key, text: $0.value) }
    }
}

extension SampleServiceState {
    /// The countries that the sample service has a configuration for.
    static let countries = [
        Country(code: "DE", name: "Germany", languages: ["de", "en"]),
        Country(code: "FR", name: "France", languages: ["fr", "en"]),
        Country(code: "US", name: "United States", languages: ["en", "es"]),
        Country(code: "JP", name: "Japan", languages: ["ja", "en"]),
    ]

    /// The configuration of a country, in the language that is asked for where the country has it, else in its first.
    func configuration(_ request: HTTPRequest) -> HTTPResponse {
        guard let code = request.parameter("country") else { return .problem(400, "invalid_request", "country is needed") }
        guard let country = Self.countries.first(where: { $0.code == code.uppercased() }) else {
            return .problem(404, "unknown_country", "there is no configuration for this country")
        }
        let wanted = request.parameter("language") ?? ""
        let language = country.languages.contains(wanted) ? wanted : country.languages[0]
        var response = HTTPResponse.json(
            AppConfiguration(
                version: options.configurationVersion,
                country: country.code,
                language: language,
                onboarding: options.onboarding,
                restoreAccount: options.restoreAccount,
                features: options.features,
                tutorialPages: SampleTexts.tutorial(language),
                speakers: options.speakers.first.map { AppConfiguration.Endpoint(host: $0.host, port: $0.port) }
            )
        )
        let tag = "\"\(Self.fingerprint(response.body))\""
        response.headers["ETag"] = tag
        if request.headers["If-None-Match"] != tag { return response }
        // With the tag that a 200 would have had: RFC 9110, section 15.4.5.
        return HTTPResponse(status: 304, headers: ["ETag": tag])
    }

    /// The feature flags; 404 of a service that has none.
    var flags: HTTPResponse {
        options.flags.map { .json($0) } ?? .problem(404, "no_flags", "there are no feature flags")
    }

    /// Equal bodies have equal tags, in every process.
    private static func fingerprint(_ data: Data) -> String { hexadecimal(fnv1a(data)) }
}

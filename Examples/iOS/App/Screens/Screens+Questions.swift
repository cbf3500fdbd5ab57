import StartupNetworking
import StartupOps

extension Screens: LoginPresenter {
    func askForLogin(problem: String?) async -> LoginAnswer {
        await ask({ .login(problem: problem, $0) }, whenCancelled: .dismissed)
    }

    func askForVerificationCode(of email: String, problem: String?) async -> Secret? {
        await ask({ .code(email: email, problem: problem, $0) }, whenCancelled: nil)
    }

    func askToRestore(_ account: StoredSession) async -> Bool {
        let name = account.account?.name ?? "the account on this device"
        return await choose(Question(title: "Welcome back", choices: ["Go on as \(name)"], refusal: "Log out")) != nil
    }
}

extension Screens: RegionPresenter {
    func chooseRegion(from countries: [Country]) async -> Region? {
        let regions = countries.flatMap { country in
            country.languages.map { (name: "\(country.name), \($0)", region: Region(country: country.code, language: $0)) }
        }
        let question = Question(title: "Country and language", choices: regions.map(\.name), refusal: "Not now")
        return await choose(question).map { regions[$0].region }
    }
}

extension Screens: SpeakerPresenter {
    func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? {
        let title = speakers.isEmpty ? "No speaker was found" : "Which speaker is it?"
        let question = Question(title: title, text: problem, choices: speakers.map(\.name), refusal: "Go on without one")
        return await choose(question).map { speakers[$0] }
    }
}

extension Screens: EntryPointPresenter {
    func showPush(_ push: PushPayload) async {
        _ = await choose(Question(title: push.title ?? "News", text: push.body, choices: ["Go on"]))
    }

    func follow(_ link: DeepLink) async { goTo(place: "\(link.route) \(link.string("id") ?? "")") }

    func perform(_ shortcut: ShortcutItem) async { goTo(place: shortcut.type) }

    func enter(by entryPoint: AppEntryPoint) async throws {
        goTo(place: "playlist \(try entryPoint.content(as: PlaylistRequest.self).id)")
    }

    func confirm(_ entryPoint: EntryPoint) async -> Bool {
        await choose(Question(title: "Shall this be done?", text: "\(entryPoint)", choices: ["Yes"], refusal: "No")) != nil
    }
}

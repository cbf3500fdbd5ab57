/// All presenters of an app; a nil one is a screen that the app has not got.
///
/// An operation that needs a person and finds no presenter fails with ``MissingPresenterError``; it never hangs.
public struct StartupPresenters: Sendable {
    /// Shows the splash.
    public var splash: (any SplashPresenter)?
    /// Shows what the version policy asks for.
    public var update: (any UpdatePresenter)?
    /// Lets a person choose a country and a language.
    public var region: (any RegionPresenter)?
    /// Logs a person in.
    public var login: (any LoginPresenter)?
    /// Shows the tutorial.
    public var tutorial: (any TutorialPresenter)?
    /// Lets a person choose a speaker.
    public var speaker: (any SpeakerPresenter)?
    /// Shows what started the app: a push, a link or a shortcut.
    public var entryPoint: (any EntryPointPresenter)?
    /// Shows the main screen.
    public var main: (any MainPresenter)?

    /// No presenters.
    public init() {}

    /// One object that presents everything.
    public init(
        all presenter: some SplashPresenter & UpdatePresenter & RegionPresenter & LoginPresenter & TutorialPresenter & SpeakerPresenter
            & EntryPointPresenter & MainPresenter
    ) {
        splash = presenter
        update = presenter
        region = presenter
        login = presenter
        tutorial = presenter
        speaker = presenter
        entryPoint = presenter
        main = presenter
    }
}

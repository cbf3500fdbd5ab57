/// All presenters of an app; a nil one is a screen that the app has not got.
///
/// An operation that needs a person and finds no presenter fails with ``MissingPresenterError``; it never hangs.
public struct StartupPresenters: Sendable {
    public var splash: (any SplashPresenter)?
    public var update: (any UpdatePresenter)?
    public var region: (any RegionPresenter)?
    public var login: (any LoginPresenter)?
    public var tutorial: (any TutorialPresenter)?
    public var speaker: (any SpeakerPresenter)?
    public var entryPoint: (any EntryPointPresenter)?
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

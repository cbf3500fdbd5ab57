/// How someone who is not logged in is received.
public enum OnboardingType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Onboarding, then the login form.
    case regular
    /// A session without an account, and the onboarding over the main screen.
    case dismissable
    /// A session without an account, and nothing else.
    case none
}

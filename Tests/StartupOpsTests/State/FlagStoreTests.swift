import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("Feature flags", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FlagStoreTests {
    private let old = FeatureFlags(features: ["shop": true])
    private let new = FeatureFlags(features: ["shop": false], onboarding: .dismissable)

    @Test("B46, B66: a launch goes by the flags that were there when it first asked; later ones count from the next launch")
    func late() {
        let store = MemoryStore()
        let first = FlagStore(store)
        #expect(first.latest == FeatureFlags() && first.keep(old) == nil && first.use() == old)
        #expect(first.keep(new) == old && first.use() == old && first.latest == new)
        // The same again is no change.
        #expect(first.keep(old) == nil)
        #expect(first.keep(new) == old)
        let next = FlagStore(store)
        #expect(next.use() == new && next.keep(new) == nil)
    }

    @Test("flags that cannot be stored count in this launch")
    func notStored() {
        let failing = FailingSecureStore()
        failing.fail { $0.writes = FailingSecureStore.error }
        let flags = FlagStore(failing)
        #expect(flags.keep(new) == nil && flags.use() == new)
    }

    @Test("flags count over the configuration, feature by feature, and leave alone what they do not know")
    func overConfiguration() {
        let configuration = LoadedConfiguration(
            AppConfiguration(version: "7", country: "DE", language: "de", onboarding: .regular, features: ["shop": true, "map": true]),
            from: .cached
        )
        let both = configuration.with(new)
        #expect(both.source == .cached && both.configuration.features == ["shop": false, "map": true])
        #expect(both.configuration.onboarding == .dismissable && configuration.with(old).configuration.onboarding == .regular)
    }
}

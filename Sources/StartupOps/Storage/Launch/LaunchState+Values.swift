import Foundation

extension LaunchState {
    /// The version of the app in which the person last saw the tutorial. What is no version counts as absent.
    public var tutorialVersionSeen: StoredAnswer<String> {
        store.value(for: Key.tutorialVersion, expecting: "version", Self.isVersion)
    }

    /// Keeps that the person has seen the tutorial of this version of the app.
    public func recordTutorialSeen(version: String) throws(StorageError) {
        guard Self.isVersion(version) else {
            throw StorageError(
                .corrupt,
                Key.tutorialVersion.description,
                "\"\(version.prefix(40))\" is no version, expected one such as 1.4.0"
            )
        }
        try store.save(version, for: Key.tutorialVersion)
    }

    /// The speaker that was connected to last.
    public var lastSpeaker: StoredAnswer<Speaker> {
        store.value(for: Key.lastSpeaker, expecting: "speaker") { !$0.id.isEmpty && !$0.host.isEmpty && (1...65_535).contains($0.port) }
    }

    /// Keeps the speaker to connect to in the next launch.
    public func rememberSpeaker(_ speaker: Speaker) throws(StorageError) { try store.save(speaker, for: Key.lastSpeaker) }

    /// Forgets the speaker that was connected to last.
    public func forgetSpeaker() throws(StorageError) { try store.remove(Key.lastSpeaker) }

    /// The country and the language the person has chosen.
    public var chosenRegion: StoredAnswer<Region> {
        store.value(for: Key.chosenRegion, expecting: "country and language") { !$0.country.isEmpty && !$0.language.isEmpty }
    }

    /// Keeps the country and the language the person has chosen.
    public func recordChosenRegion(_ region: Region) throws(StorageError) { try store.save(region, for: Key.chosenRegion) }

    /// What the service last said about updates, as it came: for a launch without network.
    public var lastUpdatePolicy: StoredAnswer<Data> { store.read(Key.updatePolicy) }

    /// Keeps what the service said about updates.
    public func recordUpdatePolicy(_ policy: Data) throws(StorageError) { try store.write(policy, for: Key.updatePolicy) }

    /// Digits first, then what versions are made of: `2`, `1.4.0`, `1.4.0-beta.1+7`.
    private static func isVersion(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 100 else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = [UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z")]
        let marks = Array(".-+".utf8)
        return digits.contains(first)
            && text.utf8.allSatisfy { byte in digits.contains(byte) || letters.contains { $0.contains(byte) } || marks.contains(byte) }
    }
}

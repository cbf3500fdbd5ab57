import Foundation
import Sequencer

/// The user of the open session, for screens that show them: the latest known profile, and each change.
///
/// ```swift
/// let user = CurrentUser(client: client)
/// user.follow(tokens)
/// try await user.load(by: launch.deadline)      // what the last launch knew at once, then what the service says
/// for await profile in user.updates { show(profile) }
/// ```
package final class CurrentUser: Sendable {
    private let client: APIClient
    private let broadcaster = EventBroadcaster<UserProfile?>(replaying: .some(nil))
    private struct State {
        /// Moves when a user is forgotten: answers to earlier requests are not shown any more, unless they are about
        /// the user of now.
        var epoch: UInt64 = 0
        /// The user of the session that is followed.
        var id: String?
    }

    private let state = Locked(State())
    private let listener = Locked<Task<Void, Never>?>(nil)

    /// Nobody, until the service is asked.
    package init(client: APIClient) { self.client = client }

    deinit { listener.withLock { $0 }?.cancel() }

    /// The user as last heard of; nil when nobody is known.
    var profile: UserProfile? { broadcaster.latest.flatMap { $0 } }

    /// The user as last heard of, and from then on each time there is something new.
    var updates: AsyncStream<UserProfile?> { updates { .some($0) } }

    /// The same, each as something else.
    package func updates<Told: Sendable>(_ transform: @escaping @Sendable (UserProfile?) -> Told?) -> AsyncStream<Told> {
        broadcaster.stream(transform)
    }

    /// Gives the cached profile at once, then asks the service. Fails when the service could not be asked; the cached
    /// profile stands.
    @discardableResult
    package func load(by deadline: Deadline) async throws(NetworkError) -> UserProfile {
        try await load(.returnCacheDataAndFetch, deadline)
    }

    /// Asks the service who the user is.
    @discardableResult
    package func getProfile(by deadline: Deadline) async throws(NetworkError) -> UserProfile {
        try await load(.fetchIgnoringCache, deadline)
    }

    /// Forgets the user when the session ends or becomes another's, for as long as this object lives; of two calls the
    /// later one counts.
    ///
    /// - Parameter asks: whether the service is asked again whenever there is a new token, for 20 s; if it does not
    ///     answer, nothing changes.
    package func follow(_ tokens: TokenManager, asks: Bool = true) {
        // Taken before the task begins, so that no event is missed.
        let events = tokens.events
        let task = Task { [weak self, weak tokens] in
            var request: Task<Void, Never>?
            for await event in events {
                // The session is as it was, in memory.
                if case .notStored = event { continue }
                // Its answer could be about the user before.
                request?.cancel()
                // By the session of now: the next one may have begun, and its user may be known, before the end of the
                // last one is heard of.
                guard let session = tokens?.session.value else {
                    self?.forget(unless: nil)
                    continue
                }
                // A session without a user says nothing about the one that is shown, unless the service is asked
                // anyway.
                if asks || session.userID != nil { self?.forget(unless: session.userID) }
                if asks { request = Task { [weak self] in _ = try? await self?.getProfile(by: .after(.seconds(20))) } }
            }
            request?.cancel()
        }
        // The new task first: of two calls at once each finds the other's, and one listener is left.
        listener.withLock { exchange(&$0, with: task) }?.cancel()
    }

    private func load(_ policy: CachePolicy, _ deadline: Deadline) async throws(NetworkError) -> UserProfile {
        let options = RequestOptions(requirement: .required, cachePolicy: policy, limits: .profile)
        // Of the moment of the request, not of the answer.
        let epoch = state.withLock { $0.epoch }
        let tokens = client.tokens
        let decode: APICall<UserProfile>.Decode = { response, call throws(NetworkError) in
            let profile: UserProfile = try response.decoded(for: call.request, limits: call.limits)
            let subject = tokens.session.value.flatMap { JSONWebToken($0.accessToken.value)?.subject }
            // Of somebody else it is a wrong answer, and is shown to nobody. An opaque token does not say whose it is.
            guard subject == nil || areSame(subject, profile.id) else {
                let reason = "the profile is not that of the token's user"
                throw call.request.error(.invalidData, reason, status: response.status)
            }
            return profile
        }
        let call = try client.call(.get, "v1/profile", [:], nil, nil, options, deadline, decode)
        return try await client.answer(call) { show($0, from: epoch) }
    }

    private func show(_ profile: UserProfile, from epoch: UInt64) {
        // Noted under the lock: of an answer and a logout at once, the order is that of the lock.
        state.withLock { if $0.epoch == epoch || areSame($0.id, profile.id) { broadcaster.note(profile) } }
    }

    /// Forgets the user, unless it is this one.
    private func forget(unless user: String?) {
        state.withLock { state in
            state.id = user
            let shown = profile
            guard user == nil || !areSame(shown?.id, user) else { return }
            state.epoch += 1
            if shown != nil { broadcaster.note(nil) }
        }
    }
}

/// A user, as the service knows them.
package struct UserProfile: Sendable, Hashable, Codable {
    /// The user's identifier.
    package let id: String
    /// The user's name.
    package let name: String
    /// The user's address, where the service knows one.
    package let email: String?
    /// Whether the address was shown to be the user's.
    package let emailVerified: Bool
    /// Whether the user is a guest, made without asking anything.
    package let isAnonymous: Bool

    /// Reads a profile; the identifier is required.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.text(forKey: .id)
        name = try container.textIfPresent(forKey: .name) ?? ""
        email = try container.textIfPresent(forKey: .email)
        emailVerified = try container.decode(Bool.self, forKey: .emailVerified)
        isAnonymous = try container.decode(Bool.self, forKey: .isAnonymous)
    }
}

import Foundation
import Sequencer

/// The user whose session is open, for whoever shows them: the latest that is known, and each change.
///
/// ```swift
/// let user = CurrentUser(client: client)
/// user.follow(tokens)
/// try await user.load(by: launch.deadline)      // what the last launch knew at once, then what the service says
/// for await profile in user.updates { show(profile) }
/// ```
public final class CurrentUser: Sendable {
    private struct State: Sendable {
        var profile: UserProfile?
    }

    private let client: APIClient
    private let path: String
    private let broadcaster = EventBroadcaster(replaying: State())
    /// Moves when the user becomes another one: what was asked for before is not shown any more.
    private let epoch = Locked<UInt64>(0)
    private let listener = Locked<Task<Void, Never>?>(nil)

    /// Nobody, until the service is asked.
    ///
    /// - Parameter path: where the service tells who the user is.
    public init(client: APIClient, path: String = "v1/profile") {
        self.client = client
        self.path = path
    }

    deinit { listener.withLock { $0 }?.cancel() }

    /// The user as last heard of; nil when nobody is known.
    public var profile: UserProfile? { broadcaster.latest?.profile }

    /// The user as last heard of, and from then on each time there is something new.
    public var updates: AsyncStream<UserProfile?> {
        let states = broadcaster.stream()
        let (stream, continuation) = AsyncStream.makeStream(of: UserProfile?.self)
        let task = Task {
            for await state in states { continuation.yield(state.profile) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Gives what is cached of the user at once, then asks the service. Fails when the service could not be asked; what was cached stands.
    @discardableResult
    public func load(by deadline: Deadline) async throws(NetworkError) -> UserProfile {
        try await load(.returnCacheDataAndFetch, deadline)
    }

    /// Asks the service who the user is.
    @discardableResult
    public func getProfile(by deadline: Deadline) async throws(NetworkError) -> UserProfile {
        try await load(.fetchIgnoringCache, deadline)
    }

    /// Asks the service again whenever there is a new token, and forgets the user when the session ends, for as long as this object lives.
    ///
    /// - Parameter limit: how long each time may take. One that fails changes nothing.
    public func follow(_ tokens: TokenManager, limit: Duration = .seconds(20)) {
        let events = tokens.events
        let task = Task { [weak self] in
            var request: Task<Void, Never>?
            for await event in events {
                switch event {
                case .sessionChanged(let user):
                    request?.cancel()
                    self?.forget(unless: user)
                    request = Task { [weak self] in _ = try? await self?.getProfile(by: .after(limit)) }
                case .loggedOut:
                    request?.cancel()
                    self?.forget(unless: nil)
                case .notStored: break
                }
            }
            request?.cancel()
        }
        let previous = listener.withLock { listener in
            defer { listener = task }
            return listener
        }
        previous?.cancel()
    }

    private func load(_ policy: CachePolicy, _ deadline: Deadline) async throws(NetworkError) -> UserProfile {
        let options = RequestOptions(requirement: .required, cachePolicy: policy)
        let path = path
        let epoch = epoch.withLock { $0 }
        do {
            var last: UserProfile?
            for try await profile in client.updates(path, as: UserProfile.self, options: options, deadline: deadline) {
                show(profile, from: epoch)
                last = profile
            }
            guard let last else { throw NetworkError(.cancelled, request: "GET \(path)", "cancelled") }
            return last
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.cancelled, request: "GET \(path)", "cancelled")
        }
    }

    private func show(_ profile: UserProfile, from epoch: UInt64) {
        self.epoch.withLock { if $0 == epoch { broadcaster.note([State(profile: profile)]) } }
        broadcaster.handOut()
    }

    /// Forgets the user, unless it is this one.
    private func forget(unless user: String?) {
        guard user == nil || profile.map({ $0.id != user }) ?? false else { return }
        epoch.withLock { epoch in
            epoch += 1
            broadcaster.note([State()])
        }
        broadcaster.handOut()
    }
}

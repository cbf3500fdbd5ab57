import Foundation

/// The folder in which an app keeps what it needs from one launch to the next: its settings, its state, its caches and its secrets.
///
/// Opening it never fails. What cannot be kept on the disk is kept in memory for this launch, and ``problems`` says why.
///
/// ```swift
/// let folder = StateDirectory.openDefault()
/// if let problem = folder.problem { print("warning: nothing is kept after this launch:", problem) }
/// let settings = Settings(folder.settings)
/// ```
public struct StateDirectory: Sendable {
    /// Where it is; nil when all of it is in memory.
    public let location: URL?
    /// How the app is set up. See ``Settings``.
    public let settings: any DataStore
    /// What earlier launches have come to. See ``LaunchState``.
    public let state: any DataStore
    /// What can be fetched again.
    public let cache: any DataStore
    /// What only the app may know, such as tokens: in the keychain where there is one.
    public let secure: any SecureStore
    /// Why something is kept in memory only. Each names its path and, where there is one, the system's error number.
    public let problems: [StorageError]

    /// The first of the problems.
    public var problem: StorageError? { problems.first }

    /// Opens the folder at `location`, which is created where it is missing.
    ///
    /// - Parameters:
    ///   - location: a folder for this app alone.
    ///   - secure: the store for secrets; the platform's own unless said otherwise.
    ///   - onProblem: is told, now and later, what was corrupt, repaired or refused: each thing once, on the thread that noticed it.
    public static func open(
        at location: URL,
        secure: (any SecureStore)? = nil,
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) -> StateDirectory {
        do throws(StorageError) {
            for repair in try PosixDirectory(location).prepare() { onProblem(repair) }
        } catch {
            return inMemory(secure: secure, because: error)
        }
        var problems: [StorageError] = []
        func files(_ name: String) -> any DataStore {
            do throws(StorageError) {
                return try FileStore(directory: location.appendingPathComponent(name), onProblem: onProblem)
            } catch {
                problems.append(error)
                return MemoryStore()
            }
        }
        func secrets() -> any SecureStore {
            do throws(StorageError) {
                return try openSecureStore(location.appendingPathComponent("secure"), service: location.lastPathComponent, onProblem)
            } catch {
                problems.append(error)
                return MemoryStore()
            }
        }
        let (settings, state, cache) = (files("settings"), files("state"), files("cache"))
        return StateDirectory(
            location: location,
            settings: settings,
            state: state,
            cache: cache,
            secure: secure ?? secrets(),
            problems: problems
        )
    }

    /// Opens the folder at the default location, see ``defaultLocation(for:environment:)``.
    public static func openDefault(
        for name: String = "sequencer",
        environment: [String: String] = ProcessInfo.processInfo.environment,
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) -> StateDirectory {
        do throws(StorageError) {
            return open(at: try defaultLocation(for: name, environment: environment), onProblem: onProblem)
        } catch {
            return inMemory(because: error)
        }
    }

    /// A folder that is only in memory.
    ///
    /// - Parameter problem: why it is, where that is not on purpose.
    public static func inMemory(secure: (any SecureStore)? = nil, because problem: StorageError? = nil) -> StateDirectory {
        StateDirectory(
            location: nil,
            settings: MemoryStore(),
            state: MemoryStore(),
            cache: MemoryStore(),
            secure: secure ?? MemoryStore(),
            problems: problem.map { [$0] } ?? []
        )
    }

    /// Where the tool `name` keeps its state: in `$XDG_STATE_HOME`, or else in `~/.local/state`.
    ///
    /// That is where the XDG Base Directory Specification 0.8 puts state. As it says, a path that is not absolute is ignored.
    ///
    /// - Throws: when neither variable is there.
    public static func defaultLocation(
        for name: String = "sequencer",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(StorageError) -> URL {
        func folder(_ variable: String) -> URL? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        guard let states = folder("XDG_STATE_HOME") ?? folder("HOME")?.appendingPathComponent(".local/state") else {
            throw StorageError(
                .invalidPlace,
                "$HOME",
                "neither XDG_STATE_HOME nor HOME holds an absolute path, so there is nowhere to keep state; set one"
            )
        }
        return states.appendingPathComponent(name)
    }
}

extension StateDirectory {
    /// What earlier launches have come to; a clearing that was interrupted is completed first.
    ///
    /// - Parameter launch: identifies the launch, see ``LaunchState/init(_:clearing:launch:)``.
    public func launchState(launch: UUID = UUID()) -> LaunchState {
        LaunchState(state, clearing: ["settings": settings, "cache": cache, "secure": secure], launch: launch)
    }
}

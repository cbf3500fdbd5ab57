import Foundation

/// The folder of everything that an app keeps from one launch to the next: settings, state, caches and secrets.
///
/// Opening it never fails. A part that cannot be kept on the disk is kept in memory for this launch, and ``problems``
/// says why.
///
/// ```swift
/// let folder = StateDirectory.openDefault()
/// if let problem = folder.problems.first { print("warning: nothing is kept after this launch:", problem) }
/// let settings = Settings(folder.settings)
/// ```
public struct StateDirectory: Sendable {
    /// Where it is; nil when all of it is in memory.
    public internal(set) var location: URL?
    /// The app's settings. See `Settings`.
    public internal(set) var settings: any DataStore = SettingsStore(MemoryStore())
    /// The results of earlier launches. See `LaunchState`.
    public internal(set) var state: any DataStore = MemoryStore()
    /// Everything that can be fetched again.
    public internal(set) var cache: any DataStore = MemoryStore()
    /// Secrets of the app, such as tokens: in the keychain on systems that have one.
    public internal(set) var secure: any SecureStore = MemoryStore()
    /// Why something is kept in memory only. Each names its path and, where there is one, the system's error number.
    public internal(set) var problems: [StorageError] = []
    /// Why ``state`` is kept in memory only: a missing value then says nothing about earlier launches. Nil when it is
    /// on the disk, or in memory on purpose.
    package var stateProblem: StorageError?
    /// Tells the folder from others of this process, independent of the path it was opened by. All copies of this value
    /// share a folder in memory.
    package var place = "memory of \(UUID())"

    /// The first of the problems.
    package var problem: StorageError? { problems.first }

    /// Opens the folder at `location`, which is created where it is missing.
    ///
    /// - Parameters:
    ///   - location: a folder for this app alone.
    ///   - secure: the store for secrets; the platform's own unless said otherwise.
    ///   - lockTimeout: the most time that all stores of the folder together wait for locks that other threads or
    ///     processes hold. The default, half a second, is less than any step of a launch has. A store that has not
    ///     waited in vain waits a tenth of it even where others have used it up.
    ///   - onProblem: is told, now and later, about corrupt, repaired and refused files: about each once, on the thread
    ///       that noticed it.
    public static func open(
        at location: URL,
        secure: (any SecureStore)? = nil,
        lockTimeout: Duration = .milliseconds(500),
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) -> StateDirectory {
        var directory = inMemory(secure: secure)
        // Resolved: two paths to one folder share their knowledge of it. It is the app's also where nothing can be kept
        // there: a second launch would ask the user once more.
        directory.place = realPath(of: location.standardizedFileURL)
        do throws(StorageError) {
            for repair in try PosixDirectory(location).prepare() { onProblem(repair) }
        } catch {
            (directory.problems, directory.stateProblem) = ([error], error)
            return directory
        }
        directory.location = location
        // A single patience for all parts: the whole folder waits half a second, not each part (S21).
        let patience = LockPatience(lockTimeout)
        func part<Store>(_ name: String, _ open: (URL) throws(StorageError) -> Store) -> Store? {
            do throws(StorageError) {
                return try open(location.appendingPathComponent(name))
            } catch {
                directory.problems.append(error)
                return nil
            }
        }
        func files(_ folder: URL) throws(StorageError) -> FileStore {
            try FileStore(directory: folder, patience: patience, onProblem: onProblem)
        }
        func secrets(_ folder: URL) throws(StorageError) -> any SecureStore {
            try openSecureStore(folder, service: location.lastPathComponent, patience, onProblem)
        }
        if let state = part("state", files) { directory.state = state }
        directory.stateProblem = directory.problems.last
        if let settings = part("settings", files) { directory.settings = SettingsStore(settings) }
        if let cache = part("cache", files) { directory.cache = cache }
        if secure == nil, let secrets = part("secure", secrets) { directory.secure = secrets }
        return directory
    }

    /// The path with its symbolic links resolved, as far as there is anything.
    private static func realPath(of url: URL) -> String {
        if let resolved = PosixDirectory(path: url.path).resolvedPath { return resolved }
        guard url.pathComponents.count > 1 else { return url.path }
        return realPath(of: url.deletingLastPathComponent()) + "/" + url.lastPathComponent
    }

    /// Opens the folder at the default location: in `$XDG_STATE_HOME`, or else in `~/.local/state`.
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
        StateDirectory(secure: secure ?? MemoryStore(), problems: problem.map { [$0] } ?? [], stateProblem: problem)
    }

    /// Where the tool `name` keeps its state: in `$XDG_STATE_HOME`, or else in `~/.local/state`.
    ///
    /// The XDG Base Directory Specification 0.8 defines this place. As it says, a path that is not absolute is ignored.
    ///
    /// - Throws: when both variables are missing, or the one that counts is not UTF-8.
    package static func defaultLocation(
        for name: String = "sequencer",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(StorageError) -> URL {
        func folder(_ variable: String) throws(StorageError) -> URL? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            // Bytes outside of UTF-8 have become this character, so the path names another folder.
            if path.unicodeScalars.contains("\u{FFFD}") {
                let reason = "its path is not UTF-8, so the folder it names cannot be used; set it to another"
                throw StorageError(.invalidPlace, "$\(variable)", reason)
            }
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        var states = try folder("XDG_STATE_HOME")
        if states == nil { states = try folder("HOME")?.appendingPathComponent(".local/state") }
        guard let states else {
            let reason = "neither XDG_STATE_HOME nor HOME holds an absolute path, so there is nowhere to keep state; set one"
            throw StorageError(.invalidPlace, "$HOME", reason)
        }
        return states.appendingPathComponent(name)
    }
}

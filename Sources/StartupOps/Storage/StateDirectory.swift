import Foundation

/// The folder of everything that an app keeps from one launch to the next: settings, state, caches and secrets.
///
/// Opening it never fails. A part that cannot be kept on the disk is kept in memory for this launch, and ``problems`` says why. A part that can be read
/// and not written to, or whose folder is in one of that kind, has its values; changes to them are kept in memory. A removed value is back at the next launch; `remove`
/// throws to say so.
///
/// ```swift
/// let folder = StateDirectory.openDefault()
/// if let problem = folder.problem { print("warning: nothing is kept after this launch:", problem) }
/// let settings = Settings(folder.settings)
/// ```
public struct StateDirectory: Sendable {
    /// Where it is; nil when all of it is in memory, or it cannot be written to.
    public let location: URL?
    /// Where it is, though it may be that it can only be read; nil when all of it is in memory.
    package var folder: URL?
    /// The app's settings. See `Settings`.
    public let settings: any DataStore
    /// The results of earlier launches. See `LaunchState`.
    public let state: any DataStore
    /// Everything that can be fetched again.
    public let cache: any DataStore
    /// Secrets of the app, such as tokens: in the keychain on systems that have one.
    public let secure: any SecureStore
    /// Why something is kept in memory only. Each names its path and, where there is one, the system's error number.
    public let problems: [StorageError]
    /// Why ``state`` is kept in memory only: a missing value then says nothing about earlier launches. Nil when it is on the disk, or in
    /// memory on purpose.
    package var stateProblem: StorageError?

    /// The first of the problems.
    package var problem: StorageError? { problems.first }

    /// Opens the folder at `location`, which is created where it is missing.
    ///
    /// - Parameters:
    ///   - location: a folder for this app alone.
    ///   - secure: the store for secrets; the platform's own unless said otherwise.
    ///   - lockTimeout: the most time that all stores of the folder together wait for locks that other threads or processes hold. The default, half a
    ///     second, is less than any step of a launch has. A store that has not waited in vain waits a tenth of it even where others have used it up.
    ///   - onProblem: is told, now and later, about corrupt, repaired and refused files: about each once, on the thread that noticed it.
    public static func open(
        at location: URL,
        secure: (any SecureStore)? = nil,
        lockTimeout: Duration = .milliseconds(500),
        onProblem: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) -> StateDirectory {
        var readOnly: StorageError?
        do throws(StorageError) {
            for repair in try PosixDirectory(location).prepare() { onProblem(repair) }
        } catch {
            // Only a folder that is sound and cannot be written to is read: any other problem means that its values cannot be trusted.
            guard isReadOnly(location) else { return inMemory(secure: secure, because: error) }
            readOnly = error
        }
        var problems: [StorageError] = []
        let patience = LockPatience(lockTimeout)
        /// A store for what cannot be written to a folder, with the values that are there.
        func changes(to folder: URL, because problem: StorageError, _ open: () throws(StorageError) -> any DataStore) -> any SecureStore {
            // The outer folder's problem is told once, not for each of its parts.
            if problem != readOnly { problems.append(problem) }
            guard readOnly == nil ? isReadOnly(folder) : isReadable(folder), let files = try? open() else { return MemoryStore() }
            return ReadThroughStore(files, because: problem)
        }
        func files(_ name: String) -> (store: any DataStore, problem: StorageError?) {
            let folder = location.appendingPathComponent(name)
            func open(isWritable: Bool) throws(StorageError) -> FileStore {
                let directory = try PosixDirectory(folder)
                return try FileStore(directory, .ordinary, FileStore.defaultMaximumSize, patience, onProblem, isWritable: isWritable)
            }
            do throws(StorageError) {
                // If the outer folder cannot be written to, do not write to its subfolders either: the state would be half saved.
                if let readOnly { throw readOnly }
                // One patience for all parts: the whole folder waits half a second, not each part (S21).
                return (try open(isWritable: true), nil)
            } catch {
                let store = changes(to: folder, because: error) { () throws(StorageError) in try open(isWritable: false) }
                return (store, error)
            }
        }
        func secrets() -> any SecureStore {
            let folder = location.appendingPathComponent("secure")
            do throws(StorageError) {
                if let readOnly, secureStoreIsFolder { throw readOnly }
                return try openSecureStore(folder, service: location.lastPathComponent, patience, onProblem)
            } catch {
                return changes(to: folder, because: error) { () throws(StorageError) in
                    try SecureFileStore(folder, patience, onProblem, isWritable: false)
                }
            }
        }
        let (settings, state, cache) = (files("settings"), files("state"), files("cache").store)
        // Resolved: two paths to one folder share their knowledge of it.
        let settingsPath = PosixDirectory(path: location.appendingPathComponent("settings").path).resolvedPath
        let secure = secure ?? secrets()
        return StateDirectory(
            location: readOnly == nil ? location : nil,
            folder: location,
            settings: SettingsStore(settings.store, at: settings.problem == nil ? settingsPath : nil),
            state: state.store,
            cache: cache,
            secure: secure,
            problems: (readOnly.map { [$0] } ?? []) + problems,
            stateProblem: state.problem
        )
    }

    private static func isReadOnly(_ folder: URL) -> Bool { (try? PosixDirectory(folder))?.isReadOnly == true }

    private static func isReadable(_ folder: URL) -> Bool { (try? PosixDirectory(folder))?.isReadable == true }

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
        StateDirectory(
            location: nil,
            settings: SettingsStore(MemoryStore()),
            state: MemoryStore(),
            cache: MemoryStore(),
            secure: secure ?? MemoryStore(),
            problems: problem.map { [$0] } ?? [],
            stateProblem: problem
        )
    }

    /// Where the tool `name` keeps its state: in `$XDG_STATE_HOME`, or else in `~/.local/state`.
    ///
    /// That is where the XDG Base Directory Specification 0.8 puts state. As it says, a path that is not absolute is ignored.
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
                throw StorageError(
                    .invalidPlace,
                    "$\(variable)",
                    "its path is not UTF-8, so the folder it names cannot be used; set it to another"
                )
            }
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let states: URL?
        if let folder = try folder("XDG_STATE_HOME") {
            states = folder
        } else {
            states = try folder("HOME")?.appendingPathComponent(".local/state")
        }
        guard let states else {
            throw StorageError(
                .invalidPlace,
                "$HOME",
                "neither XDG_STATE_HOME nor HOME holds an absolute path, so there is nowhere to keep state; set one"
            )
        }
        return states.appendingPathComponent(name)
    }
}

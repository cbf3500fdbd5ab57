import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StateDirectoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Its stores keep their values apart from each other, from one launch to the next")
    func persistence() throws {
        func stores(_ directory: StateDirectory) -> [any DataStore] {
            [directory.settings, directory.state, directory.cache, directory.secure]
        }
        let first = StateDirectory.open(at: folder("app"), secure: try FileStore.secrets(in: folder("secrets")))
        #expect(first.problems.isEmpty && first.location?.path == folder("app").path)
        for (index, store) in stores(first).enumerated() { try store.write(text("value \(index)"), for: "key") }
        let second = StateDirectory.open(at: folder("app"), secure: try FileStore.secrets(in: folder("secrets")))
        for (index, store) in stores(second).enumerated() { #expect(store.read("key") == .value(text("value \(index)"))) }
        #expect(try permissions(of: folder("app")) == 0o700)
    }

    #if !canImport(Security)
        @Test("Without a keychain, secrets are in files of their own")
        func secureFiles() throws {
            let directory = StateDirectory.open(at: folder("app"))
            try directory.secure.write(text("secret"), for: "token")
            #expect(directory.secure is FileStore)
            #expect(try permissions(of: folder("app/secure/token")) == 0o600)
        }

        @Test("fault S10: Where anybody can replace the folder, secrets are in memory only, and it says why")
        func openParent() throws {
            #expect(chmod(folder.path, 0o777) == 0)
            let directory = StateDirectory.open(at: folder("app"))
            #expect(directory.secure is MemoryStore)
            #expect(directory.state is FileStore)
            #expect(directory.problems.count == 1)
            #expect(directory.problem?.code == .accessDenied)
            #expect(directory.problem?.description.contains("chmod o-w") == true)
            try directory.secure.write(text("secret"), for: "token")
            #expect(directory.secure.read("token") == .value(text("secret")))
        }
    #endif

    @Test("fault S23: A state folder whose path is no UTF-8 is refused by its variable, rather than taken for another folder")
    func otherBytes() {
        for (variable, environment) in [
            ("XDG_STATE_HOME", ["XDG_STATE_HOME": "/st\u{FFFD}te", "HOME": "/home"]), ("HOME", ["HOME": "/h\u{FFFD}me"]),
        ] {
            let directory = StateDirectory.openDefault(environment: environment)
            #expect(directory.location == nil && directory.problem?.subject == "$\(variable)")
        }
    }

    @Test("fault S1: A file in the folder's place: it is named with the error number, and all goes on in memory")
    func fileInPlace() throws {
        try text("x").write(to: folder("app"))
        let directory = StateDirectory.open(at: folder("app"))
        #expect(directory.problem?.subject == folder("app").path)
        #expect(directory.problem?.systemError == ENOTDIR)
        #expect(
            directory.problem?.description == "\(folder("app").path): opening it as a directory failed: Not a directory (errno \(ENOTDIR))"
        )
        #expect(directory.location == nil)
        try checkThatItWorks(directory)
    }

    @Test("fault S1: A folder below a file, with a name that is too long, or that is no file at all is a problem, not a trap")
    func impossiblePlaces() throws {
        try text("x").write(to: folder("file"))
        let places = [
            (folder("file/app"), ENOTDIR), (folder(String(repeating: "x", count: 300)), ENAMETOOLONG),
            (try #require(URL(string: "https://example.com/app")), EINVAL), (try #require(URL(string: "app")), EINVAL),
        ]
        for (place, number) in places {
            let directory = StateDirectory.open(at: place)
            #expect(directory.problem?.systemError == number, "\(place)")
            #expect(directory.problems.count == 1 && directory.problem?.code == .invalidPlace)
            try checkThatItWorks(directory)
        }
        let error = #expect(throws: StorageError.self) { try PosixDirectory(path: "\(folder.path)/a\0b").prepare() }
        #expect(error?.systemError == EINVAL && names(in: folder.url) == ["file"])
    }

    @Test("fault S1: A folder that cannot be read or written to is named with the error number, and all goes on in memory")
    func noPermission() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let base = URL(fileURLWithPath: path)
            if isRoot { try #require(chown(path, 65534, 65534) == 0) }
            // To root, modes mean nothing.
            try #require(giveUpRoot())
            let modes: [mode_t] = [0o500, 0o300, 0o600, 0o000]
            for mode in modes {
                let place = base.appendingPathComponent("app-\(mode)")
                try #require(mkdir(place.path, 0o700) == 0 && chmod(place.path, mode) == 0)
                let directory = StateDirectory.open(at: place)
                #expect(directory.problem?.subject == place.path)
                #expect(directory.problem?.systemError == EACCES && directory.problem?.code == .accessDenied)
                try checkThatItWorks(directory)
            }
            let below = base.appendingPathComponent("app-0/below")
            #expect(StateDirectory.open(at: below).problem?.systemError == EACCES)
            #expect(
                StateDirectory.open(at: base.appendingPathComponent("app-320/missing/app")).problem?.subject.hasSuffix("missing") == true
            )

            // So that the folder can be removed after the test.
            for mode in modes { chmod(base.appendingPathComponent("app-\(mode)").path, 0o700) }

            // Taken away later: what is stored is then unavailable, not absent.
            let store = try FileStore(directory: base.appendingPathComponent("later"))
            try store.write(text("value"), for: "key")
            try #require(chmod(store.directory.path, 0) == 0)
            guard case .unavailable(let error) = store.read("key") else {
                Issue.record("what cannot be read counted as absent")
                return
            }
            #expect(error.systemError == EACCES)
            #expect(throws: StorageError.self) { try store.write(text("new"), for: "key") }
            try #require(chmod(store.directory.path, 0o700) == 0)
            #expect(store.read("key") == .value(text("value")))
        }
    }

    @Test("The default location follows the XDG rules")
    func defaultLocation() throws {
        func path(_ environment: [String: String]) throws -> String {
            try StateDirectory.defaultLocation(environment: environment).path
        }
        #expect(try path(["XDG_STATE_HOME": "/x/state", "HOME": "/home/me"]) == "/x/state/sequencer")
        #expect(try path(["HOME": "/home/me"]) == "/home/me/.local/state/sequencer")
        #expect(try path(["XDG_STATE_HOME": "", "HOME": "/home/me"]) == "/home/me/.local/state/sequencer")
        #expect(try path(["XDG_STATE_HOME": "relative", "HOME": "/home/me"]) == "/home/me/.local/state/sequencer")
        #expect(try StateDirectory.defaultLocation(for: "player", environment: ["HOME": "/me"]).path == "/me/.local/state/player")
    }

    @Test(
        "fault S1: Without a home, the problem says which variables to set, and all goes on in memory",
        arguments: [[:], ["HOME": ""], ["HOME": "here"]]
    )
    func noHome(environment: [String: String]) throws {
        let directory = StateDirectory.openDefault(environment: environment)
        #expect(
            directory.problem?.description
                == "$HOME: neither XDG_STATE_HOME nor HOME holds an absolute path, so there is nowhere to keep state; set one"
        )
        try checkThatItWorks(directory)
    }

    @Test("fault S1: The default folder is created where it is missing")
    func missingFolder() throws {
        let directory = StateDirectory.openDefault(environment: ["HOME": folder("home").path])
        #expect(directory.problems.isEmpty)
        try checkThatItWorks(directory)
        #expect(names(in: folder("home/.local/state/sequencer/state")) == ["key"])
    }
}

private func checkThatItWorks(_ directory: StateDirectory) throws {
    let stores: [any DataStore] = [directory.settings, directory.state, directory.cache, directory.secure]
    for (index, store) in stores.enumerated() {
        try store.write(text("value \(index)"), for: "key")
        #expect(store.read("key") == .value(text("value \(index)")))
    }
}

import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

@Suite("The mark of an installation", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct InstallationMarkTests {
    @Test(
        "fault S24: a session is one of another installation only where that can be told",
        arguments: ["intact", "cut", "folder", "none"]
    )
    func isOf(_ state: String) throws {
        let folder = try TemporaryFolder()
        let mark = InstallationMark(store: try FileStore(directory: folder("state")))
        let own = try #require(mark.make())
        #expect(mark.known == own && mark.make() == own)
        let path = folder("state/installation").path
        switch state {
        case "cut": #expect(truncate(path, 10) == 0)
        case "folder":
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "none": try FileManager.default.removeItem(atPath: path)
        default: break
        }
        #expect(mark.isOf(own) == (state != "none"))
        #expect(mark.isOf("another") == (state == "cut" || state == "folder"))
    }
}

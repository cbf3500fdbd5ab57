import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs as JSON", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphJSONTests {
    @Test("names come back as they were")
    func hostile() throws {
        let graph = try GraphExportSamples.hostile()
        for pretty in [true, false] {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(graph.json(pretty: pretty).utf8)) as? [String: Any])
            let operations = try #require(object["operations"] as? [[String: Any]])
            #expect(object["scenario"] as? String == graph.name)
            #expect(operations.compactMap { $0["id"] as? String } == GraphExportSamples.hostileIdentifiers)
            #expect(operations.compactMap { $0["title"] as? String } == GraphExportSamples.hostileTitles)
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs as JSON", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphJSONTests {
    @Test("a launch: everything that was said, in order, and nothing that was not")
    func launch() throws {
        let graph = try GraphExportSamples.launch()
        let operations = [
            #"{"id":"splash","title":"Present splash","after":[],"on":"main","interactive":false,"exclusive":[],"expectedMs":400,"#
                + #""onFailure":"required","keepsThread":true,"level":0,"slackMs":0,"critical":true}"#,
            #"{"id":"force-update","after":[],"on":"background","interactive":false,"exclusive":[],"expectedMs":300,"timeoutMs":1000,"#
                + #""onFailure":"continue","keepsThread":true,"retryAttempts":3,"level":0,"slackMs":1050.5,"critical":false}"#,
            #"{"id":"fetch-config","after":["splash"],"on":"background","interactive":false,"exclusive":[],"expectedMs":250.5,"#
                + #""onFailure":"required","keepsThread":true,"level":1,"slackMs":0,"critical":true}"#,
            #"{"id":"login","after":["fetch-config"],"on":"background","interactive":true,"exclusive":[],"expectedMs":700,"#
                + #""onFailure":"fallback","keepsThread":true,"level":2,"slackMs":0,"critical":true}"#,
            #"{"id":"tutorial","after":["login"],"on":"main","interactive":true,"exclusive":["ui"],"#
                + #""onFailure":"required","level":3,"slackMs":0,"critical":true}"#,
            #"{"id":"main-app","after":["splash","force-update","tutorial"],"on":"main","interactive":false,"exclusive":[],"expectedMs":100,"#
                + #""onFailure":"required","keepsThread":true,"level":4,"slackMs":0,"critical":true}"#,
        ]
        #expect(
            graph.json(pretty: false)
                == #"{"schema":"sequencer.graph/1","scenario":"first-launch","milestone":"main-app","#
                + #""criticalPath":["splash","fetch-config","login","tutorial","main-app"],"criticalPathMs":1450.5,"#
                + #""operations":[\#(operations.joined(separator: ","))],"#
                + #""impliedEdges":[{"operation":"main-app","dependency":"splash"}]}"#
        )
        #expect(try graph.json() == GraphExportSamples.launch().json())
    }

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

    @Test("an empty graph")
    func empty() throws {
        #expect(
            try OperationGraph("").validated().json(pretty: false)
                == #"{"schema":"sequencer.graph/1","scenario":"","milestone":null,"criticalPath":[],"criticalPathMs":0,"operations":[],"impliedEdges":[]}"#
        )
    }
}

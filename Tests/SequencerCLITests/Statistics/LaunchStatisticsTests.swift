import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Groups of launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchStatisticsTests {
    @Test("However many scenarios there are, only so many are told apart")
    func groups() {
        var statistics = LaunchStatistics()
        for number in 0..<2000 {
            statistics.add(LaunchLine(scenario: "scenario \(number)", version: nil, end: .crash(operation: "operation \(number)")))
        }
        for number in 0..<2000 { statistics.add(LaunchLine(scenario: "scenario 0", version: nil, end: .crash(operation: "\(number)"))) }
        #expect(statistics.sortedGroups.count == LaunchStatistics.groupLimit + 1)
        #expect(statistics.sortedGroups.last?.key.scenario == LaunchStatistics.other && statistics.sortedGroups.last?.crashes == 1500)
        #expect(statistics.total.crashes == 4000)
        let first = statistics.sortedGroups.first?.sortedCrashes
        #expect(first?.count == LaunchStatistics.operationLimit + 1 && first?.first?.operation == LaunchStatistics.other)
        #expect(first?.first?.count == 1901)
    }

    @Test("However many values an attribute has, only so many are told apart")
    func groupsOfAttributes() {
        var statistics = LaunchStatistics()
        for number in 0..<2000 {
            statistics.add(LaunchLine(scenario: "a", version: "1", end: .crash(operation: nil), attribute: "\(number)"))
        }
        #expect(statistics.sortedGroups.count == LaunchStatistics.groupLimit + 1 && statistics.total.crashes == 2000)
        #expect(statistics.sortedGroups.last?.key.scenario == LaunchStatistics.other && statistics.sortedGroups.last?.crashes == 1500)
    }
}

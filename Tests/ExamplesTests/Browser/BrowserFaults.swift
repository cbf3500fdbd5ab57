import Sequencer
import SequencerTesting

/// What becomes of a first launch with a fault in one of its steps: the table of the example's README.
struct BrowserFault: Sendable, CustomStringConvertible {
    let step: String
    let fault: Fault
    var outcome = "completed"
    /// How it went on after the browser; what an aborted or failed launch says of that does not matter.
    var afterBrowser = "completed"
    var screens = BrowserFault.usual
    /// Milliseconds until the tabs are there; nil where they never are.
    var tabs: Int? = 350
    var openedLinks = Trial.both
    var keptLinks: [String] = []
    var hasTelemetry = true
    var isSynced = true

    var description: String { "\(step) \(fault)" }

    static let bar = "main: address bar"
    static let news = "main: news, weather"
    static let blank = "main: blank"
    static let terms = "main: terms"
    static let usual = [bar, news, terms]
    private static let moving = "main: your profile is being moved"
    private static let noProfile = "main: the profile does not open, try again?"
    private static let noBrowser = "main: the browser does not start, try again?"

    static let delay = Fault.delay(.seconds(3))
    static let abort = Fault.abort("injected")
    static let faults = [Fault.fail, .hang, delay, abort]

    /// Nobody notices.
    private static func harmless(_ step: String, _ faults: [Fault], tabs: Int = 350) -> [BrowserFault] {
        faults.map { BrowserFault(step: step, fault: $0, tabs: tabs) }
    }

    /// There is no browser: links are kept, and nothing else happens.
    private static func stopped(_ step: String, _ fault: Fault, _ outcome: String, _ screens: [String]) -> BrowserFault {
        BrowserFault(
            step: step,
            fault: fault,
            outcome: outcome,
            screens: screens,
            tabs: nil,
            openedLinks: [],
            keptLinks: [Trial.yesterday, Trial.today],
            hasTelemetry: false,
            isSynced: false
        )
    }

    /// The browser is there, and what had not ended by then does not go on.
    private static func abortedLater(_ step: String, telemetry: Bool, synced: Bool) -> BrowserFault {
        BrowserFault(step: step, fault: abort, afterBrowser: "aborted", hasTelemetry: telemetry, isSynced: synced)
    }

    private static func untracked(_ step: String, _ faults: [Fault], _ screens: [String] = BrowserFault.usual) -> [BrowserFault] {
        faults.map { BrowserFault(step: step, fault: $0, screens: screens, hasTelemetry: false) }
    }

    static let all: [BrowserFault] = beforeBrowser() + browser() + afterBrowser()

    private static func beforeBrowser() -> [BrowserFault] {
        let faults = [Fault.fail, .hang, delay]
        var list: [BrowserFault] = []
        for step in ["crash-reporter", "register-tasks"] {
            list += harmless(step, [.fail])
            list += harmless(step, [.hang, delay], tabs: 1350)
            list.append(stopped(step, abort, "aborted", []))
        }
        list += harmless("read-settings", faults)
        list.append(stopped("read-settings", abort, "aborted", []))
        for fault in faults {
            list.append(BrowserFault(step: "kept-links", fault: fault, openedLinks: [Trial.today], keptLinks: [Trial.yesterday]))
        }
        list.append(stopped("kept-links", abort, "aborted", []))
        list.append(stopped("open-profile", .fail, "failed", [noProfile]))
        list.append(stopped("open-profile", .hang, "failed", [bar, moving, noProfile]))
        list.append(BrowserFault(step: "open-profile", fault: delay, screens: [bar, moving, news, terms], tabs: 3350))
        list.append(stopped("open-profile", abort, "aborted", [bar]))
        return list
    }

    private static func browser() -> [BrowserFault] {
        var list: [BrowserFault] = []
        list.append(stopped("main-connected", .fail, "failed", []))
        list.append(stopped("main-connected", .hang, "failed", []))
        list += harmless("main-connected", [delay], tabs: 3000)
        list.append(stopped("main-connected", abort, "aborted", []))
        for fault in [Fault.fail, .hang, delay] {
            let isLate = fault != .fail
            list.append(BrowserFault(step: "address-bar", fault: fault, screens: [news, terms], tabs: isLate ? 1100 : 350))
            list.append(BrowserFault(step: "restore-tabs", fault: fault, screens: [bar, blank, terms], tabs: isLate ? 1200 : 200))
        }
        list.append(stopped("address-bar", abort, "aborted", [bar]))
        list.append(stopped("restore-tabs", abort, "aborted", [bar]))
        list.append(stopped("browser", .fail, "failed", [bar, noBrowser]))
        list.append(stopped("browser", .hang, "failed", [bar, noBrowser]))
        list += harmless("browser", [delay], tabs: 3350)
        // Its work was done: the tabs are there, and so are the links.
        var aborted = stopped("browser", abort, "aborted", [bar, news])
        aborted.tabs = 350
        (aborted.openedLinks, aborted.keptLinks) = (Trial.both, [])
        list.append(aborted)
        return list
    }

    private static func afterBrowser() -> [BrowserFault] {
        var list: [BrowserFault] = []
        list += untracked("show-terms", [.fail, .hang, delay], [bar, news])
        list.append(abortedLater("show-terms", telemetry: false, synced: false))
        list += untracked("terms", [.fail, .hang])
        list += harmless("terms", [delay])
        list.append(abortedLater("terms", telemetry: false, synced: true))
        list += untracked("start-telemetry", [.fail, .hang])
        list += harmless("start-telemetry", [delay])
        list.append(abortedLater("start-telemetry", telemetry: true, synced: true))
        for fault in [Fault.fail, .hang] { list.append(BrowserFault(step: "sync", fault: fault, isSynced: false)) }
        list += harmless("sync", [delay])
        list.append(abortedLater("sync", telemetry: false, synced: true))
        list += harmless("prefetch", [.fail, .hang, delay])
        list.append(abortedLater("prefetch", telemetry: false, synced: false))
        return list
    }
}

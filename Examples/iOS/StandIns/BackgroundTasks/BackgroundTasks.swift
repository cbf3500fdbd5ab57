//  Stands in for the module `BackgroundTasks`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/backgroundtasks, whose page each declaration names.

import Dispatch
import Foundation

// Foundation gives it to whoever imports it on Apple's systems; this one's name is `DispatchQueue` everywhere in Swift.
public typealias dispatch_queue_t = DispatchQueue

/// backgroundtasks/bgtaskscheduler
public class BGTaskScheduler: NSObject {
    public class var shared: BGTaskScheduler { BGTaskScheduler() }
    /// backgroundtasks/bgtaskscheduler/register(fortaskwithidentifier:using:launchhandler:)
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: dispatch_queue_t?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool { false }
    /// backgroundtasks/bgtaskscheduler/submit(_:): deprecated in iOS 27 for one with a completion handler, which iOS 18 has not got.
    public func submit(_ taskRequest: BGTaskRequest) throws {}
}

/// backgroundtasks/bgtask: not Sendable.
open class BGTask: NSObject {
    /// backgroundtasks/bgtask/expirationhandler
    public var expirationHandler: (() -> Void)?
    /// backgroundtasks/bgtask/settaskcompleted(success:)
    open func setTaskCompleted(success: Bool) {}
}

/// backgroundtasks/bgtaskrequest
public class BGTaskRequest: NSObject {
    /// backgroundtasks/bgtaskrequest/earliestbegindate
    public var earliestBeginDate: Date?
}

/// backgroundtasks/bgapprefreshtaskrequest
public class BGAppRefreshTaskRequest: BGTaskRequest {
    /// backgroundtasks/bgapprefreshtaskrequest/init(identifier:)
    public init(identifier: String) {}
}

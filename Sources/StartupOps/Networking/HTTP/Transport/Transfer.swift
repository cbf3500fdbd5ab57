import Dispatch
import Foundation
import Sequencer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: gets the events of many threads in a row, and answers once.
final class Transfer: Sendable {
    typealias Completion = @Sendable (Result<HTTPResponse, NetworkError>) -> Void

    private struct Storage {
        var state: TransferState
        var completion: Completion?
        var task: URLSessionTask?
        var alarm: Alarm?
        var tooEarly: Result<HTTPResponse, NetworkError>?
    }

    let request: HTTPRequest
    private let storage: Locked<Storage>
    /// Tasks are cancelled here: `cancel()` waits for the session, and may be called by a thread that must not wait.
    private let control: DispatchQueue

    init(_ request: HTTPRequest, maximumBodySize: Int, control: DispatchQueue) {
        self.request = request
        self.control = control
        storage = Locked(Storage(state: TransferState(request, maximumBodySize: maximumBodySize)))
    }

    /// Whether it has been answered, and need not begin.
    var isOver: Bool { storage.withLock { $0.state.isOver } }

    /// Answers to `completion`, at once if it is already over.
    func begin(_ completion: @escaping Completion) {
        let result = storage.withLock { storage in
            if storage.tooEarly == nil { storage.completion = completion }
            return storage.tooEarly
        }
        if let result { completion(result) }
    }

    /// Says what does the work; false when it is not wanted any more.
    func attach(_ task: URLSessionTask) -> Bool {
        storage.withLock { storage in
            if storage.state.isOver { return false }
            storage.task = task
            return true
        }
    }

    /// Keeps `alarm` until the end.
    func attach(_ alarm: Alarm) {
        let isLate = storage.withLock { storage in
            if !storage.state.isOver { storage.alarm = alarm }
            return storage.state.isOver
        }
        if isLate { alarm.cancel() }
    }

    /// Tells the state machine what happened, then does what it says.
    func handle(_ event: (inout TransferState) -> TransferState.Action) {
        let (action, storage) = self.storage.withLock { storage in
            let action = event(&storage.state)
            let before = storage
            switch action {
            case .nothing: break
            case .finish(let result), .finishAndStop(let result):
                if storage.completion == nil { storage.tooEarly = result }
                storage.completion = nil
                storage.task = nil
                storage.alarm = nil
            }
            return (action, before)
        }
        switch action {
        case .nothing: return
        case .finish(let result):
            storage.alarm?.cancel()
            storage.completion?(result)
        case .finishAndStop(let result):
            storage.alarm?.cancel()
            if let task = storage.task { control.async { task.cancel() } }
            storage.completion?(result)
        }
    }
}

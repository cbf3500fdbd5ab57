/// An event that a step brings about with its end.
struct PromisedEvent: Sendable {
    /// The step has left no value.
    struct Broken: Error {
        let ending: String
    }

    let storage: EventStorage
    /// The type of its value.
    let type: any Sendable.Type

    /// - Parameters:
    ///   - id: the step's identifier.
    ///   - callBlocks: calls its argument, which calls the blocks of the app.
    func settle(_ result: EventResult, by id: String, callBlocks: (@escaping @Sendable () -> Void) -> Void) {
        if case .failure(let error as Broken) = result {
            let reason = printable("\(printable(id)) \(error.ending)", limit: 400)
            storage.settle(.failure(ExternalEventError(event: storage.name, kind: .failed(reason))), callBlocks: callBlocks)
        } else {
            storage.settle(result, callBlocks: callBlocks)
        }
    }
}

/// What happens to entry points, told to the app as it happens: none is ever lost without a word.
public enum EntryPointEvent: Sendable, CustomStringConvertible {
    /// An entry point came in.
    case received(EntryPointDelivery)
    /// An entry point was handed over.
    case handedOver(EntryPointDelivery)
    /// The handler has accepted it.
    case accepted(EntryPointDelivery)
    /// The handler threw: it is kept, and handed over again at the next delivery.
    case postponed(EntryPointDelivery, any Error)
    /// It will not be delivered.
    case dropped(DroppedEntryPoint)
    /// It is not delivered in this launch, and waits for the next.
    case keptForNextLaunch(EntryPointDelivery, reason: String)
    /// Some stored entry points could not be read, and are lost.
    case unreadable(count: Int)
    /// The store could not be used; what is in the mailbox is kept in memory until it can be.
    case storeFailed(StorageError)

    /// One sentence, without any texts or values of entry points.
    public var description: String {
        switch self {
        case .received(let delivery): "\(delivery) was received"
        case .handedOver(let delivery): "\(delivery) was handed over"
        case .accepted(let delivery): "\(delivery) was accepted"
        case .postponed(let delivery, let error): "\(delivery) was postponed: its handler threw \(type(of: error))"
        case .dropped(let dropped): dropped.description
        case .keptForNextLaunch(let delivery, let reason): "\(delivery) waits for the next launch: \(reason)"
        case .unreadable(let count): "entry points lost: \(count) that were stored could not be read"
        case .storeFailed(let error): "entry points are kept in memory only: \(error)"
        }
    }
}

/// What became of an entry point that came in.
public enum EntryPointReceipt: Sendable, Hashable {
    /// It is stored: it survives the end of the process.
    case stored
    /// It could not be stored, and is lost when the process ends before the store can be used again.
    case keptInMemory(StorageError)
    /// One with this identifier is waiting, or was accepted a short while ago: nothing was done.
    case duplicate
}

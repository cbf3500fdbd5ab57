/// The resources that all launches share (``ExclusiveResource/ofProcess``), and the operations that hold or await them.
///
/// A launch tells of its operations under its own lock, so that a claim and its end come in that order; nobody is
/// called here. An operation claims when it has all that it needs of its launch, and gets all of its claim or nothing:
/// so those that hold some of these never wait for a resource.
struct ProcessResources {
    /// An operation claims resources, or gives them back. Its number tells apart the claims of one operation.
    struct Change: Equatable {
        let node: Int
        let number: Int
        let isOver: Bool
    }

    struct Claim {
        fileprivate let resources: Set<Resource>
        let launch: LaunchStorage
        let node: Int
        let number: Int
        fileprivate var isGranted = false
    }

    fileprivate struct Resource: Hashable {
        let name: String
        /// The virtual clock whose launches share it; nil in real time.
        let clock: ObjectIdentifier?
    }

    /// In the order in which they were made: the first that wants a resource has it.
    private static let claims = Locked<[Claim]>([])

    /// - Returns: the claims, of any launch, that hold their resources from now on: to be told without a lock.
    static func change(_ changes: [Change], of launch: LaunchStorage) -> [Claim] {
        let clock = launch.virtualTime.map { ObjectIdentifier($0.scheduler) }
        return claims.withLock { claims in
            for change in changes {
                if change.isOver {
                    claims.removeAll { $0.launch === launch && $0.number == change.number }
                } else {
                    let names = launch.graph.policy(change.node).claims
                    let resources = Set(names.map { Resource(name: $0, clock: clock) })
                    claims.append(Claim(resources: resources, launch: launch, node: change.node, number: change.number))
                }
            }
            var (taken, granted): (Set<Resource>, [Claim]) = ([], [])
            for place in claims.indices {
                if !claims[place].isGranted, taken.isDisjoint(with: claims[place].resources) {
                    claims[place].isGranted = true
                    granted.append(claims[place])
                }
                // Also of one that waits: it must not wait for ever behind those that need less.
                taken.formUnion(claims[place].resources)
            }
            return granted
        }
    }
}

#if canImport(Network)
    import Dispatch
    import Network

    extension Reachability {
        /// Watches the system's network paths.
        public convenience init() {
            // Only the latest state matters.
            let (links, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { continuation.yield($0.status == .satisfied) }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "sequencer.networking.reachability"))
            self.init(links: links)
        }
    }
#endif

extension Metric {
    /// The key of the worst ratio to a rival's time.
    static func ratioKey(_ rival: String, _ size: Int, _ kind: BodyKind = .synchronous) -> Key {
        kind == .synchronous ? "ratio/\(rival)/\(size)" : "ratio/\(rival)/\(size)/\(kind.rawValue)"
    }

    /// The figures that follow from samples: for each rival and size the worst ratio over all shapes, and what an operation costs.
    static func metrics(of samples: [Sample]) -> [Metric] {
        var worst: [Key: Metric] = [:]
        func note(_ key: Key, _ value: Double, _ detail: String) {
            if value > worst[key]?.value ?? -.infinity { worst[key] = Metric(key, value, detail) }
        }
        let ours = samples.filter { $0.engine == Engine.sequencer.name }
        for own in ours {
            guard let size = own.sizeClass else { continue }
            if own.work == BodyKind.synchronous.rawValue {
                note("time/\(size)", own.nsPerOperation, own.shape)
            }
            for rival in samples where rival.engine != own.engine && rival.shape == own.shape && rival.operations == own.operations {
                guard rival.work == own.work, let kind = BodyKind(rawValue: own.work) else { continue }
                let ratio = own.nsPerOperation / rival.nsPerOperation
                note(ratioKey(rival.engine, size, kind), ratio, own.shape)
                if kind == .synchronous { note("\(ratioKey(rival.engine, size))/\(own.shape)", ratio, "") }
            }
        }
        return Array(worst.values)
    }
}

extension Sample {
    /// The size of the table's row that it belongs to: the nearest power of ten from 10 up, for the scenarios' graphs have sizes of their own;
    /// nil for a graph that is smaller than that by far.
    var sizeClass: Int? {
        var size = 10
        while operations * 10 >= size * 32 { size *= 10 }
        return operations * 32 >= size * 10 ? size : nil
    }
}

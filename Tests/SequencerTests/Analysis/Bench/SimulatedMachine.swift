import Foundation
import Sequencer

/// A machine on which a launch takes 0.8 s, more or less: what it does to times is known.
///
/// Its clock is a number; nothing here takes real time.
struct SimulatedMachine {
    /// What it does besides, where each run differs by 2% from what it ought to take.
    enum Weather: String, CaseIterable, Sendable {
        case quiet
        /// All runs take longer or shorter, by 10% or so in 20 runs, and by 1% from one to the next.
        case drift
        /// One run of twenty takes up to four times as long.
        case spikes
        /// For ten runs or so all of them take 25% longer, then for ten or so they do not.
        case modes
        /// Other processes come and go, every 20 runs or so: up to one and a half for each processor.
        case load
    }

    private let weather: Weather
    private var random: SplitMix64
    private var (trend, level, others, isSlow) = (0.0, 0.0, 0.0, false)

    init(_ weather: Weather, seed: UInt64) {
        (self.weather, random) = (weather, SplitMix64(seed: seed))
        if weather == .drift { trend = 0.1 / 20 * normal() }
        if weather == .load { others = uniform(0, 1.5) }
    }

    private mutating func uniform(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(random.next() >> 11) / Double(1 << 53)
    }

    private mutating func isSo(_ probability: Double) -> Bool { uniform(0, 1) < probability }

    /// By the method of Box and Muller.
    private mutating func normal() -> Double { sqrt(-2 * log(1 - uniform(0, 1))) * cos(2 * .pi * uniform(0, 1)) }

    /// The time of the next run, in seconds, of a launch that takes by this share longer.
    mutating func time(slower: Double = 0) -> Double {
        var time = 0.8 * (1 + slower) * exp(0.02 * normal())
        switch weather {
        case .quiet: break
        case .drift:
            level += trend + 0.01 * normal()
            time *= exp(level)
        case .spikes:
            if isSo(0.05) { time *= uniform(1.3, 4) }
        case .modes:
            if isSo(0.1) { isSlow.toggle() }
            if isSlow { time *= 1.25 }
        case .load:
            if isSo(0.05) { others = uniform(0, 1.5) }
            time *= 1 + others
        }
        return time
    }
}

import Foundation
import Sequencer

extension SplitMix64 {
    /// A number from 0 up to 1, without it; each is as probable as the others.
    mutating func uniform() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// A number of the standard normal distribution, after Box and Muller.
    mutating func normal() -> Double { (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform()) }
}

import Foundation

/// The highest rate that some misses in a number of trials are still compatible with.
///
/// The exact bound of Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial", Biometrika 26
/// (1934): with no miss in 10 trials, a rate of up to 25.9% cannot be ruled out.
enum BinomialBound {
    /// The bound that the true rate is below with this confidence.
    ///
    /// - Returns: 1 when there was no trial, or nothing but misses.
    static func upper(misses: Int, trials: Int, confidence: Double = 0.95) -> Double {
        guard trials > 0, misses < trials else { return 1 }
        let (first, second) = (Double(max(misses, 0)) + 1, Double(trials - max(misses, 0)))
        // The bound is a quantile of a beta distribution, whose distribution function rises all the way.
        var (low, high) = (0.0, 1.0)
        for _ in 0..<200 {
            let middle = (low + high) / 2
            if middle == low || middle == high { break }
            if regularizedIncompleteBeta(middle, first, second) < confidence { low = middle } else { high = middle }
        }
        return high
    }
}

/// The distribution function of the beta distribution, by its continued fraction: DLMF 8.17.22 (https://dlmf.nist.gov/8.17#v), evaluated as
/// Lentz and Thompson do, "Coulomb and Bessel Functions of Complex Arguments and Order", Journal of Computational Physics 64 (1986).
///
/// - Parameters:
///   - x: from 0 to 1.
///   - first: more than 0, as is `second`.
func regularizedIncompleteBeta(_ x: Double, _ first: Double, _ second: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    // Beyond this point the fraction converges slowly; the function of the complement is on its good side.
    if x > (first + 1) / (first + second + 2) { return 1 - regularizedIncompleteBeta(1 - x, second, first) }
    let logarithm = logGamma(first + second) - logGamma(first) - logGamma(second) + first * log(x) + second * log1p(-x)
    return min(exp(logarithm) / first * continuedFraction(x, first, second), 1)
}

private func continuedFraction(_ x: Double, _ first: Double, _ second: Double) -> Double {
    func notZero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var numerator = 1.0
    var denominator = 0.0
    var result = 1.0
    // It takes about as many terms as the square root of the larger parameter.
    for index in 1...100_000 {
        let step = Double(index / 2)
        let term =
            index.isMultiple(of: 2)
            ? step * (second - step) * x / ((first + 2 * step - 1) * (first + 2 * step))
            : -(first + step) * (first + second + step) * x / ((first + 2 * step) * (first + 2 * step + 1))
        denominator = 1 / notZero(1 + term * denominator)
        numerator = notZero(1 + term / numerator)
        let factor = denominator * numerator
        result *= factor
        if abs(factor - 1) < 1e-15 { break }
    }
    return 1 / result
}

/// The logarithm of the gamma function for positive numbers, by Stirling's series: DLMF 5.11.1 (https://dlmf.nist.gov/5.11#E1).
///
/// The C function of that name has different results on different platforms: some return the sign too.
func logGamma(_ x: Double) -> Double {
    var x = x
    var product = 1.0
    // The series is exact to the last digits from here on.
    while x < 12 {
        product *= x
        x += 1
    }
    let square = x * x
    let series = (1 / 12.0 - (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - 1 / 1188.0 / square) / square) / square) / square) / x
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * .pi) + series - log(product)
}

import Foundation

/// One shape's plot: a line an engine, named at its end.
struct PlotPanel {
    /// The size of a panel with its axes and labels.
    static let (width, height) = (400.0, 300.0)
    private static let (left, right, top, bottom) = (62.0, 104.0, 46.0, 40.0)

    let family: ShapeFamily
    let samples: [Sample]
    /// The samples of all panels, which share their axes.
    let all: [Sample]

    private var x: PlotScale {
        PlotScale(of: all.map { Double($0.operations) }, from: Self.left, to: Self.width - Self.right)
    }

    private var y: PlotScale {
        PlotScale(of: all.map(\.nsPerOperation), from: Self.height - Self.bottom, to: Self.top)
    }

    /// The panel, its upper left corner at the origin.
    var svg: String {
        frame + labelled(lines()).joined(separator: "\n") + "\n"
    }

    private var frame: String {
        let (x, y) = (x, y)
        let (width, height) = (Self.width - Self.left - Self.right, Self.height - Self.top - Self.bottom)
        var parts = [
            "<rect class=\"panel\" x=\"\(Self.left)\" y=\"\(Self.top)\" width=\"\(width)\" height=\"\(height)\"/>",
            "<text class=\"title\" x=\"\(Self.left)\" y=\"\(Self.top - 24)\">\(Self.escaped(family.name))</text>",
            "<text class=\"faint\" x=\"\(Self.left)\" y=\"\(Self.top - 9)\">\(Self.escaped(family.summary))</text>",
        ]
        for tick in y.ticks {
            let place = Self.number(y.place(tick))
            parts.append("<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.left + width)\" y1=\"\(place)\" y2=\"\(place)\"/>")
            parts.append(
                "<text class=\"tick\" text-anchor=\"end\" x=\"\(Self.left - 6)\" y=\"\(place)\" dy=\"4\">\(Self.time(tick))</text>"
            )
        }
        for tick in x.ticks {
            let place = Self.number(x.place(tick))
            parts.append("<line class=\"grid\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(Self.top)\" y2=\"\(Self.top + height)\"/>")
            let text = Figures.count(Int(tick.rounded()))
            parts.append("<text class=\"tick\" text-anchor=\"middle\" x=\"\(place)\" y=\"\(Self.top + height + 15)\">\(text)</text>")
        }
        let middle = Self.left + width / 2
        parts.append("<text class=\"faint\" text-anchor=\"middle\" x=\"\(middle)\" y=\"\(Self.top + height + 31)\">operations</text>")
        return parts.joined(separator: "\n") + "\n"
    }

    /// A line, and where it ends.
    private struct Line {
        let engine: String
        let path: String
        let end: (x: Double, y: Double)
    }

    private func lines() -> [Line] {
        let (x, y) = (x, y)
        return Engine.all.map(\.name).compactMap { engine in
            let points = samples.filter { $0.engine == engine }.sorted { $0.operations < $1.operations }
                .map { (x: x.place(Double($0.operations)), y: y.place($0.nsPerOperation)) }
            guard let end = points.last else { return nil }
            let corners = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
            let marks = points.map { "<circle class=\"mark\" cx=\"\(Self.number($0.x))\" cy=\"\(Self.number($0.y))\" r=\"2.5\"/>" }
            let line = "<polyline class=\"line\" stroke-dasharray=\"\(PlotStyle.dashes(engine))\" points=\"\(corners)\"/>"
            return Line(engine: engine, path: line + marks.joined(), end: end)
        }
    }

    /// The lines, each with its name beside the panel: at the height of its end, moved down as far as the name above needs.
    private func labelled(_ lines: [Line]) -> [String] {
        let gap = 14.0
        let sorted = lines.sorted { $0.end.y < $1.end.y }
        var places = sorted.map(\.end.y)
        for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + gap) }
        // What has come below the panel moves back up, and what is above it makes room.
        let lowest = Self.height - Self.bottom
        for index in places.indices.reversed() {
            places[index] = min(places[index], index == places.count - 1 ? lowest : places[index + 1] - gap)
        }
        let edge = Self.width - Self.right
        return zip(sorted, places).map { line, place in
            let lead =
                "<polyline class=\"lead\" points=\"\(Self.number(line.end.x)),\(Self.number(line.end.y)) \(edge + 4),\(Self.number(place))\"/>"
            let text = "<text x=\"\(edge + 8)\" y=\"\(Self.number(place))\" dy=\"4\">\(line.engine)</text>"
            return "<g class=\"\(line.engine)\">\(line.path)\(lead)\(text)</g>"
        }
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    /// `10 ns`, `1 µs`: a power of ten.
    private static func time(_ nanoseconds: Double) -> String {
        let (value, unit) =
            nanoseconds < 1e3 ? (nanoseconds, "ns") : nanoseconds < 1e6 ? (nanoseconds / 1e3, "µs") : (nanoseconds / 1e6, "ms")
        return "\(value < 1 ? String(value) : Figures.count(Int(value.rounded()))) \(unit)"
    }

    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(
            of: ">",
            with: "&gt;"
        )
    }
}

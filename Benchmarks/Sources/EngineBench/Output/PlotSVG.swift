import Foundation

/// Time an operation over the size of the graph, both logarithmic: a panel a shape.
struct PlotSVG {
    private let result: BenchResult

    init(_ result: BenchResult) {
        self.result = result
    }

    private static let (columns, heading, margin) = (3, 64.0, 12.0)

    /// The drawing, a document of its own. Scenarios' graphs have no sizes to choose from, and are not drawn.
    var text: String {
        let scenarios = Set(ShapeFamily.scenarios.shapes([]).map(\.name))
        let samples = result.samples.filter { $0.work == BodyKind.synchronous.rawValue && !scenarios.contains($0.shape) }
        let families = ShapeFamily.all.filter { family in samples.contains { $0.shape == family.name } }
        let columns = max(1, min(Self.columns, families.count))
        let rows = (families.count + columns - 1) / columns
        let width = Double(columns) * PlotPanel.width + 2 * Self.margin
        let height = Self.heading + Double(rows) * PlotPanel.height + Self.margin
        let panels = families.enumerated().map { index, family in
            let (row, column) = (Double(index / columns), Double(index % columns))
            let place = "translate(\(Self.margin + column * PlotPanel.width) \(Self.heading + row * PlotPanel.height))"
            let own = samples.filter { $0.shape == family.name }
            return "<g transform=\"\(place)\">\n\(PlotPanel(family: family, samples: own, all: samples).svg)</g>\n"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
            <title>Time an operation: build, run, report</title>
            <style>\(PlotStyle.css)</style>
            <rect width="100%" height="100%" fill="var(--paper)"/>
            <text class="heading" x="\(Self.margin + 8)" y="28">Time an operation: build, run, report</text>
            <text class="faint" x="\(Self.margin + 8)" y="46">empty operations, medians; \(PlotPanel.escaped(result.machine.description))</text>
            \(panels.joined())</svg>

            """
    }
}

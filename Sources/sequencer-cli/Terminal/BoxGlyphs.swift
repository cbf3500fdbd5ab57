/// The characters of a frame.
struct BoxGlyphs: Equatable, Sendable {
    let topLeft: String, topRight: String
    let bottomLeft: String, bottomRight: String
    let horizontal: String, vertical: String

    static let unicode = BoxGlyphs(
        topLeft: "╭",
        topRight: "╮",
        bottomLeft: "╰",
        bottomRight: "╯",
        horizontal: "─",
        vertical: "│"
    )
    static let ascii = BoxGlyphs(topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", horizontal: "-", vertical: "|")
}

extension TextStyle {
    /// The characters that frames are drawn with.
    var box: BoxGlyphs { isUnicode ? .unicode : .ascii }
}

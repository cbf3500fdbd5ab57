extension String {
    /// The text that these bytes are in UTF-8; nil where they are not UTF-8.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(decoding: bytes, as: UTF8.self)
            // Bytes that are not UTF-8 have become other ones.
            if !utf8.elementsEqual(bytes) { return nil }
        }
    }
}

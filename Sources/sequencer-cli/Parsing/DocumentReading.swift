import Foundation

/// Makes a document of a JSON text by `read`. Errors name their place in the text.
///
/// - Parameter file: the name of the text in messages.
func readDocument<Document>(
    _ bytes: [UInt8],
    file: String,
    _ read: (ScenarioField) throws -> Document
) throws(ScenarioError) -> Document {
    do {
        return try read(ScenarioField(value: try parseJSON(bytes), path: .root))
    } catch {
        throw ScenarioError(error, file: file)
    }
}

/// Makes a document of a JSON text by Foundation's decoder. Errors name their place in the text.
///
/// The decoder knows no places. Only a text that it refuses is read once more, by ``parseJSON(_:)``, to find the place.
///
/// - Parameter file: the name of the text in messages.
func decodeDocument<Document: Decodable>(
    _ type: Document.Type,
    from bytes: [UInt8],
    file: String,
    by decoder: JSONDecoder = JSONDecoder()
) throws(ScenarioError) -> Document {
    do {
        return try decoder.decodeForeign(type, from: Data(bytes))
    } catch {
        // The tree that has the places would take several times the memory of a large text.
        let limit = ScenarioDocument.sizeLimit
        if bytes.count > limit {
            let message = "the text is not JSON, or not of this format; only a text of up to \(limit) bytes is searched for the place"
            throw ScenarioError(file: file, message: message)
        }
        // A text that is not JSON at all gets the message of the strict reader, which goes over it first.
        return try readDocument(bytes, file: file) { root in throw root.fault(for: error) }
    }
}

extension ScenarioField {
    /// The decoder's error as a fault of the value that it is about.
    fileprivate func fault(for error: any Error) -> ScenarioError {
        switch error as? DecodingError {
        // The key itself is not there: its object is the place.
        case .keyNotFound(let key, let context)?: field(at: context.codingPath).missing(key.stringValue)
        case .typeMismatch(let type, let context)?, .valueNotFound(let type, let context)?:
            field(at: context.codingPath).expected(Self.name(of: type))
        case .dataCorrupted(let context)?: field(at: context.codingPath).fault(context.debugDescription)
        default: fault("\(error)")
        }
    }

    /// The value at a decoder's path, or the nearest one that contains the place: the path may end in a place that the
    /// text does not have.
    private func field(at path: [any CodingKey]) -> ScenarioField {
        path.reduce(self) { field, key in
            let elements = (try? field.elements()) ?? []
            if let place = key.intValue, elements.indices.contains(place) { return elements[place] }
            return field.child(key.stringValue) ?? field
        }
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Int.Type: "a whole number"
        case is Double.Type: "a number"
        case is [Any].Type: "an array"
        default: "an object"
        }
    }
}

import Foundation

/// Makes a document of a JSON text by `read`. Errors name their place in the text.
///
/// - Parameter file: the name of the text in messages.
func readDocument<Document>(
    _ bytes: [UInt8],
    file: String,
    _ read: (ScenarioField, SourceLines) throws(ScenarioFault) -> Document
) throws(ScenarioError) -> Document {
    let lines = SourceLines(bytes)
    let value: JSONValue
    do throws(JSONError) {
        value = try parseJSON(bytes)
    } catch {
        throw ScenarioError(file: file, position: lines.position(of: error.offset), path: "", message: error.message)
    }
    // Two steps, since a text that is not JSON has a place but no path.
    do throws(ScenarioFault) {
        return try read(ScenarioField(value: value, path: .root), lines)
    } catch {
        throw ScenarioError(error, file: file, lines)
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
    file: String
) throws(ScenarioError) -> Document {
    let failure: any Error
    do {
        return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
        failure = error
    }
    // The tree that has the places would take several times the memory of a large text.
    if bytes.count > ScenarioDocument.sizeLimit {
        let message =
            "the text is not JSON, or not of this format; only a text of up to \(ScenarioDocument.sizeLimit) bytes is searched for the place"
        throw ScenarioError(file: file, position: SourcePosition(line: 1, column: 1), path: "", message: message)
    }
    // A text that is not JSON at all gets the message of the strict reader, which goes over it first.
    return try readDocument(bytes, file: file) { root, _ throws(ScenarioFault) in throw root.fault(for: failure) }
}

extension ScenarioField {
    /// The decoder's error as a fault of the value that it is about.
    fileprivate func fault(for error: any Error) -> ScenarioFault {
        switch error as? DecodingError {
        // The key itself is not there: its object is the place.
        case .keyNotFound(let key, let context)?: field(at: context.codingPath).missing(key.stringValue)
        case .typeMismatch(let type, let context)?, .valueNotFound(let type, let context)?:
            field(at: context.codingPath).expected(Self.name(of: type))
        case .dataCorrupted(let context)?: field(at: context.codingPath).fault(context.debugDescription)
        default: fault("\(error)")
        }
    }

    /// The value at a decoder's path, or the nearest one that contains the place.
    private func field(at path: [any CodingKey]) -> ScenarioField {
        var field = self
        for key in path {
            // A decoder's path may end in a place that the text does not have.
            let next = key.intValue.flatMap { place in (try? field.elements()).flatMap { $0.indices.contains(place) ? $0[place] : nil } }
            guard let child = next ?? field.child(key.stringValue) else { break }
            field = child
        }
        return field
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

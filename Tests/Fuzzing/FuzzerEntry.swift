import Foundation

/// What libFuzzer calls with each input: the target that the environment names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        FileHandle.standardError.write(Data("FUZZ_TARGET is '\(name)'; expected one of \(FuzzTarget.allCases.map(\.rawValue))\n".utf8))
        exit(64)
    }
    return target
}()

/// Gives one input to the target; called by libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
        // A broken promise is as bad as a trap, and kept like one.
        FileHandle.standardError.write(Data("broken: \(error)\n".utf8))
        abort()
    }
    return 0
}

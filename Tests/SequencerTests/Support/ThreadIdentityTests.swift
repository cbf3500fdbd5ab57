import TestSupport
import Testing

@testable import Sequencer

@Suite("Threads as numbers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ThreadIdentityTests {
    @Test("a thread has a number, whatever it is to the C library: a number of either kind, a pointer to something known or unknown")
    func kinds() {
        #expect(threadNumber(UInt(0x7000)) == 0x7000)
        // An address in the upper half, as an Android thread may have with 32 bits.
        #expect(threadNumber(Int(-0x1000)) == UInt.max - 0xFFF)
        #expect(threadNumber(OpaquePointer(bitPattern: 0x7000)) == 0x7000)
        #expect(threadNumber(UnsafeMutablePointer<Int32>(bitPattern: 0x7000)) == 0x7000)
    }
}

import Foundation

// Nothing but Foundation, loaded and used once: what any command-line program pays before it does something.
print(ProcessInfo.processInfo.processIdentifier > 0 ? "1.0.0" : "")

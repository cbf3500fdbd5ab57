import EngineBench
import Foundation

// Not an asynchronous main: valgrind stumbles over the main thread's end, with which Dispatch begins to serve that one.
Task.detached { exit(await EngineGrowth.run(Array(CommandLine.arguments.dropFirst()))) }
RunLoop.main.run()

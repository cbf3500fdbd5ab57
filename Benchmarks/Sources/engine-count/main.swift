import EngineBench
import Foundation

exit(EngineCount.run(Array(CommandLine.arguments.dropFirst())))

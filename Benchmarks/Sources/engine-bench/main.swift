import EngineBench
import Foundation

exit(await EngineBench.run(Array(CommandLine.arguments.dropFirst())))

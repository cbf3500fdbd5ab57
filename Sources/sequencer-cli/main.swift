CommandLineTool.main(Array(CommandLine.arguments.dropFirst()))

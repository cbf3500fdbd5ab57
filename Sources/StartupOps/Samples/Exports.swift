// A program asks the sample service with requests, and gets answers: one import gives it both.
@_exported import StartupNetworking

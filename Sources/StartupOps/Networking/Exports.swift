// A program names the deadline of a request and the folder of a session: one import gives it both.
@_exported import StartupStorage

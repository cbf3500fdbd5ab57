import Foundation
import StartupNetworking
import StartupOps
import TestSupport
import Testing

/// The real backend over a real socket: `Scripts/test-examples` starts it and says where it is in `SEQUENCER_BACKEND`.
///
/// The tests share one server, so each starts from its reset, one after the other.
@Suite(
    "Integration",
    .serialized,
    .enabled(if: IntegrationServer.address != nil, "SEQUENCER_BACKEND is not set; Scripts/test-examples sets it"),
    .timeLimit(.minutes(30)),
    .real
)
struct RealIntegrationTests {}

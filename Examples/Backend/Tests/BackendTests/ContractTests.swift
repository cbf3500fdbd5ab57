import Foundation
import Testing

@testable import backend

/// The wire contract over a real socket, and the server as a process.
@Suite("Backend", .serialized, .timeLimit(.minutes(10)))
struct ContractTests {
    private func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("says where it listens, answers there, and ends on SIGTERM although a request hangs")
    func process() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=hang")
        #expect(backend.line == "listening on http://127.0.0.1:\(backend.port), speaker on 127.0.0.1:\(backend.speakerPort)")
        #expect(
            try await backend.send("GET", "/v1/version-policy?platform=linux&version=1.0.0").body
                == Data(#"{"minimumVersion":"1.0.0"}"#.utf8)
        )
        let hanging = try RawConnection(port: backend.port, get: "/v1/configuration?country=DE")
        while try await backend.send("GET", "/_admin/counts").body.range(of: Data("configuration".utf8)) == nil {}
        #expect(try await backend.terminate() == 0)
        #expect(try await onThread { hanging.receiveAll().text } == "")
    }

    @Test("configuration: sent once, then only confirmed")
    func entityTags() async throws {
        let backend = try await RunningBackend()
        let path = "/v1/configuration?country=FR&language=fr"
        let (body, response) = try await backend.exchange("GET", path)
        #expect(response.statusCode == 200)
        let speakers = try #require(try object(body)["speakers"] as? [String: Any])
        #expect(speakers["port"] as? UInt16 == backend.speakerPort)
        let tag = try #require(response.value(forHTTPHeaderField: "ETag"))
        let again = try await backend.send("GET", path, headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(try await backend.send("GET", "/v1/configuration?country=XX").status == 404)
    }

    @Test("tokens: password, profile, expiry, rotation, replay")
    func tokens() async throws {
        let backend = try await RunningBackend()
        func token(_ form: String) async throws -> [String: Any] {
            try object(try await backend.send("POST", "/oauth/token", body: Data(form.utf8)).body)
        }
        let first = try await token("grant_type=password&username=person%40example.com&password=correct+horse")
        let bearer = ["Authorization": "Bearer \(first["access_token"] ?? "")"]
        #expect(try await backend.send("GET", "/v1/profile", headers: bearer).status == 200)
        #expect(try await backend.send("POST", "/_admin/expire-tokens").status == 204)
        let (_, refused) = try await backend.exchange("GET", "/v1/profile", headers: bearer)
        #expect(refused.statusCode == 401)
        #expect(refused.value(forHTTPHeaderField: "WWW-Authenticate") == "Bearer")
        let refresh = "grant_type=refresh_token&refresh_token=\(first["refresh_token"] ?? "")"
        let second = try await token(refresh)
        #expect(second["refresh_token"] is String)
        #expect(try await token(refresh)["error"] as? String == "invalid_grant")
        let counts = try object(try await backend.send("GET", "/_admin/counts").body) as? [String: Int]
        #expect(counts == ["POST /oauth/token": 3, "GET /v1/profile": 2])
    }

    @Test("tokens live as long as the command line says")
    func lifetime() async throws {
        let backend = try await RunningBackend("--token-lifetime", "0s")
        let form = Data("grant_type=anonymous&device_id=a".utf8)
        let token = try object(try await backend.send("POST", "/oauth/token", body: form).body)
        #expect(token["expires_in"] as? Int == 0)
        let bearer = ["Authorization": "Bearer \(token["access_token"] ?? "")"]
        #expect(try await backend.send("GET", "/v1/profile", headers: bearer).status == 401)
    }

    @Test("requests that no route expects are answered")
    func oddRequests() async throws {
        let backend = try await RunningBackend()
        #expect(try await backend.send("GET", "/").status == 404)
        #expect(try await backend.send("OPTIONS", "/v1/profile").status == 404)
        #expect(try await backend.send("POST", "/v1/accounts", body: Data(count: (1 << 20) + 1)).status == 413)
        for request in ["GET http://x/ HTTP/1.1", "GET * HTTP/1.1", "GET /%zz?%zz HTTP/1.1", "\u{1}\u{2}"] {
            let connection = try RawConnection(port: backend.port)
            try connection.send("\(request)\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await onThread { connection.receiveAll().text }.hasPrefix("HTTP/1.1 4"), "\(request)")
        }
    }

    @Test(
        "a command line that makes no sense is refused with its reason",
        arguments: [
            (["--prot", "1"], "'--prot' is no option"), (["--port"], "--port needs a value"),
            (["--port", "65536"], "expected a number from 0 to 65535"),
            (["--token-lifetime", "1"], "expected a whole number and s, m or h"),
            (["--token-lifetime", "99999999999999999999h"], "expected a whole number and s, m or h"),
            (["--fault", "hang"], "expected PATH=FAULT"),
            (["--fault", "/x=hnag"], "did you mean hang?"),
        ]
    )
    func usage(_ arguments: [String], _ reason: String) {
        let error = #expect(throws: UsageError.self) { try BackendArguments(arguments) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test("exit statuses: 64 for a command line that makes no sense, 1 for a port that is taken")
    func exitStatuses() async throws {
        let (status, message) = try await RunningBackend.fail("--frog")
        #expect(status == 64)
        #expect(message.hasPrefix("backend: '--frog' is no option\nusage: backend "))
        let backend = try await RunningBackend()
        #expect(try await RunningBackend.fail("--port", "\(backend.port)", "--speaker-port", "0").status == 1)
    }

    @Test("the speaker says it is ready, answers pings, and closes on BYE")
    func speaker() async throws {
        let backend = try await RunningBackend()
        let connection = try RawConnection(port: backend.speakerPort)
        try connection.send("HELLO a phone\n")
        #expect(try await onThread { try connection.receive(through: "\n") } == "READY Kitchen\n")
        try connection.send("PING\nPING\nBYE\n")
        let rest = try await onThread { connection.receiveAll() }
        #expect(rest.text == "PONG\nPONG\n")
        #expect(rest.error == nil)
    }

    @Test("a speaker's lines may come in pieces; what is no word ends the conversation")
    func conversation() {
        var conversation = SpeakerConversation(name: "Kitchen")
        #expect(conversation.receive("HEL") == ("", false))
        #expect(conversation.receive("LO me\r\nPI") == ("READY Kitchen\n", false))
        #expect(conversation.receive("NG\nEXPLODE\nPING\n") == ("PONG\n", true))
        var flooded = SpeakerConversation(name: "Kitchen")
        #expect(flooded.receive(String(repeating: "x", count: 1025)) == ("", true))
    }
}

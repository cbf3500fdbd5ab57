//  An operation does one thing, says when it has ended, and can be told to stop. It knows neither the others nor the order.

import Foundation
import Sequencer

/// Shows the splash until its animation has ended.
nonisolated final class SplashOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: `phone` is constant, and Sendable itself.
    private let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
    }

    override func main() {
        phone.show("splash")
        phone.answer((), after: 400) { [weak self] in self?.finish() }
    }
}

/// Asks which version may run, and aborts the launch when this one may not.
nonisolated final class ForceUpdateOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: `phone` is constant, and Sendable itself.
    private let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
    }

    override func main() {
        phone.answer(phone.isOutdated, after: 250) { [weak self] isUpdateRequired in self?.end(isUpdateRequired) }
    }

    private func end(_ isUpdateRequired: Bool) {
        guard isUpdateRequired else { return finish() }
        // In a plain queue there is nothing to abort: whoever has made the queue must look at the error.
        guard let stepContext else { return finish(throwing: UpdateRequired()) }
        stepContext.abort(.forceUpdate) { [phone] in phone.show("update screen: this version is too old") }
        finish()
    }
}

nonisolated struct UpdateRequired: Error {}

/// Leaves the app's configuration, or fails when the server has none.
nonisolated final class FetchConfigOperation: ValueOperation<Configuration>, @unchecked Sendable {
    // @unchecked: `phone` is constant, and Sendable itself.
    private let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
    }

    override func main() {
        phone.answer(phone.configuration, after: 150) { [weak self] configuration in self?.end(configuration) }
    }

    private func end(_ configuration: Configuration?) {
        if let configuration { finish(returning: configuration) } else { finish(throwing: NoConfiguration()) }
    }
}

nonisolated struct NoConfiguration: Error {}

/// Leaves the session of the person.
nonisolated final class LoginOperation: ValueOperation<Session>, @unchecked Sendable {
    // @unchecked: both are constant, and Sendable themselves.
    private let phone: Phone
    private let configuration: Configuration

    init(_ phone: Phone, _ configuration: Configuration) {
        self.phone = phone
        self.configuration = configuration
    }

    override func main() {
        phone.answer(Session(user: "Ann", country: configuration.country), after: 120) { [weak self] in self?.finish(returning: $0) }
    }
}

/// Shows the tutorial until the person closes it.
nonisolated final class TutorialOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: `phone` is constant, and Sendable itself.
    private let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
    }

    override func main() {
        phone.show("tutorial")
        phone.answer((), after: 250) { [weak self] in self?.finish() }
    }

    override func didCancel() {
        phone.show("the tutorial is closed")
        finish()
    }
}

/// Leaves the name of the speaker that it has connected.
nonisolated final class ConnectSpeakerOperation: ValueOperation<String>, @unchecked Sendable {
    // @unchecked: `phone` is constant, and Sendable itself.
    private let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
    }

    override func main() {
        // A speaker that is not there never answers.
        if phone.hasSpeaker { phone.answer("Kitchen", after: 100) { [weak self] in self?.finish(returning: $0) } }
    }

    override func didCancel() {
        finish()
    }
}

/// Shows what the push that has started the app is about.
nonisolated final class PresentPushInformationOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: both are constant, and Sendable themselves.
    private let phone: Phone
    private let push: String

    init(_ phone: Phone, push: String) {
        self.phone = phone
        self.push = push
    }

    override func main() {
        phone.show("push: \(push)")
        phone.answer((), after: 250) { [weak self] in self?.finish() }
    }
}

/// Shows the main screen.
nonisolated final class MainAppOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: all are constant, and Sendable themselves.
    private let phone: Phone
    private let session: @Sendable () -> Session?
    private let speaker: @Sendable () -> String?

    /// - Parameters:
    ///   - session: asked for when the operation starts: in a plain queue another operation has it only then.
    ///   - speaker: the same; nil without one.
    init(_ phone: Phone, _ session: @escaping @Sendable () -> Session?, speaker: @escaping @Sendable () -> String?) {
        self.phone = phone
        self.session = session
        self.speaker = speaker
    }

    override func main() {
        guard let session = session() else { return finish(throwing: NobodyLoggedIn()) }
        phone.show("main screen of \(session.user) (\(session.country)), speaker: \(speaker() ?? "none")")
        finish()
    }
}

nonisolated struct NobodyLoggedIn: Error {}

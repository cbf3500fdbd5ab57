import Foundation
import Sequencer
import StartupNetworking

extension BootstrapPlan {
    /// Checks the plan: nothing of it has run, and nothing is sent.
    ///
    /// The registrations are put in the order in which the launch makes them, and measured by `RegistrationRule/bootstrap`. Names and timeouts of steps are the
    /// graph's matter: a launch whose graph has wrong ones is refused before anything runs.
    ///
    /// - Throws: ``RegistryError`` with everything that is wrong, each with the names it is about and the reason.
    public func validate() throws(RegistryError) {
        let problems = endpointProblems + headerProblems + registrationProblems + moduleProblems
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }

    private var endpointProblems: [RegistryProblem] {
        do {
            _ = try APIEnvironment(graphQL: endpoints.graphQL.absoluteString, rest: endpoints.rest?.absoluteString)
            return []
        } catch {
            return [RegistryProblem(.invalid, "endpoints", "endpoints.\(error)")]
        }
    }

    private var headerProblems: [RegistryProblem] {
        if !headerPrefix.isEmpty, headerPrefix.utf8.allSatisfy(\.isTokenCharacter) { return [] }
        let shown = printable(headerPrefix, limit: 80)
        let reason = "headerPrefix is '\(shown)', which begins no header's name: those are letters, digits and hyphens, such as X-Example"
        return [RegistryProblem(.invalid, "headerPrefix", reason)]
    }

    /// Registers in a registry of its own, like a launch by this plan; actions do not run.
    private var registrationProblems: [RegistryProblem] {
        let registry = ServiceRegistry(rules: RegistrationRule.bootstrap) { true }
        for registration in registrations { _ = registration.register(registry) }
        registry.mark("module-setup")
        // As in a launch: a value that is equal to no other, so that a second one is refused.
        registry.register(ConfigurationInLaunch(), for: ServiceKey("configuration"))
        for delegate in moduleDelegates { _ = delegate.register(registry) }
        if !thirdParties.isEmpty { registry.mark("third-party") }
        registry.mark("coordinator")
        for delegate in delegates { _ = delegate.register(registry) }
        registry.mark("observers")
        return registry.problems
    }

    private var moduleProblems: [RegistryProblem] {
        modules.enumerated().flatMap { place, module in
            module.dependencies.compactMap { dependency in
                guard let other = modules.firstIndex(where: { $0.name == dependency.predecessor }) else {
                    return .missingDependency(of: module.name, dependency, "is not in the plan")
                }
                return other < place ? nil : .misordered(module.name, dependency)
            }
        }
    }
}

/// Stands for the configuration that a launch makes.
private final class ConfigurationInLaunch: Sendable {}

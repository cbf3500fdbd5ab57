import Foundation
import Sequencer
import StartupNetworking

extension BootstrapPlan {
    /// Checks the plan: nothing of it has run, and nothing is sent.
    ///
    /// The registrations are put in the order in which the launch makes them, and measured by `RegistrationRule/bootstrap`.
    ///
    /// - Throws: ``RegistryError`` with everything that is wrong, each with the names it is about and the reason.
    public func validate() throws(RegistryError) {
        let problems = endpointProblems + headerProblems + registrationProblems + nameProblems + stepProblems + moduleProblems
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

    private var nameProblems: [RegistryProblem] {
        func check(_ kind: String, _ names: [String]) -> [RegistryProblem] {
            var seen: Set<String> = []
            return names.compactMap { name in
                let shown = "\(kind) \(printable(name, limit: 80))"
                if name.isEmpty { return RegistryProblem(.invalid, kind, "a \(kind) has no name; give it one") }
                if seen.insert(name).inserted { return nil }
                return RegistryProblem(.repeated, name, "\(shown) is in the plan twice: names tell operations apart; rename one")
            }
        }
        // Names of steps: an SDK with a lifecycle has a second one.
        let sdks = thirdParties.flatMap { sdk in sdk.lifecycle == nil ? [sdk.name] : [sdk.name, "\(sdk.name)-ready"] }
        return check("resource", resources.map(\.name)) + check("module", modules.map(\.name))
            + check("third-party SDK", sdks) + check("observer", observers.map(\.name))
    }

    /// The steps that the graph of the launch would be refused for, by its own rule.
    private var stepProblems: [RegistryProblem] {
        func check(_ kind: String, _ name: String, _ steps: [String], _ timeouts: [(field: String, value: Duration)]) -> [RegistryProblem] {
            let subject = "\(kind) \(printable(name, limit: 80))"
            // Once for a name: all of its steps are named by it.
            let refused = steps.lazy.compactMap { step in OperationGraph.complaint(aboutIdentifier: step).map { (step, $0) } }.first
            let ofName = refused.map { step, complaint in
                "\(subject): the identifier of its step, '\(printable(step, limit: 80))', \(complaint); give it another name"
            }
            let ofTimes = timeouts.compactMap { field, value in
                OperationGraph.complaint(aboutTimeout: value).map { "\(subject), \(field): \($0)" }
            }
            return ([ofName].compactMap(\.self) + ofTimes).map { RegistryProblem(.invalid, name, $0) }
        }
        return modules.flatMap { module in
            check("module", module.name, ["prepare-\(module.name)", "module-\(module.name)"], [("timeout", module.timeout)])
        }
            + thirdParties.flatMap { sdk in
                let limit = sdk.lifecycle.map { $0.options.restoreTimeout > .zero ? $0.timeoutUntilReady : $0.options.restoreTimeout }
                return check(
                    "third-party SDK",
                    sdk.name,
                    ["sdk-\(sdk.name)", "sdk-\(sdk.name)-ready"].prefix(limit == nil ? 1 : 2).map(\.self),
                    [("timeout", sdk.timeout)] + (limit.map { [("restoreTimeout", $0)] } ?? [])
                )
            }
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

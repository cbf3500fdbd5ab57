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
        let problems = endpointProblems + headerProblems + registrationProblems + nameProblems + moduleProblems
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }

    private var endpointProblems: [RegistryProblem] {
        do {
            _ = try APIEnvironment(graphQL: endpoints.graphQL.absoluteString, rest: endpoints.rest?.absoluteString)
            return []
        } catch {
            return [RegistryProblem(.invalid, "endpoints.\(error.field)", "endpoints.\(error.description)")]
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
        registry.mark("configuration")
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

    private var moduleProblems: [RegistryProblem] {
        var listed: Set<String> = []
        var problems: [RegistryProblem] = []
        for module in modules {
            for dependency in module.dependencies where !listed.contains(dependency.predecessor) {
                let isThere = modules.contains { $0.name == dependency.predecessor }
                problems.append(
                    isThere
                        ? .misordered(module.name, dependency) : .missingDependency(of: module.name, dependency, "is not in the plan")
                )
            }
            listed.insert(module.name)
        }
        return problems
    }
}

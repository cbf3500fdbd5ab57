import Foundation
import Sequencer
import StartupNetworking

extension BootstrapPlan {
    /// Checks the plan: nothing of it has run, and nothing is sent.
    ///
    /// The registrations are put in the order in which the launch makes them, and measured by
    /// `RegistrationRule/bootstrap`. Names and timeouts of steps are the graph's matter: a launch whose graph has wrong
    /// ones is refused before anything runs.
    ///
    /// - Throws: ``RegistryError`` with everything that is wrong, each with the names it is about and the reason.
    public func validate() throws(RegistryError) {
        let names = RegistrationRule.problems(registrationsOfLaunch) + moduleProblems + stepProblems + observerProblems
        let problems = endpointProblems + headerProblems + names
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }

    private var endpointProblems: [String] {
        do {
            _ = try APIEnvironment(graphQL: endpoints.graphQL.absoluteString, rest: endpoints.rest?.absoluteString)
            // As a text it has an international host in ASCII already.
            return endpoints.rest?.requestViolation.map { ["endpoints.rest: \($0)"] } ?? []
        } catch {
            return ["endpoints.\(error)"]
        }
    }

    private var headerProblems: [String] {
        if !headerPrefix.isEmpty, headerPrefix.utf8.allSatisfy(\.isTokenCharacter) { return [] }
        let shown = printable(headerPrefix, limit: 80)
        return ["headerPrefix is '\(shown)', which begins no header's name: those are letters, digits and hyphens, such as X-Example"]
    }

    /// Whether something is registered that may write settings: `settings`, or by a name of the app's own.
    var hasOwnRegistrations: Bool {
        let others = Set(RegistrationRule.bootstrap.map(\.name)).subtracting(["settings"])
        return registrations.contains { !others.contains($0.name) }
    }

    /// The registrations of a launch by this plan, with those that it makes itself.
    private var registrationsOfLaunch: [BootstrapRegistration] {
        func own(_ name: String) -> BootstrapRegistration { .action(name) {} }
        let parts: [[BootstrapRegistration]] = [
            registrations, [own("module-setup"), .configuration], moduleDelegates, thirdParties.isEmpty ? [] : [own("third-party")],
            modules.isEmpty ? [] : [own("modules")], [own("coordinator")], coordinators, delegates, [own("observers")],
        ]
        return parts.flatMap(\.self)
    }

    /// The constraints that name what this plan does not register, one sentence each: another brand's plan may.
    var idleConstraints: [String] {
        let all = registrationsOfLaunch
        let names = Set(all.map(\.name))
        return all.flatMap { registration in
            registration.constraints.filter { !names.contains($0.predecessor) }.map { constraint in
                "\(printable(registration.name, limit: 80)) has to come after "
                    + "\(printable(constraint.predecessor, limit: 80)), which nobody registers in this plan"
            }
        }
    }

    /// The problems that the graph has with the steps of modules and SDKs, such as two of one name, an SDK after one
    /// that the plan has not, or a cycle.
    private var stepProblems: [String] {
        var graph = OperationGraph("plan")
        for module in modules { graph.add("prepare-\(module.name)", .timeout(module.timeout)) {} }
        for sdk in thirdParties {
            graph.add("sdk-\(sdk.name)", .timeout(sdk.timeout), after: sdk.predecessors.map { "sdk-\($0)" }) {}
            if sdk.lifecycle != nil { graph.add("sdk-\(sdk.name)-ready", after: "sdk-\(sdk.name)") {} }
        }
        do throws(GraphError) {
            _ = try graph.validated()
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    /// No step has an observer's name, so the graph does not refuse two of one name.
    private var observerProblems: [String] {
        let names = observers.map(\.name)
        let twice = Set(names.enumerated().filter { place, name in names[..<place].contains(name) }.map(\.element))
        return twice.sorted().map { "there are two observers named \(printable($0, limit: 80)): rename one" }
    }

    private var moduleProblems: [String] {
        modules.enumerated().flatMap { place, module in
            module.dependencies.compactMap { dependency -> String? in
                guard let other = modules.firstIndex(where: { $0.name == dependency.predecessor }) else {
                    return "\(dependency.predecessor) is not in the plan, and \(module.name) needs it: \(dependency.reason)"
                }
                return other < place ? nil : dependency.violation(by: module.name)
            }
        }
    }
}

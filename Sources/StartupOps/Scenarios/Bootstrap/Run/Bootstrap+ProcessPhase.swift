import Sequencer

extension Bootstrap {
    /// Looks for the files that the app needs. Of those that are missing, the first that is required fails the launch.
    func checkResources(_ launch: Launch) throws {
        let problems = plan.resources.compactMap { resource in resource.problem().map { (resource.isRequired, $0) } }
        for (_, problem) in problems { launch.note("\(problem)") }
        if let (_, problem) = problems.first(where: { $0.0 }) { throw problem }
    }

    /// Makes the registrations of the plan, in its order.
    @MainActor
    func register(_ launch: Launch) throws {
        guard phases.takeProcessPart() else {
            throw RegistryError(
                problems: [
                    RegistryProblem(
                        code: .repeated,
                        registration: "process phase",
                        other: nil,
                        description: "the process phase has been run before: make one Bootstrap per launch of the process"
                    )
                ]
            )
        }
        phases.mark(.applicationCreated)
        phases.mark(.delegateCreated)
        for registration in plan.registrations { try make(registration) }
        launch.note("registered \(registry.registered.joined(separator: ", "))")
    }

    /// An action that fails has not been registered.
    @MainActor
    func make(_ registration: BootstrapRegistration) throws {
        try registration.action?()
        try require(registration.register(registry))
    }

    /// Whether a module is used in this launch. It is asked once: what is prepared is made.
    func isActive(_ module: BootstrapModule) -> Bool {
        if let known = state.withLock({ $0.activations[module.name] }) { return known }
        let answer = module.isActive()
        return state.withLock { state in
            let decided = state.activations[module.name] ?? answer
            state.activations[module.name] = decided
            return decided
        }
    }

    /// Prepares a module, which ``isActive(_:)``.
    @MainActor
    func prepare(_ module: BootstrapModule) async throws {
        try await module.prepare()
        state.withLock { _ = $0.prepared.insert(module.name) }
    }

    /// Says that the modules are set up, when none of the active ones works with one that is not.
    @MainActor
    func endModuleSetUp(_ launch: Launch) throws {
        var problems: [RegistryProblem] = []
        for module in plan.modules where isActive(module) {
            for dependency in module.dependencies {
                guard let other = plan.modules.first(where: { $0.name == dependency.predecessor }), !isActive(other) else { continue }
                problems.append(.missingDependency(of: module.name, dependency, "is not active"))
            }
        }
        try require(problems)
        try require(registry.mark("module-setup"))
    }

    /// Ends the phase: from now on there can be scenes.
    @MainActor
    func endProcessPhase(_ launch: Launch) throws {
        if !plan.thirdParties.isEmpty { try require(registry.mark("third-party")) }
        // Everything required is there, or the scenes would find out one by one.
        try registry.validate()
        if let problem = phases.mark(.didFinishLaunching) { launch.note(problem.description) }
    }
}

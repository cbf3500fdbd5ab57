extension RegistrationRule {
    /// The set-up of a white-label app: one root, what every app has to register, and eleven constraints.
    ///
    /// ```
    /// platform (root)
    ///   client-keys
    ///     core-keys -> screen-configuration, analytics
    ///     ui-configuration -> module-setup -> configuration -> delegates, third-party
    /// image-codec -> coordinator -> observers
    /// ```
    public static let bootstrap: [RegistrationRule] = [
        RegistrationRule(
            "platform",
            isRequired: true,
            rootBecause: "it reports the crashes and counts the events of everything that follows"
        ),
        RegistrationRule("client-keys", isRequired: true, .after("platform", because: "a crash while keys are read has to be reported")),
        RegistrationRule("core-keys", isRequired: true, .after("client-keys", because: "core finds its service by the client's keys")),
        RegistrationRule(
            "screen-configuration",
            isRequired: true,
            .after("core-keys", because: "screens are looked up by the core's keys")
        ),
        RegistrationRule("ui-configuration", isRequired: true, .after("client-keys", because: "the theme is the client's")),
        RegistrationRule("analytics", isRequired: true, .after("core-keys", because: "events are sent with the core's keys")),
        RegistrationRule("module-setup", .after("ui-configuration", because: "modules copy the theme when they are set up")),
        RegistrationRule(
            "configuration",
            isRequired: true,
            .after("module-setup", because: "modules that are set up later do not become part of it")
        ),
        RegistrationRule("delegates", .after("configuration", because: "they are handed to objects that it makes")),
        RegistrationRule("third-party", .after("configuration", because: "some need the person's identifier")),
        RegistrationRule("image-codec", isRequired: true),
        RegistrationRule("coordinator", .after("image-codec", because: "its first screen shows images, which stay empty without a codec")),
        RegistrationRule("observers", .after("coordinator", because: "they live as long as the app, and tell the coordinator")),
    ]
}

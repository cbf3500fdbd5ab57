/// The sample service's accounts. Passwords are kept as they are: they are samples, and nobody should bring their own.
struct SampleAccounts: Codable {
    struct Account: Codable {
        let id: String
        let name: String
        let email: String?
        let password: String?
        var isVerified: Bool
        var entitlements: [String] = []
    }

    private var accounts: [String: Account] = [:]
    private var guests: [String: String] = [:]
    private var count = 0

    init() {
        create("person@example.com", password: "correct horse", isVerified: true, entitlements: ["premium"])
        create("new@example.com", password: "correct horse")
    }

    subscript(id: String) -> Account? { accounts[id] }

    /// A new account; nil when there is one with this address.
    @discardableResult
    mutating func create(_ email: String, password: String, isVerified: Bool = false, entitlements: [String] = []) -> Account? {
        if find(email) != nil { return nil }
        count += 1
        let account = Account(
            id: "user-\(count)",
            name: String(email.prefix { $0 != "@" }),
            email: email,
            password: password,
            isVerified: isVerified,
            entitlements: entitlements
        )
        accounts[account.id] = account
        return account
    }

    /// The account of someone who did not say who they are: the same one each time for the same device.
    mutating func guest(device: String) -> Account {
        if let id = guests[device], let account = accounts[id] { return account }
        let account = Account(id: "guest-\(guests.count + 1)", name: "Guest", email: nil, password: nil, isVerified: false)
        guests[device] = account.id
        accounts[account.id] = account
        return account
    }

    /// The account that this address and this password open.
    func open(_ email: String, password: String) -> Account? {
        find(email).flatMap { $0.password == password ? $0 : nil }
    }

    /// Marks an account as verified; false when there is none.
    mutating func verify(_ email: String) -> Bool {
        guard let id = find(email)?.id else { return false }
        accounts[id]?.isVerified = true
        return true
    }

    private func find(_ email: String) -> Account? {
        accounts.values.first { $0.email?.lowercased() == email.lowercased() }
    }
}

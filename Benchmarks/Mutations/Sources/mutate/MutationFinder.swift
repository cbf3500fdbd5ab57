import SwiftSyntax

/// Finds what can be changed in one file.
///
/// Every mutation only adds text around what is there, so that those within it keep their place: `a < b` becomes `(# ? a <= b : (a < b))`. Only one
/// switch is on at a time, so the changed text needs none of the switches of what it repeats. A mutation of several places adds text around each.
final class MutationFinder: SyntaxVisitor {
    private(set) var mutations: [Mutation] = []
    private let file: String
    private let locations: SourceLocationConverter

    init(file: String, tree: some SyntaxProtocol) {
        self.file = file
        locations = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    private func add(_ kind: Mutation.Kind, _ node: some SyntaxProtocol, _ mutated: String, before prefix: String, after suffix: String) {
        add(kind, at: node, node.trimmedDescription, mutated, [edit(node, before: prefix, after: suffix)])
    }

    private func edit(_ node: some SyntaxProtocol, before prefix: String, after suffix: String) -> Mutation.Edit {
        let range = node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
        return Mutation.Edit(range: range, prefix: prefix, suffix: suffix)
    }

    private func add(_ kind: Mutation.Kind, at node: some SyntaxProtocol, _ original: String, _ mutated: String, _ edits: [Mutation.Edit]) {
        // Lines have to keep their numbers, for the compiler's messages.
        guard edits.allSatisfy({ !$0.prefix.contains("\n") && !$0.suffix.contains("\n") }) else { return }
        let line = locations.location(for: node.positionAfterSkippingLeadingTrivia).line
        mutations.append(Mutation(file: file, line: line, kind: kind, original: original, mutated: mutated, edits: edits))
    }

    /// The expression, or another one in its place.
    private func choose(_ kind: Mutation.Kind, _ node: some ExprSyntaxProtocol, _ mutated: String) {
        add(kind, node, mutated, before: "(# ? \(mutated) : (", after: "))")
    }

    private func negate(_ condition: ExprSyntax) {
        // What can be compared is turned round there.
        if let infix = condition.as(InfixOperatorExprSyntax.self), infix.token == "==" || infix.token == "!=" { return }
        add(.condition, condition, "!(\(condition.trimmedDescription))", before: "((", after: ") != #)")
    }

    // MARK: Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negate(condition) }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    // MARK: Operators

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let token = node.token else { return .visitChildren }
        let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
        let others = [
            "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+",
            "&": "|", "|": "&", "<<": ">>", ">>": "<<",
        ]
        switch token {
        case "..<", "...":
            let bound = node.rightOperand
            add(.bound, bound, "\(right) - 1", before: "((", after: ") - (# ? 1 : 0))")
        case "+=", "-=":
            let other = token == "+=" ? "-=" : "+="
            guard node.isStatement else { break }
            add(.arithmetic, node, "\(left) \(other) \(right)", before: "if # { \(left) \(other) \(right) } else { ", after: " }")
        default:
            guard let other = others[token] else { break }
            let kind: Mutation.Kind =
                switch token {
                case "<", "<=", ">", ">=", "==", "!=": .comparison
                case "&&", "||": .logic
                default: .arithmetic
                }
            choose(kind, node, "\(left) \(other) \(right)")
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        // A message that nobody sees, and what must not return.
        let callee = node.calledExpression.trimmedDescription
        if callee.hasSuffix("preconditionFailure") || callee.hasSuffix("precondition") || callee.hasSuffix("fatalError") {
            return .skipChildren
        }
        let name = node.calledExpression.as(DeclReferenceExprSyntax.self) ?? node.calledExpression.as(MemberAccessExprSyntax.self)?.declName
        if let name, let other = ["min": "max", "max": "min"][name.baseName.text] {
            let (whole, place) = (Array(node.trimmedDescription.utf8), node.positionAfterSkippingLeadingTrivia.utf8Offset)
            let start = name.baseName.positionAfterSkippingLeadingTrivia.utf8Offset - place
            let mutated = whole[..<start] + Array(other.utf8) + whole[(start + name.baseName.text.utf8.count)...]
            choose(.arithmetic, node, String(decoding: mutated, as: UTF8.self))
        }
        return .visitChildren
    }

    // MARK: Literals

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = Int(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
        // A default is one among many: one more is seldom seen.
        let (kind, other): (Mutation.Kind, Int) = isDefault(node) ? (.standard, value &* 2 &+ 1) : (.bound, value &+ 1)
        add(kind, node, "\(other)", before: "(# ? \(other) : ", after: ")")
        return .skipChildren
    }

    override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = Double(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
        let (kind, other): (Mutation.Kind, Double) = isDefault(node) ? (.standard, value * 2 + 1) : (.bound, value + 1)
        add(kind, node, "\(other)", before: "(# ? \(other) : ", after: ")")
        return .skipChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let kind: Mutation.Kind = isDefault(node) ? .standard : .truth
        add(kind, node, node.literal.text == "true" ? "false" : "true", before: "(", after: " != #)")
        return .skipChildren
    }

    /// Whether a literal is in the default of a parameter, of a stored property, or in a constant of the file.
    private func isDefault(_ literal: some SyntaxProtocol) -> Bool {
        var place = Syntax(literal)
        while let parent = place.parent {
            if parent.is(ClosureExprSyntax.self) || parent.is(CodeBlockItemSyntax.self) { return false }
            if parent.is(InitializerClauseSyntax.self) {
                guard let owner = parent.parent else { return false }
                if owner.is(FunctionParameterSyntax.self) { return true }
                // The list of bindings, the declaration, and its item: a local variable's is in a block.
                guard owner.is(PatternBindingSyntax.self), let item = owner.parent?.parent?.parent else { return false }
                return item.is(MemberBlockItemSyntax.self) || item.parent?.parent?.is(SourceFileSyntax.self) == true
            }
            place = parent
        }
        return false
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        if let (expression, kind) = effect(of: node) { add(kind, expression, "", before: "if !# { ", after: " }") }
        return .visitChildren
    }

    override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        let items = Array(node)
        for (item, next) in zip(items, items.dropFirst()) {
            guard let (first, kind) = effect(of: item), let (second, nextKind) = effect(of: next) else { continue }
            // Two assignments seldom depend on their order.
            guard kind == .call || nextKind == .call else { continue }
            let (one, other) = (first.trimmedDescription, second.trimmedDescription)
            // A `#` would be taken for the switch.
            guard one != other, !one.contains("#"), !other.contains("#") else { continue }
            // Each in the place of the other, so that a statement can change places with the one before it and with the one after it.
            let edits = [
                edit(first, before: "if # { \(other) } else { ", after: " }"), edit(second, before: "if # { \(one) } else { ", after: " }"),
            ]
            add(.swap, at: first, "\(one); \(other)", "\(other); \(one)", edits)
        }
        return .visitChildren
    }

    /// A statement that is a call or an assignment, and which of the two it is; nil for any other.
    private func effect(of item: CodeBlockItemSyntax) -> (expression: ExprSyntax, kind: Mutation.Kind)? {
        guard case .expr(let expression) = item.item, !isValue(item) else { return nil }
        var inner = expression
        while true {
            if let attempt = inner.as(TryExprSyntax.self) {
                inner = attempt.expression
            } else if let suspension = inner.as(AwaitExprSyntax.self) {
                inner = suspension.expression
            } else {
                break
            }
        }
        if let infix = inner.as(InfixOperatorExprSyntax.self), infix.operator.is(AssignmentExprSyntax.self) {
            return (expression, infix.leftOperand.is(DiscardAssignmentExprSyntax.self) ? .call : .assignment)
        }
        guard inner.is(FunctionCallExprSyntax.self) || inner.is(OptionalChainingExprSyntax.self) else { return nil }
        let text = inner.trimmedDescription
        let leaves = ["super.init", "self.init", "preconditionFailure", "precondition", "fatalError"]
        return leaves.contains(where: text.hasPrefix) ? nil : (expression, .call)
    }

    /// Whether a statement is a value that is returned without the word.
    private func isValue(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let block = list.parent else { return false }
        if let function = block.parent?.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        // Whether a closure returns something, its text does not tell; where `any Sendable` is wanted, the nothing of a call that was left out would do.
        if block.is(ClosureExprSyntax.self), case .expr(let expression) = item.item, expression.is(TryExprSyntax.self) { return true }
        if let accessors = block.as(AccessorBlockSyntax.self) { return accessors.parent != nil }
        if let accessor = block.parent?.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
        return false
    }

    // MARK: What is left as it is

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        #if canImport(ObjectiveC)
            let compiled = ["canImport(ObjectiveC)", "canImport(Darwin)"]
        #else
            let compiled = ["!canImport(ObjectiveC)", "!canImport(Darwin)", "os(Linux)"]
        #endif
        return compiled.contains(node.condition?.trimmedDescription ?? "") ? .visitChildren : .skipChildren
    }
}

extension InfixOperatorExprSyntax {
    fileprivate var token: String? { self.operator.as(BinaryOperatorExprSyntax.self)?.operator.text }

    fileprivate var isStatement: Bool { parent?.is(CodeBlockItemSyntax.self) == true }
}

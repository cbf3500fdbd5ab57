import Foundation
import UIKit

/// A screen that is a column of views: what all of the launch's screens are.
class StackViewController: UIViewController {
    private let views: [UIView]

    init(_ views: [UIView]) {
        self.views = views
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        let stack = UIStackView(arrangedSubviews: views)
        stack.axis = .vertical
        stack.spacing = 16
        stack.translatesAutoresizingMaskIntoConstraints = false
        view.addSubview(stack)
        NSLayoutConstraint.activate([
            stack.leadingAnchor.constraint(equalTo: view.layoutMarginsGuide.leadingAnchor),
            stack.trailingAnchor.constraint(equalTo: view.layoutMarginsGuide.trailingAnchor),
            stack.centerYAnchor.constraint(equalTo: view.layoutMarginsGuide.centerYAnchor),
        ])
    }

    static func label(_ text: String?) -> UILabel {
        let label = UILabel()
        label.text = text
        label.numberOfLines = 0
        label.isHidden = text == nil
        return label
    }

    static func field(_ placeholder: String, isSecret: Bool = false) -> UITextField {
        let field = UITextField()
        field.placeholder = placeholder
        field.isSecureTextEntry = isSecret
        field.borderStyle = .roundedRect
        return field
    }

    static func button(_ title: String, _ press: @escaping @MainActor () -> Void) -> UIButton {
        UIButton(configuration: .filled(), primaryAction: UIAction(title: title) { _ in press() })
    }
}

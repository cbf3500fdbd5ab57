import SwiftUI
import UIKit

/// Where the process begins: the same app with either set of screens.
///
/// Its screens are SwiftUI's, unless a debug build is started with `-startup-uikit`. An app has one of the two: leave out the folder of the other.
@main @MainActor
enum Main {
    static func main() {
        if AppDelegate.usesUIKit { AppDelegate.main() } else { SwiftUIApp.main() }
    }
}

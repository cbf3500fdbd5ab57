// What an app hands to StartupOps, for code that shows what becomes of it.
let app = given(AppInfo.self)
let services = given(StartupServices.self)
let presenters = given(StartupPresenters.self)

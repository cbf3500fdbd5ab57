// A launch that has run, for code that reads its report.
let report = given(LaunchReport.self)

import Foundation

extension StorageError {
    /// What a system call that failed on `path` means. To be made before anything else can change `errno`.
    init(_ call: String, _ path: String, errno number: Int32 = errno) {
        let code: Code =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case EPERM: Self.notPermitted
            case EACCES, EROFS: .accessDenied
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, ENXIO: .invalidPlace
            default: .inputOutput
            }
        let text = String(cString: strerror(number))
        self.init(code, path, "\(call) failed: \(text) (errno \(number))\(Self.advice(number))", systemError: number)
    }

    /// On phones this is what protected files answer before the first unlock.
    private static var notPermitted: Code {
        #if canImport(Darwin)
            .locked
        #else
            .accessDenied
        #endif
    }

    private static func advice(_ number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT: "; make room, what was stored before is unchanged"
        case EFBIG: "; raise the limit of file sizes, what was stored before is unchanged"
        case EROFS: "; choose a place that can be written to"
        case ELOOP: "; a symbolic link is not followed here, put the file itself in its place"
        default: ""
        }
    }
}

#if canImport(FoundationNetworking)
    import Foundation

    /// The functions of libcurl that a transport needs, as they are in this process: Foundation's `URLSession` is
    /// linked against it.
    ///
    /// Nothing is loaded, so a program that is linked statically has none: a second C library would come with it. A
    /// handle belongs to one thread, but for `multiWakeup`.
    struct LibCurl: Sendable {
        typealias Handle = UnsafeMutableRawPointer
        typealias Number = UnsafeMutablePointer<CInt>
        /// Takes `size * count` bytes, and says how many it took; less than all ends the transfer.
        typealias Callback = @convention(c) (_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: Handle?) -> Int

        let easyInit: @convention(c) @Sendable () -> Handle? = function("curl_easy_init")
        let easyCleanup: @convention(c) @Sendable (Handle) -> Void = function("curl_easy_cleanup")
        let setNumber: @convention(c) @Sendable (Handle, CInt, CLong) -> CInt = function("curl_easy_setopt")
        let setPointer: @convention(c) @Sendable (Handle, CInt, UnsafeRawPointer?) -> CInt = function("curl_easy_setopt")
        let getNumber: @convention(c) @Sendable (Handle, CInt, UnsafeMutablePointer<CLong>) -> CInt = function("curl_easy_getinfo")
        let listAppend: @convention(c) @Sendable (Handle?, UnsafePointer<CChar>) -> Handle? = function("curl_slist_append")
        let listFree: @convention(c) @Sendable (Handle?) -> Void = function("curl_slist_free_all")
        let multiInit: @convention(c) @Sendable () -> Handle? = function("curl_multi_init")
        let multiCleanup: @convention(c) @Sendable (Handle) -> CInt = function("curl_multi_cleanup")
        let multiAdd: @convention(c) @Sendable (Handle, Handle) -> CInt = function("curl_multi_add_handle")
        let multiRemove: @convention(c) @Sendable (Handle, Handle) -> CInt = function("curl_multi_remove_handle")
        let multiPerform: @convention(c) @Sendable (Handle, Number) -> CInt = function("curl_multi_perform")
        let multiPoll: @convention(c) @Sendable (Handle, Handle?, CUnsignedInt, CInt, Number?) -> CInt = function("curl_multi_poll")
        let multiWakeup: @convention(c) @Sendable (Handle) -> CInt = function("curl_multi_wakeup")
        let multiInfoRead: @convention(c) @Sendable (Handle, Number) -> UnsafeRawPointer? = function("curl_multi_info_read")

        /// Nil without libcurl in this process, or with one from before 7.68 (2020), which cannot be woken.
        static let system: LibCurl? = {
            // The youngest of the functions: a libcurl that has it has all of them.
            guard library != nil, dlsym(library, "curl_multi_wakeup") != nil else { return nil }
            let globalInit: @convention(c) (CLong) -> CInt = function("curl_global_init")
            // 3 is everything.
            return globalInit(3) == 0 ? LibCurl() : nil
        }()

        // Calls the functions with a variable argument (setopt, getinfo) as if they had none. This is right where both
        // are passed in the same registers, as integers and pointers are under Linux on these processors. Elsewhere
        // libcurl is not used.
        #if os(Linux) && (arch(x86_64) || arch(arm64))
            // A handle of the loader; it never changes.
            nonisolated(unsafe) private static let library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD)
        #else
            nonisolated(unsafe) private static let library: Handle? = nil
        #endif

        /// The type is that of the property it is assigned to.
        private static func function<Function>(_ name: String) -> Function { unsafeBitCast(dlsym(library, name), to: Function.self) }
    }
#endif

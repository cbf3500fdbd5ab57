/// Keeps a processor busy for `duration` nanoseconds by the clock.
///
/// By the clock and not by a number of steps: on a machine that others use as well, the same steps take longer at times, which would
/// be counted against whoever ran them.
@inline(never)
func spin(_ duration: UInt64) {
    let end = now() + duration
    while now() < end {}
}

// Preloaded into every process of a local cluster: stops the process gracefully when its parent exits or is killed.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
// The channel must not keep the process alive.
process.channel?.unref()

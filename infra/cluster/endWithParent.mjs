// Preloaded into every process of a local cluster: when whoever started it is gone, killed or not, it stops in good order.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
// The channel alone keeps nobody alive.
process.channel?.unref()

// The process that reports results as probes do: see runners.bench.ts.
import { startBundled } from "../../../infra/bundle.mjs"

/** Resolves once it can be told what to report. */
export const startReporter = async (args) => {
  const { child, ended } = await startBundled("test/bench/runners.bench.ts", args)
  const said = (word) =>
    new Promise((resolve) => {
      const listen = (message) => {
        if (message !== word) return
        child.off("message", listen)
        resolve()
      }
      child.on("message", listen)
    })
  await said("ready")
  return {
    pid: child.pid,
    pace: (count) => child.send(`pace ${count}`),
    burst: (count) => {
      const sent = said("sent")
      child.send(String(count))
      return sent
    },
    stop: () => {
      child.kill("SIGKILL")
      return ended
    }
  }
}

// One process of a local cluster: started, watched, started again when it dies, stopped.
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const endWithParent = join(dirname(fileURLToPath(import.meta.url)), "endWithParent.mjs")

const readyWithinMs = 90_000
const stopWithinMs = 20_000
/** From 1 s, doubling; back at 1 s once a life has lasted `soundMs`. */
const backoff = { firstMs: 1000, longestMs: 30_000, soundMs: 60_000 }

/**
 * A Node program with its arguments and environment. `isReady` is asked until it says true and hears of every line the
 * program writes; `tell` takes what there is to say, line by line. With `supervised`, a process that ends without being
 * told to is started again.
 */
export const makeMember = ({ name, program, args, env, isReady, tell, supervised }) => {
  let child = null
  let exited = Promise.resolve()
  let wanted = false
  let pauseMs = backoff.firstMs
  let lines = []
  /** How its last life ended without being told to. */
  let died = null

  const launch = () => {
    const startedAt = performance.now()
    lines = []
    // A process group of its own: Ctrl-C reaches the cluster alone, which then stops its members in order.
    const started = spawn(process.execPath, ["--import", endWithParent, program, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true
    })
    child = started
    for (const stream of [started.stdout, started.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line)
        if (lines.length > 200) lines.shift()
        tell(line)
      })
    }
    exited = new Promise((resolve) => {
      const ended = (how) => {
        if (child !== started) return
        child = null
        resolve()
        if (!wanted) return
        died = how
        if (!supervised) return tell(`ended (${how})`)
        if (performance.now() - startedAt > backoff.soundMs) pauseMs = backoff.firstMs
        tell(`ended (${how}); starting it again in ${pauseMs / 1000} s`)
        setTimeout(() => wanted && child === null && launch(), pauseMs).unref()
        pauseMs = Math.min(pauseMs * 2, backoff.longestMs)
      }
      started.once("error", (error) => ended(error.message))
      started.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`))
    })
  }

  /** Until it is ready; fails when it ends first, or takes too long. */
  const becomeReady = async () => {
    const since = performance.now()
    for (;;) {
      const ready = await isReady(lines)
      if (!wanted) throw new Error(`${name} was stopped while starting`)
      if (died !== null && !supervised) throw new Error(`${name} ended (${died}) while starting:\n${lines.slice(-20).join("\n")}`)
      if (ready && child !== null) return
      if (performance.now() - since > readyWithinMs) throw new Error(`${name} was not ready within ${readyWithinMs / 1000} s`)
      await pause(50)
    }
  }

  const start = async () => {
    wanted = true
    died = null
    if (child === null) launch()
    await becomeReady()
  }

  /** SIGTERM, and SIGKILL after 20 s. */
  const stop = async () => {
    wanted = false
    const ended = exited
    if (child === null) return
    child.kill("SIGTERM")
    await Promise.race([ended, pause(stopWithinMs, undefined, { ref: false })])
    if (child === null) return
    tell(`did not stop within ${stopWithinMs / 1000} s: killing it`)
    child.kill("SIGKILL")
    await ended
  }

  /** SIGKILL. A supervised process comes back by itself. */
  const kill = async () => {
    const ended = exited
    child?.kill("SIGKILL")
    await ended
  }

  return {
    name,
    get pid() {
      return child?.pid ?? null
    },
    start,
    stop,
    kill,
    signal: (signal) => child?.kill(signal) ?? false
  }
}

// Starts, supervises, restarts and stops one process of a local cluster.
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { nodeEnvironment, nodeFlags } from "../runtime.mjs"

const endWithParent = join(dirname(fileURLToPath(import.meta.url)), "endWithParent.mjs")

const readyWithinMs = 90_000
const stopWithinMs = 20_000
/** Starts at 1 s and doubles; resets to 1 s after a run of `stableMs`. */
const backoff = { firstMs: 1000, longestMs: 30_000, stableMs: 60_000 }

/**
 * A Node program, asked for at each start, with its arguments and environment; `command` goes before it. `isReady` receives the latest lines
 * of output and is polled until it returns true. `tell` receives each line of output and each status message. With `supervised`, a process
 * that exits unexpectedly is restarted.
 */
export const makeMember = ({ name, command = [], program, args, env, isReady, tell, supervised }) => {
  let child = null
  let exited = Promise.resolve()
  let wanted = false
  let pauseMs = backoff.firstMs
  let lines = []
  /** The exit code or signal of the last unexpected exit, and of the last exit. */
  let died = null
  let lastExit = null

  const launch = () => {
    const startedAt = performance.now()
    lines = []
    // Its own process group: Ctrl-C reaches only the cluster, which then stops its members in order.
    const [executable, ...words] = [...command, process.execPath, ...nodeFlags, "--import", endWithParent, program(), ...args]
    const started = spawn(executable, words, {
      env: { ...nodeEnvironment, ...process.env, ...env },
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
        lastExit = how
        resolve()
        if (!wanted) return
        died = how
        if (!supervised) return tell(`exited (${how})`)
        if (performance.now() - startedAt > backoff.stableMs) pauseMs = backoff.firstMs
        tell(`exited (${how}); restarting in ${pauseMs / 1000} s`)
        setTimeout(() => wanted && child === null && launch(), pauseMs).unref()
        pauseMs = Math.min(pauseMs * 2, backoff.longestMs)
      }
      started.once("error", (error) => ended(error.message))
      started.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`))
    })
  }

  /** Waits until the process is ready; fails when it exits first or takes too long. */
  const becomeReady = async () => {
    const since = performance.now()
    for (;;) {
      const ready = await isReady(lines)
      if (!wanted) throw new Error(`${name} was stopped while starting`)
      if (died !== null && !supervised) {
        throw new Error(`${name} exited (${died}) while starting:\n${lines.slice(-20).join("\n")}`)
      }
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

  /** Sends SIGTERM, then SIGKILL after 20 s. */
  const stop = async () => {
    wanted = false
    const ended = exited
    if (child === null) return
    child.kill("SIGTERM")
    await Promise.race([ended, pause(stopWithinMs, undefined, { ref: false })])
    if (child === null) return
    tell(`did not stop within ${stopWithinMs / 1000} s; killing it`)
    child.kill("SIGKILL")
    await ended
  }

  /** Sends SIGKILL. A supervised process restarts afterwards. */
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
    get lastExit() {
      return lastExit
    },
    start,
    stop,
    kill,
    signal: (signal) => child?.kill(signal) ?? false
  }
}

// Starts the program and its targets as processes, and reads what they cost from /proc.
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { nodeEnvironment, nodeFlags } from "../../../infra/runtime.mjs"

const here = dirname(fileURLToPath(import.meta.url))
export const program = join(here, "../../../dist/belltower.js")

/** A port that was free a moment ago. */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/**
 * A target that answers 200; ends with this process. `/flip/<name>` answers 200 and 503 by turns. With `0.0.0.0` it is at every
 * loopback address: connections to one address run out of ports after about 28,000 a minute. Port 0 is any free one.
 */
export const startTarget = async (host = "127.0.0.1", wanted = 0) => {
  const child = spawn(process.execPath, [join(here, "target.mjs"), host, String(wanted)], {
    stdio: ["ignore", "pipe", "inherit", "ipc"]
  })
  const port = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(Number(text))))
  return { url: `http://127.0.0.1:${port}/`, port, stop: () => child.kill("SIGKILL") }
}

/** A bare node:http loop in a process of its own: `perSecond` requests, or with 0 as many as it can. */
export const startBareLoop = (url, perSecond) => {
  const child = spawn(process.execPath, [join(here, "bareLoop.mjs"), url, String(perSecond)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  /** Its work and use of the machine since it began. */
  const reading = () =>
    new Promise((resolve) => {
      child.once("message", resolve)
      child.send("read")
    })
  return { reading, stop: () => child.kill("SIGKILL") }
}

/** ms of CPU per request of a bare loop between two readings. */
export const bareMsBetween = (before, after) => (after.cpuMs - before.cpuMs) / (after.requests - before.requests)

/** All targets are at one host, and all monitors in one workspace that nobody has claimed. */
const noLimits = {
  BELLTOWER_PROBE_HOST_RATE: "0",
  BELLTOWER_PROBE_WORKSPACE_PERCENT: "100",
  BELLTOWER_CAPS: "unclaimed.monitors=1000000,unclaimed.components=500"
}

/** Processes that still run when a bench fails end with it. */
const running = new Set()
process.once("exit", () => running.forEach((child) => child.kill("SIGINT")))

/** The program with settings of its own; resolves when `path` answers that it is ready. */
export const startProgram = async (environment, role = "all", path = "/readyz") => {
  const port = await freePort()
  const startedAt = performance.now()
  const flags = process.env.BENCH_NODE_FLAGS?.split(" ") ?? []
  const child = spawn(process.execPath, [...nodeFlags, ...flags, process.env.BENCH_PROGRAM ?? program, role], {
    env: {
      ...nodeEnvironment,
      ...process.env,
      PORT: String(port),
      BELLTOWER_HOST: "127.0.0.1",
      BELLTOWER_LOG_LEVEL: "warning",
      ...noLimits,
      ...environment
    },
    stdio: ["ignore", process.env.BENCH_OUTPUT === undefined ? "ignore" : "inherit", "inherit"]
  })
  running.add(child)
  child.once("exit", () => running.delete(child))
  const baseUrl = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}`)
    const ready = await fetch(`${baseUrl}${path}`).then((response) => response.ok, () => false)
    if (ready) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const readyMs = performance.now() - startedAt
  const stop = (signal = "SIGINT") => {
    const from = performance.now()
    return new Promise((resolve) => {
      child.once("exit", () => resolve(performance.now() - from))
      child.kill(signal)
    })
  }
  return { pid: child.pid, baseUrl, readyMs, stop }
}

const statOf = (pid) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return null
  }
}

/** The process and all its descendants. */
export const family = (root) => {
  const parents = new Map()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(name)
    if (stat !== null) parents.set(Number(name), Number(stat[1]))
  }
  const members = [root]
  for (let i = 0; i < members.length; i++) {
    for (const [pid, parent] of parents) if (parent === members[i]) members.push(pid)
  }
  return members
}

const tickMs = 10

/** CPU time in ms: of the process itself, and of its descendants (those that ended included). */
export const cpu = (root) => {
  const own = statOf(root)
  const ownMs = own === null ? 0 : (Number(own[11]) + Number(own[12])) * tickMs
  const others = family(root).slice(1).reduce((sum, pid) => {
    const stat = statOf(pid)
    return stat === null ? sum : sum + (Number(stat[11]) + Number(stat[12]) + Number(stat[13]) + Number(stat[14])) * tickMs
  }, 0)
  return { ownMs, othersMs: others }
}

/** Resident memory in MB: of the process itself, and the share of its descendants that is theirs alone. */
export const memory = (root) => {
  const rssOf = (pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
      return Number(/^Pss:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }
  const [own = 0, ...others] = family(root).map(rssOf)
  return { ownMb: own, othersMb: others.reduce((sum, mb) => sum + mb, 0) }
}

/** Calls `work` for each item, at most `width` at a time. */
export const eachOf = async (items, width, work) => {
  const rest = items[Symbol.iterator]()
  await Promise.all(Array.from({ length: width }, async () => {
    for (const item of rest) await work(item)
  }))
}

/** A workspace and a way to call the interface in it. */
export const bootstrap = async (baseUrl) => {
  const json = { "content-type": "application/json" }
  const made = await fetch(`${baseUrl}/api/v1/agent/bootstrap`, {
    method: "POST",
    headers: json,
    body: "{\"agentName\":\"bench\"}"
  })
  const { apiKey } = await made.json()
  const headers = { ...json, authorization: `Bearer ${apiKey}` }
  const call = async (method, path, body) => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return { apiKey, call }
}

/** The value of a metric, summed over its labels. */
export const metric = async (baseUrl, name) => {
  const text = await fetch(`${baseUrl}/metrics`).then((response) => response.text())
  return text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0)
}

/** The cumulative buckets of a histogram, summed over its labels: upper bound and count. */
export const buckets = async (baseUrl, name) => {
  const text = await fetch(`${baseUrl}/metrics`).then((response) => response.text())
  const counts = new Map()
  for (const line of text.split("\n").filter((line) => line.startsWith(`${name}_bucket{`))) {
    const bound = /le="([^"]+)"/.exec(line)[1]
    const count = Number(line.slice(line.lastIndexOf(" ") + 1))
    counts.set(bound, (counts.get(bound) ?? 0) + count)
  }
  return [...counts].map(([bound, count]) => ({ bound: bound === "+Inf" ? Infinity : Number(bound), count }))
}

/** A share of a histogram, taken as even within its bucket. */
export const quantile = (of, share) => {
  const wanted = of[of.length - 1].count * share
  const index = of.findIndex(({ count }) => count >= wanted)
  const { bound, count } = of[index]
  const below = index === 0 ? { bound: 0, count: 0 } : of[index - 1]
  return bound === Infinity ? Infinity : below.bound + (bound - below.bound) * ((wanted - below.count) / (count - below.count))
}

/** Resolves once `fits` holds of what `read` gives. */
export const until = async (read, fits, limitMs = 120_000) => {
  for (const from = performance.now();;) {
    const value = await read()
    if (fits(value)) return value
    if (performance.now() - from > limitMs) throw new Error(`Waited ${limitMs} ms in vain; the last value was ${value}`)
    await sleep(200)
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// The setting of a run: a cluster with three brokers, sites that fail on demand, jobs that ping, and a receiver of alerts.
import { fork, spawn } from "node:child_process"
import { appendFileSync, chmodSync, mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { startCluster } from "../cluster.mjs"
import { startLine } from "./line.mjs"
import { badNetwork, linkProblem, startLink } from "./link.mjs"
import { thaw } from "./processes.mjs"

const root = join(import.meta.dirname, "../..")
const sitesProgram = join(import.meta.dirname, "sites.mjs")
const clockHook = join(import.meta.dirname, "wrongClock.mjs")

/** The clocks of these probes are wrong for the whole run, ms: ten minutes, and no multiple of an interval. */
const skews = { "eu-2": -604_000, "us-1": 607_000 }
const probesOf = { eu: 2, us: 1, far: 1 }
export const regions = Object.keys(probesOf)

/** `command` goes before the command. `answers()` gives the number of answers of each path. */
export const startSites = async (port, command) => {
  const options = { stdio: ["ignore", "inherit", "inherit", "ipc"] }
  const words = [...command, process.execPath, sitesProgram, String(port)]
  const child = command.length === 0 ? fork(sitesProgram, [String(port)], options) : spawn(words[0], words.slice(1), options)
  const said = () => new Promise((resolve) => child.once("message", resolve))
  const answers = async () => {
    const answer = said()
    child.send(null)
    return (await answer).answers
  }
  return { ...await said(), answers, send: (change) => child.send(change), stop: () => child.kill("SIGKILL") }
}

/** Receives webhooks; `heard(payload, at)` gets each. */
export const startReceiver = (heard) => {
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (piece) => void (text += piece))
    request.on("end", () => {
      heard(JSON.parse(text), Date.now())
      response.writeHead(200).end()
    })
  })
  return new Promise((resolve) =>
    server.listen(
      0,
      "127.0.0.1",
      () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() })
    )
  )
}

/** A call of the interface; retried while the api is away. */
const makeCall = (baseUrl, headers = {}) => async (method, path, body) => {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(10_000)
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const newWorkspace = async (baseUrl) => {
  const { apiKey } = await makeCall(baseUrl)("POST", "/agent/bootstrap", { agentName: "chaos" })
  return makeCall(baseUrl, { authorization: `Bearer ${apiKey}` })
}

/** Waits until the condition holds. */
export const until = async (what, holds, withinMs) => {
  for (const from = performance.now(); !(await holds()); await pause(100)) {
    if (performance.now() - from > withinMs) throw new Error(`${what}: not within ${Math.round(withinMs / 1000)} s`)
  }
}

const makeLink = async (seed, tell) => {
  const problem = linkProblem()
  if (problem !== null) {
    console.warn(`WARNING: no region is behind a bad network. ${problem}`)
    return null
  }
  const link = await startLink(seed)
  link.set(badNetwork)
  tell("chaos", `the region far is behind ${2 * badNetwork.delayMs} ms and ${badNetwork.lossPercent} % of loss`)
  return link
}

/** `heard` gets each webhook. The processes' output goes to the file `log` of the folder, which is emptied first. */
export const startStage = async ({ folder, seed, heard }) => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // Lets the database's user enter when this runs as root.
  chmodSync(folder, 0o755)
  const began = Date.now()
  const exits = []
  const tell = (name, line) => {
    appendFileSync(join(folder, "log"), `${((Date.now() - began) / 1000).toFixed(1).padStart(7)} ${name.padEnd(9)}| ${line}\n`)
    // Nobody has killed it.
    if (line.startsWith("exited (") && !line.includes("SIGKILL")) exits.push(`${name} ${line}`)
  }
  const closing = []
  const stop = async () => {
    for (const close of closing.reverse()) await close()
  }
  try {
    const link = await makeLink(seed, tell)
    if (link !== null) closing.push(link.stop)
    const host = link?.here ?? "127.0.0.1"
    const lines = []
    const cluster = await startCluster({
      folder: join(folder, "data"),
      host,
      brokers: 3,
      runners: 2,
      regions: probesOf,
      // As operators run it: a process that gives itself up is started again.
      supervised: true,
      env: {
        BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8,10.213.0.0/16",
        // A caller at an address of this machine is no stranger here.
        BELLTOWER_REGISTRATION: "open",
        BELLTOWER_PROBE_HOST_RATE: "0"
      },
      probeEnv: (region, number) => {
        const skew = skews[`${region}-${number}`]
        return {
          ...(skew === undefined ? {} : { NODE_OPTIONS: `--import ${clockHook}`, CLOCK_SKEW_MS: String(skew) }),
          ...(region === "far" && link !== null ? { BELLTOWER_HOST: link.there } : {})
        }
      },
      probeCommand: (region) => region === "far" && link !== null ? link.command : [],
      through: {
        kafka: async (port) => {
          const line = await startLine(host, port)
          lines.push(line)
          closing.push(line.stop)
          return line.port
        }
      },
      tell
    })
    const probes = regions.flatMap((region) => cluster.probes[region])
    closing.push(() => {
      for (const member of [cluster.api, cluster.database, ...cluster.brokers, ...cluster.runners, ...probes]) thaw(member)
      return cluster.stop()
    })
    const here = await startSites(0, [])
    closing.push(here.stop)
    const there = link === null ? null : await startSites(here.port, link.command)
    if (there !== null) closing.push(there.stop)
    const receiver = await startReceiver(heard)
    closing.push(receiver.stop)
    const call = await newWorkspace(cluster.baseUrl)
    await call("POST", "/channels", { name: "hook", type: "webhook", url: receiver.url, events: ["monitor.down", "monitor.up"] })
    return {
      addresses: lines.map(({ port }) => `${host}:${port}`),
      call,
      cluster,
      exits,
      lines,
      link,
      probes,
      regions,
      stop,
      tell,
      /** How often each site has answered, in all regions. */
      answers: async () => {
        const sums = new Map()
        for (const [path, count] of [...await here.answers(), ...await there?.answers() ?? []]) {
          sums.set(path.slice(1), (sums.get(path.slice(1)) ?? 0) + count)
        }
        return sums
      },
      siteUrl: (site) => `http://127.0.0.1:${here.port}/${site}`,
      /** Makes a site fail, or work, as seen from all regions. */
      setSite: (site, isDown) => {
        for (const one of [here, there]) one?.send({ site: `/${site}`, isDown })
      },
      /** The same as seen from the region `far` alone; nothing where that has no network of its own. */
      setFarSite: (site, isDown) => there?.send({ site: `/${site}`, isDown })
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export const cleanUp = (folder) => rmSync(join(folder, "data"), { recursive: true, force: true })
export const usualFolder = join(root, ".local/chaos")

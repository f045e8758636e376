// Runs a scaled-out deployment on one machine without Docker: Kafka, PostgreSQL, an api, runners, and probes of several regions.
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { makeMember } from "./cluster/member.mjs"
import { install, newClusterId } from "./kafka/kafka.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const belltower = join(here, "../dist/belltower.js")
const kafkaProgram = join(here, "kafka/kafka.mjs")

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false)).listen(port, "127.0.0.1", () => {
      server.close(() => resolve(true))
    })
  })

/** Below the ephemeral range, so an outgoing connection cannot take the port of a process that is restarting. */
const portRange = { from: 20_000, to: 32_000 }

/** Returns a function that finds free ports, each one only once. */
const makePorts = () => {
  let next = portRange.from + Math.floor(Math.random() * (portRange.to - portRange.from - 1000))
  return async () => {
    while (!(await isFree(next))) next++
    return next++
  }
}

/** The secret that apis and runners seal with, stored next to the data sealed with it. Probes do not get it. */
const secretOf = (folder) => {
  const file = join(folder, "secret")
  try {
    return readFileSync(file, "utf8").trim()
  } catch (error) {
    if (error.code !== "ENOENT") throw error
    const secret = randomBytes(32).toString("base64url")
    writeFileSync(file, `${secret}\n`, { mode: 0o600 })
    return secret
  }
}

/** The members that run Kafka, the addresses at which clients reach them, and the port of the first. */
const makeBrokers = async ({ folder, host, brokers, freePort, through, member }) => {
  const ports = []
  for (let i = 0; i < brokers; i++) ports.push({ port: await freePort(), controller: await freePort() })
  const clusterId = newClusterId()
  const members = []
  const addresses = []
  for (const [index, { port }] of ports.entries()) {
    const clientPort = await (through.kafka?.(port) ?? port)
    const name = brokers === 1 ? "kafka" : `kafka-${index + 1}`
    const quorum = { nodeId: index + 1, clusterId, controllerPorts: ports.map(({ controller }) => controller) }
    const more = { host, controllerPort: ports[index].controller, ...(brokers === 1 ? {} : { quorum }) }
    addresses.push(`${host}:${clientPort}`)
    members.push(member(name, {
      program: () => kafkaProgram,
      args: ["start", String(port), join(folder, name), String(clientPort), JSON.stringify(more)],
      env: {},
      isReady: (lines) => lines.some((line) => line.includes("listening on"))
    }))
  }
  return { members, addresses, port: ports[0].port }
}

/**
 * Starts Kafka with `brokers` brokers, PostgreSQL, one api, `runners` runners and `regions[id]` probes in each region, with their
 * data under `folder`. Resolves when all of them are ready. Kafka and the api are reached at `host`. `env` adds to the environment
 * of all processes, `probeEnv` to that of a region's probes, and `probeCommand` goes before the command of one. `tell(name, line)`
 * receives each line that a process writes. `through` puts a line between the processes and what they connect to: it takes a port,
 * or the URL of the database and the name of a process, and returns those to use instead.
 */
export const startCluster = async ({
  folder,
  host = "127.0.0.1",
  brokers = 1,
  runners = 2,
  regions = { eu: 2, us: 2 },
  port,
  supervised = true,
  env = {},
  probeEnv = () => ({}),
  probeCommand = () => [],
  programOf = () => belltower,
  through = {},
  tell
}) => {
  mkdirSync(folder, { recursive: true })
  const member = (name, options) => makeMember({ name, supervised, tell: (line) => tell(name, line), ...options })

  const freePort = makePorts()
  const kafka = await makeBrokers({ folder, host, brokers, freePort, through, member })

  let databaseUrl = null
  const database = member("database", {
    program: () => belltower,
    args: ["database"],
    env: { BELLTOWER_DATA_DIR: folder, DATABASE_URL: "", KAFKA_BROKERS: "", BELLTOWER_LOG_LEVEL: "warning" },
    isReady: (lines) => {
      databaseUrl = lines.find((line) => line.startsWith("postgresql://")) ?? null
      return databaseUrl !== null
    }
  })

  const stopAll = async (members) => void await Promise.all(members.map((one) => one.stop()))
  const foundations = [...kafka.members, database]
  try {
    await Promise.all(foundations.map((one) => one.start()))
  } catch (error) {
    await stopAll(foundations)
    throw error
  }

  const shared = {
    KAFKA_BROKERS: kafka.addresses.join(","),
    BELLTOWER_HOST: host,
    BELLTOWER_RUNNER_HOST: "127.0.0.1",
    // A trial on one machine, whose operator is its tenant.
    BELLTOWER_ISOLATION: "best",
    // Nothing balances load here.
    BELLTOWER_DRAIN_SEC: "0",
    ...env
  }
  const servers = {
    BELLTOWER_SECRET: secretOf(folder),
    // Monitors that name no region are checked from the first one.
    BELLTOWER_REGION: Object.keys(regions)[0]
  }
  const service = async (name, role, own, command = []) => {
    const at = own.PORT ?? String(await freePort())
    const baseUrl = `http://${own.BELLTOWER_HOST ?? host}:${at}`
    const one = member(name, {
      command,
      program: () => programOf(name),
      args: [role],
      env: { ...shared, PORT: at, ...own },
      isReady: () => fetch(`${baseUrl}/readyz`).then((response) => response.ok, () => false)
    })
    return Object.assign(one, { baseUrl })
  }

  const server = async (name, role, own = {}) => {
    const DATABASE_URL = await (through.database?.(databaseUrl, name) ?? databaseUrl)
    return service(name, role, { ...servers, ...env, DATABASE_URL, ...own })
  }

  const api = await server("api", "api", port === undefined ? {} : { PORT: String(port) })
  const allRunners = []
  for (let i = 1; i <= runners; i++) {
    allRunners.push(await server(`runner-${i}`, "runner", { BELLTOWER_RUNNER_PORT: String(await freePort()) }))
  }

  /** Those of a server, with which the operator's commands run. */
  const settings = () => ({ ...shared, ...servers, ...env, DATABASE_URL: databaseUrl })
  /** The first line that a command of the operator prints. */
  const command = async (...words) => {
    const ownEnv = { ...process.env, ...settings() }
    const { stdout } = await promisify(execFile)(process.execPath, [programOf("command"), ...words], { env: ownEnv })
    return stdout.trim()
  }
  const probes = {}
  const allProbes = []
  /** They enrol at the api, each with a token for one. Those that were enrolled before have their identities. */
  const makeProbes = async () => {
    const wanted = Object.entries(regions).flatMap(([region, count]) =>
      Array.from(
        { length: count },
        (_, index) => ({ region, number: index + 1, dataDir: join(folder, `${region}-${index + 1}`) })
      )
    )
    const tokens = await Promise.all(
      wanted.map(({ dataDir, region }) => existsSync(join(dataDir, "probe.json")) ? "" : command("probe-token", region))
    )
    for (const region of Object.keys(regions)) probes[region] = []
    for (const [index, { dataDir, number, region }] of wanted.entries()) {
      const own = {
        BELLTOWER_DATA_DIR: dataDir,
        BELLTOWER_URL: api.baseUrl,
        BELLTOWER_PROBE_TOKEN: tokens[index],
        // The environment is for the other processes.
        BELLTOWER_SECRET: "",
        BELLTOWER_REGION: "",
        DATABASE_URL: "",
        ...probeEnv(region, number)
      }
      const probe = Object.assign(await service(`${region}-${number}`, "probe", own, probeCommand(region, number)), { dataDir })
      probes[region].push(probe)
      allProbes.push(probe)
    }
  }

  /** Stops the processes that create work first and those that store it last, so that nothing is lost. */
  const stop = async () => {
    await stopAll([api, ...allProbes])
    await stopAll(allRunners)
    await stopAll(foundations)
  }
  try {
    await Promise.all([...allRunners, api].map((one) => one.start()))
    await makeProbes()
    await Promise.all(allProbes.map((one) => one.start()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    baseUrl: api.baseUrl,
    databaseUrl,
    kafkaPort: kafka.port,
    kafka: kafka.members[0],
    brokers: kafka.members,
    database,
    api,
    runners: allRunners,
    probes,
    command,
    settings: settings(),
    stop
  }
}

const usage = `usage: npm run cluster -- [--fresh]

Data is kept under .local/cluster; --fresh deletes it first. PORT is the port of the api (default 8080).`

const colours = [36, 33, 35, 32, 34, 31]

/** Prefixes each line with the name of its process; on a terminal, each name has its own colour. */
const makeTell = () => {
  const names = []
  return (name, line) => {
    if (!names.includes(name)) names.push(name)
    const label = name.padEnd(9)
    const colour = colours[names.indexOf(name) % colours.length]
    console.log(process.stdout.isTTY ? `\x1b[${colour}m${label}\x1b[0m| ${line}` : `${label}| ${line}`)
  }
}

const overview = (cluster, folder) => {
  const health = (one) => `    ${one.name.padEnd(10)} pid ${String(one.pid).padEnd(8)} health at ${one.baseUrl}/readyz`
  return [
    "",
    `  The cluster is ready: the api listens at ${cluster.baseUrl}`,
    "",
    ...[cluster.api, ...cluster.runners, ...Object.values(cluster.probes).flat()].map(health),
    `    kafka      pid ${String(cluster.kafka.pid).padEnd(8)} at 127.0.0.1:${cluster.kafkaPort}`,
    `    database   pid ${String(cluster.database.pid).padEnd(8)} at ${cluster.databaseUrl}`,
    "",
    `  Kill any process to see the others take over; it restarts automatically. Data is in ${folder}. Ctrl-C stops everything.`,
    ""
  ].join("\n")
}

const main = async (args) => {
  if (args.some((word) => word !== "--fresh")) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const folder = join(here, "../.local/cluster")
  if (args.includes("--fresh")) rmSync(folder, { recursive: true, force: true })
  console.log("Looking for Apache Kafka (downloaded from Maven Central the first time)")
  console.log(`Kafka ${(await install()).trim()}`)
  let cluster = null
  let stopping = false
  const stop = () => {
    // During startup, or on a second signal, exit immediately: each member stops itself when this process is gone.
    if (cluster === null || stopping) process.exit(1)
    stopping = true
    console.log("Stopping the cluster")
    void cluster.stop()
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop)
  cluster = await startCluster({ folder, port: Number(process.env.PORT ?? 8080), tell: makeTell() })
  console.log(overview(cluster, folder))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}

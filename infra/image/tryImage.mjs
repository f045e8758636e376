/**
 * Runs the image that infra/image.mjs has built, as its own user and in a network of its own: the role `all` becomes ready and checks a
 * monitor, the health checks of the Dockerfile and the compose file succeed, a probe without brokers lives, api, runner and probe work
 * together on a read-only file system, and SIGTERM ends each in time. The image says what it contains and what it was made of.
 */
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { missing, start as startKafka } from "../kafka/kafka.mjs"
import {
  call,
  config,
  expect,
  healthcheck,
  isGreen,
  originAt,
  root,
  start,
  startOpen,
  stop,
  until,
  volume,
  work
} from "./imageProcess.mjs"

/** The command of a health check; of a shell's, only the form with a list is used here. */
const checkHealth = async (name, [form, ...command]) => {
  expect(form === "CMD" && command.length > 0, `The health check of the ${name} is not a command: ${form}`)
  const check = start(command)
  const code = await check.ended
  expect(code === 0, `The health check of the ${name} ended with ${code}: ${check.output()}`)
}

const tryAll = async () => {
  const target = createServer((_, response) => response.end("fine")).listen(0, "127.0.0.1")
  const began = performance.now()
  const program = start([...config.Entrypoint, "all"], { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })
  await until("Readiness of the role all", program, isGreen("/readyz"))
  const ready = Math.round(performance.now() - began)
  await checkHealth("Dockerfile", config.Healthcheck.Test)
  await checkHealth("compose file", healthcheck.test)
  const { apiKey } = await call("/agent/bootstrap", { body: { agentName: "image" } })
  const url = `http://127.0.0.1:${target.address().port}/`
  const { id } = await call("/monitors", { key: apiKey, body: { name: "Target", url } })
  await until("A check", program, async () => (await call(`/monitors/${id}`, { key: apiKey })).state === "up")
  // An image without the ping program, or where it may not send, would refuse this.
  const ping = await call("/monitors", { key: apiKey, body: { name: "Ping", kind: "ping", host: "127.0.0.1" } })
  await until("A ping", program, async () => (await call(`/monitors/${ping.id}`, { key: apiKey })).state === "up")
  const stopped = await stop("all", program)
  target.close()
  console.log(`The role all was ready after ${ready} ms, checked its monitors, and ended ${stopped} ms after SIGTERM`)
}

const script = { name: "Script", kind: "script", code: "assert(1 + 1 === 2)" }

/**
 * A script monitor where isolation is required: it is checked in isolation, or refused with the reason, and it is known which.
 */
const tryScript = async (place, begin, isIsolated, dataDir) => {
  const program = begin([...config.Entrypoint, "all"], { BELLTOWER_ISOLATION: "required", BELLTOWER_DATA_DIR: dataDir })
  await until(`Readiness of the role all ${place}`, program, isGreen("/readyz"))
  const { apiKey } = await call("/agent/bootstrap", { body: { agentName: "image" } })
  const said = isIsolated ? "Helper processes for scripts have" : "this probe cannot isolate scripts, which would share"
  await until(`A decision about scripts ${place}`, program, async () => program.output().includes(said))
  if (isIsolated) {
    const { id } = await call("/monitors", { key: apiKey, body: script })
    await until(
      `A check by a script ${place}`,
      program,
      async () => (await call(`/monitors/${id}`, { key: apiKey })).state === "up"
    )
  } else {
    const refused = async () =>
      call("/monitors", { key: apiKey, body: script }).then(() => false, ({ message }) => message.includes("can isolate scripts"))
    await until(`The refusal of a script ${place}`, program, refused)
  }
  await stop("all", program)
  console.log(`A script monitor ${place} is ${isIsolated ? "checked in isolation" : "refused with the reason"}`)
}

/** The identity that a probe would have after its enrolment, with keys that no servers know. */
const identity = {
  probeId: "prb_image",
  region: "main",
  privateKey: randomBytes(32).toString("base64url"),
  installation: randomBytes(32).toString("base64url"),
  keys: [],
  revoked: false
}

/** Without brokers a probe lives, is not ready, and says what it lacks. */
const tryProbe = async () => {
  const folder = "/tmp/probe"
  const write = `fs.mkdirSync("${folder}"); fs.writeFileSync("${folder}/probe.json", process.env.IDENTITY)`
  const code = await start(["node", "-e", write], { IDENTITY: JSON.stringify(identity) }).ended
  expect(code === 0, `The identity of the probe was not written: ${code}`)
  const program = start([...config.Entrypoint, "probe"], { KAFKA_BROKERS: "127.0.0.1:9", BELLTOWER_DATA_DIR: folder })
  await until("Life of the role probe", program, isGreen("/healthz"))
  await checkHealth("Dockerfile", config.Healthcheck.Test)
  const readiness = await fetch(`${originAt(8080)}/readyz`)
  const said = await readiness.json()
  expect(
    readiness.status === 503 && said.ready === false,
    `A probe without brokers answers /readyz with ${readiness.status}: ${JSON.stringify(said)}`
  )
  console.log(`The role probe ended ${await stop("probe", program)} ms after SIGTERM`)
}

/** A role from the image without PostgreSQL, on a read-only file system; ready before it is returned. */
const startRole = async (role, port, env, data) => {
  const program = startOpen([...config.Entrypoint, role], { PORT: String(port), ...env }, { data, isSlim: true })
  await until(`Readiness of the role ${role}`, program, isGreen("/readyz", port))
  return program
}

/** What a command of the program prints, without its log. */
const lineOf = async (command, env, data) => {
  const program = startOpen([...config.Entrypoint, ...command], env, { data, isSlim: true })
  expect(await program.ended === 0, `${command.join(" ")} failed: ${program.output()}`)
  return program.output().split("\n").filter((line) => line !== "" && !line.startsWith("[")).join("\n")
}

/** Api, runner and probe around PostgreSQL and Kafka, as in a cluster of containers. */
const tryRoles = async () => {
  const problem = await missing()
  if (problem !== null) return console.warn(`WARNING: the roles were not tried together: ${problem}`)
  const kafka = await startKafka({ port: 9092, dataDir: join(work, "kafka") })
  const data = volume("servers")
  const database = startOpen([...config.Entrypoint, "database"], {}, { data })
  const url = () => database.output().split("\n").find((line) => line.startsWith("postgresql://"))
  await until("An address of the database", database, async () => url())
  const brokers = { KAFKA_BROKERS: "127.0.0.1:9092", BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }
  const servers = { ...brokers, DATABASE_URL: url(), BELLTOWER_SECRET: randomBytes(32).toString("hex"), BELLTOWER_REGION: "eu" }
  const ports = { api: 8081, runner: 8082, probe: 8083 }
  const runner = await startRole("runner", ports.runner, { ...servers, BELLTOWER_RUNNER_HOST: "127.0.0.1" }, data)
  const api = await startRole("api", ports.api, servers, data)
  const token = await lineOf(["probe-token", "eu"], servers, data)
  const enrolment = { BELLTOWER_URL: originAt(ports.api), BELLTOWER_PROBE_TOKEN: token }
  const probe = await startRole("probe", ports.probe, { ...brokers, ...enrolment }, volume("probe"))

  const at = { port: ports.api }
  const { apiKey } = await call("/agent/bootstrap", { ...at, body: { agentName: "image" } })
  const regions = async () => (await call("/regions", { ...at, key: apiKey })).data
  await until("A healthy region", api, async () => (await regions()).some(({ healthy }) => healthy))
  const { id } = await call("/monitors", { ...at, key: apiKey, body: { name: "Health", url: `${originAt(ports.api)}/healthz` } })
  await until("A check", probe, async () => (await call(`/monitors/${id}`, { ...at, key: apiKey })).state === "up")
  const took = []
  for (const [role, program] of [["probe", probe], ["runner", runner], ["api", api], ["database", database]]) {
    took.push(`${role} ${await stop(role, program)} ms`)
  }
  await kafka.stop()
  console.log(
    `On a read-only file system and without PostgreSQL, the roles checked a monitor; after SIGTERM ended: ${took.join(", ")}`
  )
}

/** What the image says about itself. */
const tryDescription = () => {
  const read = (name) => JSON.parse(readFileSync(join(root, "app/dist", name), "utf8"))
  const { components } = read("belltower.cdx.json")
  for (const purl of ["pkg:npm/effect@", "pkg:npm/kafkajs@", "pkg:deb/debian/libc6@", "pkg:deb/debian/iputils-ping@"]) {
    expect(components.some((one) => one.purl?.startsWith(purl)), `The contents of the image lack ${purl}`)
  }
  const { predicate, subject } = read("provenance.json")
  expect(subject.some(({ name }) => name === "belltower.js"), "The provenance is not about belltower.js")
  const names = predicate.buildDefinition.resolvedDependencies.map(({ name }) => name)
  expect(names.includes("base") && names.includes("package-lock.json"), `The provenance names only ${names.join(", ")}`)
  console.log(`The image lists ${components.length} packages, and says that it was made of ${names.join(", ")}`)
}

/** A command of the program's own that needs nothing. */
const tryHelp = async () => {
  const help = start([...config.Entrypoint, "--help"])
  expect(await help.ended === 0 && help.output().startsWith("Usage: "), `--help printed ${help.output()}`)
}

// As Docker does, which also lets containers open raw sockets.
writeFileSync("/proc/sys/net/ipv4/ping_group_range", "0 2147483647")
await tryHelp()
tryDescription()
await tryAll()
await tryScript("as buildah starts it, in a changed root", start, false, "/tmp/data")
await tryScript("where namespaces are allowed", startOpen, true, "/data")
await tryProbe()
await tryRoles()

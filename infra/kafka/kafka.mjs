// Apache Kafka for a machine without Docker: downloads it from Maven Central and runs it on the local JDK, as one KRaft node or several.
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const home = join(dirname(fileURLToPath(import.meta.url)), "../../.local/kafka")
const classPathFile = join(home, "classpath")
/** The classes of a broker as the JVM maps them into memory: with them a start takes half the CPU. */
const classArchive = join(home, "classes.jsa")

/** Newest first; the others are fallbacks. 3.9.1 still has a ZooKeeper mode, which is not used here. */
const versions = ["4.1.1", "4.1.0", "3.9.1"]
const javaNeeded = 17
const startWithinMs = 60_000
const stopWithinMs = 10_000

const pom = (version) =>
  `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>belltower</groupId><artifactId>local-kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`

const javaProblem = async () => {
  const found = await run("java", ["-version"]).catch(() => null)
  if (found === null) return `Java is missing. Install JDK ${javaNeeded} or newer and put java on the PATH.`
  const major = Number(/version "(\d+)/.exec(found.stderr)?.[1] ?? 0)
  return major >= javaNeeded ? null : `Java ${major} is too old. Kafka needs JDK ${javaNeeded} or newer.`
}

/** The installed class path; null when Kafka is not installed or its files are gone. */
const classPath = () => {
  if (!existsSync(classPathFile)) return null
  const path = readFileSync(classPathFile, "utf8").trim()
  return path !== "" && path.split(delimiter).every((jar) => existsSync(jar)) ? path : null
}

/** A readable reason why Kafka cannot run here; null when it can. */
export const missing = async () =>
  (await javaProblem()) ??
    (classPath() === null ? "Kafka is not installed. Run node infra/kafka/kafka.mjs install (requires Maven)." : null)

/** Downloads Kafka and its dependencies with Maven unless it is installed. Returns the version. */
export const install = async () => {
  const version = await download()
  if (!existsSync(classArchive)) {
    await archiveClasses().catch((error) => console.warn(`Brokers start slower, without an archive of classes: ${error}`))
  }
  return version
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** The JVM writes the archive when a broker ends, under another name until it is whole. */
const archiveClasses = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "belltower-kafka-"))
  const written = `${classArchive}-${process.pid}`
  try {
    const ports = { port: await freePort(), controllerPort: await freePort() }
    const broker = await start({ ...ports, dataDir, classes: [`-XX:ArchiveClassesAtExit=${written}`] })
    process.kill(broker.pid, "SIGTERM")
    await broker.exited
    if (existsSync(written)) renameSync(written, classArchive)
  } finally {
    rmSync(written, { force: true })
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const download = async () => {
  if (classPath() !== null) return readFileSync(join(home, "version"), "utf8")
  const problem = await javaProblem()
  if (problem !== null) throw new Error(problem)
  if ((await run("mvn", ["-v"]).catch(() => null)) === null) {
    throw new Error("Maven is missing. Install it and put mvn on the PATH.")
  }
  mkdirSync(home, { recursive: true })
  rmSync(classArchive, { force: true })
  let failure = ""
  for (const version of versions) {
    writeFileSync(join(home, "pom.xml"), pom(version))
    const goal = ["-q", "-B", "-f", join(home, "pom.xml"), "dependency:build-classpath"]
    const done = await run("mvn", [...goal, `-Dmdep.outputFile=${classPathFile}`], { maxBuffer: 1 << 24 }).catch((error) => {
      failure = `${error.stdout}${error.stderr}`
      return null
    })
    if (done === null || classPath() === null) continue
    writeFileSync(join(home, "version"), version)
    return version
  }
  throw new Error(`Maven could not download Kafka ${versions.join(" or ")}:\n${failure.slice(-2000)}`)
}

const plainModule = "org.apache.kafka.common.security.plain.PlainLoginModule"
const authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
const scramModule = "org.apache.kafka.common.security.scram.ScramLoginModule"

/** A listener with TLS that asks for one user's password, by any mechanism. With `authorizes`, others may do what rules allow. */
const securedProperties = ({ pem, username, password, authorizes = false }) =>
  `sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
ssl.keystore.type=PEM
ssl.keystore.location=${pem}
listener.name.sasl_ssl.plain.sasl.jaas.config=${plainModule} required user_${username}="${password}";
listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=${scramModule} required;
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${scramModule} required;
${authorizes ? `authorizer.class.name=${authorizer}\nsuper.users=User:ANONYMOUS;User:${username}\n` : ""}`

const properties = ({ port, advertisedPort, controllerPort, dataDir, secured, host, quorum }) => {
  const names = ["PLAINTEXT", ...(secured ? ["SASL_SSL"] : [])]
  const listenersAt = (plain) => names.map((name) => `${name}://${host}:${name === "PLAINTEXT" ? plain : secured.port}`)
  const controllers = quorum?.controllerPorts ?? [controllerPort]
  const copies = Math.min(3, controllers.length)
  return `process.roles=broker,controller
node.id=${quorum?.nodeId ?? 1}
listeners=${[...listenersAt(port), `CONTROLLER://127.0.0.1:${controllerPort}`].join(",")}
advertised.listeners=${listenersAt(advertisedPort).join(",")}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.voters=${controllers.map((one, index) => `${index + 1}@127.0.0.1:${one}`).join(",")}
log.dirs=${join(dataDir, "log")}
auto.create.topics.enable=false
num.network.threads=2
num.io.threads=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor=${copies}
transaction.state.log.replication.factor=${copies}
transaction.state.log.min.isr=${copies > 1 ? 2 : 1}
share.coordinator.state.topic.replication.factor=${copies}
share.coordinator.state.topic.min.isr=${copies > 1 ? 2 : 1}
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
${secured ? securedProperties(secured) : ""}`
}

/** Whether a broker at the address responds to an ApiVersions request (key 18, version 0). */
const answers = (host, port) =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (value) => {
      socket.destroy()
      resolve(value)
    }
    socket.setTimeout(1000, () => settle(false))
    socket.on("error", () => settle(false))
    socket.on("close", () => settle(false))
    socket.on("data", () => settle(true))
    // Length 10, api key, version, correlation id 1, no client id.
    socket.on("connect", () => socket.write(Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 255, 255])))
  })

/** Makes the command exit with its parent where the system supports it, so that no JVM outlives a killed Node process. */
const parented = async (command) =>
  (await run("setpriv", ["--pdeathsig", "KILL", "true"]).catch(() => null)) === null
    ? command
    : ["setpriv", "--pdeathsig", "KILL", ...command]

export const newClusterId = () => randomBytes(16).toString("base64url")

/** Compiles what is hot no further: a start takes a third less CPU. */
const quickStart = "-XX:TieredStopAtLevel=1"

/** Of a broker of several: less for each, because they share the machine. */
const optionsOf = (quorum) => quorum === undefined ? ["-Xms256m", "-Xmx512m"] : ["-Xms128m", "-Xmx256m", quickStart]

/**
 * Starts a broker at `host` (127.0.0.1) and waits until it responds. Formats `dataDir` when it is empty. `log` is the file for the
 * broker's output. The controller listens on `controllerPort`, by default `port + 1`. Clients are told to connect to
 * `advertisedPort`, by default `port`.
 * With `secured` there is a second listener at its `port` with TLS and SASL, with the key and certificate of the file `pem`. With
 * its `authorizes`, its user and clients of the plain listener may do everything, and other users what access rules allow.
 * `quorum` makes it one of several: all have one `clusterId` and the ports of all controllers, and `nodeId` is its place among
 * them, from 1. None of them responds before most of them run. `classes` are the JVM's options for the archive of its classes.
 */
export const start = async (
  {
    port,
    advertisedPort = port,
    dataDir,
    log = join(dataDir, "kafka.log"),
    quorum,
    controllerPort = quorum?.controllerPorts[quorum.nodeId - 1] ?? port + 1,
    secured,
    host = "127.0.0.1",
    classes = existsSync(classArchive) ? [`-XX:SharedArchiveFile=${classArchive}`] : []
  }
) => {
  const problem = await missing()
  if (problem !== null) throw new Error(problem)
  mkdirSync(dataDir, { recursive: true })
  const config = join(dataDir, "server.properties")
  writeFileSync(config, properties({ port, advertisedPort, controllerPort, dataDir, secured, host, quorum }))
  const java = [...optionsOf(quorum), "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classPath()]

  if (!existsSync(join(dataDir, "log/meta.properties"))) {
    const clusterId = quorum?.clusterId ?? newClusterId()
    // One argument: an id that begins with a hyphen would otherwise be parsed as an option.
    const scram = secured === undefined ? [] : ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
      "--add-scram",
      `${mechanism}=[name=${secured.username},password=${secured.password}]`
    ])
    const format = ["format", `--cluster-id=${clusterId}`, "-c", config, ...scram]
    // An archive that is being made is written by the broker.
    const shared = existsSync(classArchive) ? classes : []
    await run("java", [...shared, ...java, quickStart, "kafka.tools.StorageTool", ...format], { maxBuffer: 1 << 24 })
  }

  const [command, ...args] = await parented(["java", ...classes, ...java, "kafka.Kafka", config])
  const output = openSync(log, "a")
  const child = spawn(command, args, { stdio: ["ignore", output, output] })
  closeSync(output)
  const exited = new Promise((resolve) => child.once("exit", resolve))
  child.once("error", () => {})

  const end = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await Promise.race([exited, pause(stopWithinMs, undefined, { ref: false })])
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await exited
  }

  for (let waited = 0; !(await answers(host, port)); waited += 100) {
    const gone = child.exitCode !== null || child.signalCode !== null || child.pid === undefined
    if (gone || waited > startWithinMs) {
      if (!gone) await end("SIGKILL")
      const tail = readFileSync(log, "utf8").split("\n").slice(-20).join("\n")
      throw new Error(`Kafka ${gone ? "exited" : "did not respond"} while starting. The last lines of ${log}:\n${tail}`)
    }
    await pause(100)
  }
  return { port, pid: child.pid, exited, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") }
}

const usage = `usage: node infra/kafka/kafka.mjs install
       node infra/kafka/kafka.mjs start <port> <data folder> [<port for clients> [<more options as JSON>]]   (Ctrl-C stops it)`

const main = async ([command, port, dataDir, advertisedPort = port, more = "{}"]) => {
  if (command === "install") {
    console.log(`Kafka ${await install()} is installed`)
  } else if (command === "start" && Number(port) > 0 && dataDir !== undefined) {
    const kafka = await start({ port: Number(port), advertisedPort: Number(advertisedPort), dataDir, ...JSON.parse(more) })
    console.log(`Kafka is listening on port ${port}`)
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void kafka.stop())
    await kafka.exited
  } else {
    console.error(usage)
    process.exitCode = 2
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}

/**
 * A server in small: an embedded database, a data folder with a secret and a port. It runs the attacker's program in a helper process of
 * a kind, in the isolation that the program finds, and prints what came of it. Arguments: the kind or "none", a folder, the bundled attack,
 * and Chromium's path.
 */
import { Effect, Either, Stream } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { limits as browserLimits } from "../../../src/probe/browser/Chromium.ts"
import { type Confinement, confinements } from "../../../src/probe/isolation/Confinements.ts"
import { makeHelperIds } from "../../../src/probe/isolation/HelperIds.ts"
import { findIsolation, type Isolation, IsolationSettings, startIsolated } from "../../../src/probe/isolation/Isolation.ts"
import { limits as scriptLimits } from "../../../src/probe/script/Scripts.ts"
import { makeEmbeddedPostgres } from "../../../src/store/postgres/embedded/EmbeddedPostgres.ts"

const [, , kind = "", folder = "", attack = "", chromium = ""] = process.argv
const none: Confinement = { name: "none", node: process.execPath, command: () => [] }

const find = (hidden: ReadonlyArray<string>): Effect.Effect<Isolation> => {
  if (kind === "none") return Effect.succeed({ ...none, lacks: ["user", "processes", "files", "network", "rights"] })
  const isBrowser = kind === "browsers"
  const wanted = {
    kind: isBrowser ? "browsers" as const : "scripts" as const,
    confinements: confinements({ chromium: isBrowser ? chromium : null, hidden }, isBrowser ? browserLimits : scriptLimits),
    ids: makeHelperIds(isBrowser ? "browsers" : "scripts"),
    needsLoopback: isBrowser
  }
  return Effect.flatMap(findIsolation(wanted), Either.match({ onLeft: (why) => Effect.dieMessage(why), onRight: Effect.succeed }))
}

const program = Effect.gen(function*() {
  const data = join(folder, "data")
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, "secret"), "planted secret\n", { mode: 0o600 })
  const server = yield* makeEmbeddedPostgres({ folder: join(data, "postgres") })
  const port = yield* Effect.async<number>((resume) => {
    const listener = createServer().listen(0, "127.0.0.1", () => {
      const address = listener.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
    listener.unref()
  })
  const isolation = yield* Effect.provideService(find([data]), IsolationSettings, { isRequired: false, hidden: [data] })
  const goals = {
    parent: process.pid,
    port,
    socket: join(server.host, `.s.PGSQL.${server.port}`),
    files: [
      join(data, "secret"),
      join(data, "postgres/cluster/belltower.password"),
      join(data, "postgres/cluster/PG_VERSION"),
      resolve("dist/belltower.js"),
      resolve("package.json"),
      "/etc/passwd"
    ],
    folders: [data, "/proc/1", "/root", "/home", "/var"],
    isHarmless: kind === "none"
  }
  const child = startIsolated(
    isolation,
    makeHelperIds("scripts"),
    ["--no-warnings", "--input-type=module", "-", JSON.stringify(goals)],
    { stdio: ["pipe", "pipe", "inherit"] },
    readFileSync(attack)
  )
  if (child?.stdout === null || child?.stdout === undefined) return yield* Effect.dieMessage("The helper cannot start")
  const text = yield* Stream.runFold(Stream.fromAsyncIterable(child.stdout, String), "", (all, chunk) => all + String(chunk))
  console.log(JSON.stringify({ lacks: isolation.lacks, name: isolation.name, report: JSON.parse(text) }))
}).pipe(Effect.scoped)

await Effect.runPromise(program)
process.exit(0)

/** The program scaled out for a flow: real processes, Kafka and PostgreSQL, removed when the scope closes. */
import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Member, type RunningCluster, startCluster } from "../../../infra/cluster.mjs"
import { Api } from "../../../schema/api/Api.ts"
import { temporaryRoot } from "../../support/run/TemporaryRoot.ts"
import { compiledOnce } from "./Program.ts"
import { seenFromRegion } from "./RegionalTargets.ts"

/** Stopped processes (SIGSTOP) receive no other signal. */
const wake = (cluster: RunningCluster) => {
  const services = [cluster.api, ...cluster.runners, ...Object.values(cluster.probes).flat()]
  for (const member of services) member.signal("SIGCONT")
}

/** If BELLTOWER_FLOW_LOG is set, the processes' output goes to that file. */
const tell = (name: string, line: string) => {
  const file = process.env["BELLTOWER_FLOW_LOG"]
  if (file !== undefined && file !== "") appendFileSync(file, `${name.padEnd(9)}| ${line}\n`)
}

const makeFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(temporaryRoot, "belltower-cluster-"))
    // Lets the database's user enter when the tests run as root.
    chmodSync(folder, 0o755)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

type Options = Parameters<typeof startCluster>[0]

/** `regions` is the number of probes per region. No process restarts by itself. */
export const makeLocalCluster = Effect.fn("makeLocalCluster")(
  function*(
    regions: Readonly<Record<string, number>>,
    { env: own = {}, runners = 3, ...more }: Pick<Options, "env" | "programOf" | "runners" | "through"> = {}
  ) {
    const folder = yield* makeFolder
    const env = { ...compiledOnce, BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8", BELLTOWER_LOG_LEVEL: "info", ...own }
    return yield* Effect.acquireRelease(
      Effect.promise(() =>
        startCluster({ folder, runners, regions, supervised: false, env, probeEnv: seenFromRegion, ...more, tell })
      ),
      (cluster) => Effect.promise(() => (wake(cluster), cluster.stop()))
    )
  }
)

export const kill = (member: Member) => Effect.promise(() => member.kill())
export const stop = (member: Member) => Effect.promise(() => member.stop())
export const start = (member: Member) => Effect.promise(() => member.start())
/** Freezes the process in the middle of its work, without its knowledge. */
export const freeze = (member: Member) => Effect.sync(() => member.signal("SIGSTOP"))
/** The clock of the process jumps, if `infra/chaos/wrongClock.mjs` is preloaded into it. */
export const jump = (member: Member) => Effect.sync(() => member.signal("SIGUSR2"))
export const thaw = (member: Member) => Effect.sync(() => member.signal("SIGCONT"))

const clientFor = (baseUrl: string, key: string | null) =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: HttpClient.mapRequest((request) => key === null ? request : HttpClientRequest.bearerToken(request, key))
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** A client of the interface with its own workspace. */
export const makeWorkspace = Effect.fn("makeWorkspace")(function*(baseUrl: string) {
  const stranger = yield* clientFor(baseUrl, null)
  const { apiKey } = yield* stranger.Agents.bootstrap_workspace({ payload: { agentName: "flow" } })
  return yield* clientFor(baseUrl, apiKey)
})

/** A real Kafka broker for tests, with its own free ports and data. */
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { missing, type RunningKafka, start } from "../../../infra/kafka/kafka.mjs"
import { freePort } from "../network/FreePort.ts"
import { temporaryRoot } from "../run/TemporaryRoot.ts"

export interface LocalKafka {
  /** `host:port`; the same after each start. */
  readonly address: string
  readonly start: Effect.Effect<void>
  /** SIGKILL: nothing is flushed, no client is notified. */
  readonly kill: Effect.Effect<void>
}

/** Whether Kafka can run. If not, it prints a warning; under CI it throws, because CI must not skip tests. */
export const canRunKafka = async (): Promise<boolean> => {
  const reason = await missing()
  if (reason === null) return true
  if (process.env["CI"]) throw new Error(reason)
  console.warn(`SKIPPED: the tests that need Kafka. ${reason}`)
  return false
}

/** Not started yet; stopped, and its data removed, when the scope closes. */
export const makeLocalKafka: Effect.Effect<LocalKafka, never, Scope.Scope> = Effect.gen(function*() {
  const port = yield* freePort
  const controllerPort = yield* freePort
  const dataDir = mkdtempSync(join(temporaryRoot, "belltower-kafka-"))
  let running: RunningKafka | null = null
  const kill = Effect.promise(async () => {
    await running?.kill()
    running = null
  })
  yield* Effect.addFinalizer(() => Effect.zipRight(kill, Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))))
  const begin = Effect.promise(async () => {
    running = await start({ port, controllerPort, dataDir })
  })
  return { address: `127.0.0.1:${port}`, start: begin, kill }
})

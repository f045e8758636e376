/** Healthchecks: its management API v3, at healthchecks.io or an installation of the caller's own. */
import { Effect, Redacted } from "effect"
import { healthchecksInventory } from "../../domain/import/healthchecks/HealthchecksInventory.ts"
import { type Loose, recordOf, recordsOf } from "../../domain/import/Loose.ts"
import { withoutTrailing } from "../../domain/tools/TrimText.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import type { Importer } from "../import/Importer.ts"
import { makeSourceClient } from "../import/SourceClient.ts"

const service = "Healthchecks"

export const healthchecks: Importer = {
  source: "healthchecks",
  service,
  refusal: ({ apiKey }) =>
    apiKey === null ? { path: "apiKey", message: "Give apiKey, an API key of a project in Healthchecks" } : null,
  read: Effect.fn("Importers.healthchecks")(function*({ apiKey, patience, url, wants }, addresses) {
    const client = yield* makeSourceClient(service, { pause: 0, patience })
    const base = withoutTrailing(url ?? addresses.healthchecks, "/")
    const headers = { "x-api-key": apiKey === null ? "" : Redacted.value(apiKey) }
    // Neither list has pages.
    const list = (name: string) =>
      Effect.map(client({ url: new URL(`${base}/api/v3/${name}/`), headers }), (answer) => recordsOf(recordOf(answer)[name]))
    const nothing = Effect.succeed<ReadonlyArray<Loose>>([])
    const checks = yield* (wants.monitors ? list("checks") : nothing)
    // A read-only key may not list integrations.
    const channels = yield* (wants.channels
      ? Effect.catchIf(list("channels"), ({ status }) => status === 401 || status === 403, () => Effect.succeed(null))
      : nothing)
    return yield* overTurns(healthchecksInventory(checks, channels))
  })
}

/** Healthchecks: its management API v3, at healthchecks.io or an installation of the caller's own. */
import { Effect } from "effect"
import { healthchecksInventory } from "../../domain/import/healthchecks/HealthchecksInventory.ts"
import { recordOf, recordsOf } from "../../domain/import/Loose.ts"
import { withoutTrailing } from "../../domain/tools/text/TrimText.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { type Importer, keyOf, requireKey } from "../import/Importer.ts"
import { makeSourceClient } from "../import/SourceClient.ts"

const service = "Healthchecks"

export const healthchecks: Importer = {
  source: "healthchecks",
  service,
  reads: ["apiKey", "url"],
  refusal: requireKey("an API key of a project in Healthchecks"),
  read: Effect.fn("Importers.healthchecks")(function*(request, addresses) {
    const { patience, url, wants } = request
    const client = yield* makeSourceClient(service, { pause: 0, patience, headers: { "x-api-key": keyOf(request) } })
    const base = withoutTrailing(url ?? addresses.healthchecks, "/")
    // Neither list has pages.
    const list = (name: string) =>
      Effect.map(client({ url: new URL(`${base}/api/v3/${name}/`) }), (answer) => recordsOf(recordOf(answer)[name]))
    const checks = wants.monitors ? yield* list("checks") : []
    // A read-only key may not list integrations.
    const channels = wants.channels
      ? yield* Effect.catchIf(list("channels"), ({ status }) => status === 401 || status === 403, () => Effect.succeed(null))
      : []
    return yield* overTurns(healthchecksInventory(checks, channels))
  })
}

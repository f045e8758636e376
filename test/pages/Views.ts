/** The views of pages that were never stored. */
import { Effect, Layer } from "effect"
import { BaseUrl } from "../../src/links/BaseUrl.ts"
import { PublicIncidents } from "../../src/operations/page/PublicIncidents.ts"
import { PageViews } from "../../src/pages/PageViews.ts"
import { baseUrl } from "./Fixtures.ts"

const none = { incidents: [], next: null }

const storedNowhere = Layer.succeed(
  PublicIncidents,
  PublicIncidents.make({
    between: () => Effect.succeed(none),
    links: () => Effect.succeed([]),
    one: () => Effect.dieMessage("No incident is stored")
  })
)

export const pageViews = PageViews.Default.pipe(Layer.provide([Layer.succeed(BaseUrl, baseUrl), storedNowhere]))

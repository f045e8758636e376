/** The page behind the acknowledge link of an alert. Opening it changes nothing, because mail scanners open links too. */
import { Effect } from "effect"
import { AcknowledgeIncident } from "../../operations/incident/AcknowledgeIncident.ts"
import { requireSameOrigin } from "../Forms.ts"
import { goTo } from "../GoTo.ts"
import { AcknowledgePage } from "./AcknowledgePage.tsx"
import { show } from "./Frame.tsx"
import { pages } from "./PageRouter.ts"
import { param } from "./Parameters.ts"
import { orDeadLink } from "./Reply.ts"

const page = Effect.gen(function*() {
  const token = yield* param("token")
  const { look } = yield* AcknowledgeIncident
  const { by, incident } = yield* look(token)
  return yield* show({ title: incident.title, body: AcknowledgePage({ incident, by, token }) })
})

const acknowledge = Effect.gen(function*() {
  yield* requireSameOrigin
  const token = yield* param("token")
  const { acknowledgeByLink } = yield* AcknowledgeIncident
  yield* acknowledgeByLink(token)
  return goTo(`/ack/${token}`)
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    const orDead = orDeadLink(["/app/incidents", "Open the incidents"])
    yield* router.get("/ack/:token", orDead(page))
    yield* router.post("/ack/:token", orDead(acknowledge))
  })
)

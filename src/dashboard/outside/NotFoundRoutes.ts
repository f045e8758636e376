/** Shows a not-found page for unknown paths below the dashboard's areas. */
import { Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { pages } from "./PageRouter.ts"

/** These paths, and everything below them, belong to the dashboard. */
const areas = ["/app", "/auth", "/claim", "/invite", "/sign-in", "/sign-out"] as const
/** Areas without a page at the path itself. */
const bare = ["/auth", "/claim", "/invite"] as const

const notFound = Effect.fail(
  new NotFound({ message: "This page does not exist", hint: "Check the address for typing errors or missing characters" })
)

export const layer = pages((router) =>
  Effect.forEach(
    [...areas.map((area) => `${area}/*` as const), ...bare],
    (path) => Effect.zipRight(router.get(path, notFound), router.post(path, notFound)),
    { discard: true }
  )
)

/** Answers browsers that come to an address among the pages where there is none. */
import { Effect } from "effect"
import { NotFound } from "../../schema/Errors.ts"
import { pages } from "./PageRouter.ts"

/** At and below these there is nothing but pages for people. */
const areas = ["/app", "/auth", "/claim", "/invite", "/sign-in", "/sign-out"] as const
/** Those without a page of their own. */
const bare = ["/auth", "/claim", "/invite"] as const

const nowhere = Effect.fail(new NotFound({ message: "There is no such page", hint: "Its address may have been cut or mistyped" }))

export const layer = pages((router) =>
  Effect.forEach(
    [...areas.map((area) => `${area}/*` as const), ...bare],
    (path) => Effect.zipRight(router.get(path, nowhere), router.post(path, nowhere)),
    { discard: true }
  )
)

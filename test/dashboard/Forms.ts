/** Views for tests: opens them as a person and submits their forms as a browser without scripts would. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/FormIn.ts"
import type { Visitor } from "../support/Visitor.ts"

/** Submits a form of a view. Answers the view that follows a redirect, or the view that was shown instead. */
export const submitted = Effect.fn("submitted")(function*(
  visitor: Visitor,
  path: string,
  id: string,
  changes: Parameters<typeof filledIn>[1] = {}
) {
  const shown = yield* visitor.get(path)
  const form = formIn(shown.text, id)
  if (form === null) return yield* Effect.dieMessage(`${path} has no form ${id}: ${shown.status}`)
  const answer = yield* visitor.submit(form.action, filledIn(form, changes))
  if (answer.location === null) return answer
  expect(answer.status).toBe(303)
  return yield* visitor.get(answer.location)
})

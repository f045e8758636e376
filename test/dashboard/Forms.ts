/** Views for tests: opens them as a person and submits their forms as a browser without scripts would. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import type { Visitor } from "../support/browser/Visitor.ts"
import { formsIn } from "./AllForms.ts"

/** Submits a form of a view. */
export const posted = Effect.fn("posted")(function*(
  visitor: Visitor,
  path: string,
  id: string,
  changes: Parameters<typeof filledIn>[1] = {}
) {
  const shown = yield* visitor.get(path)
  const form = formIn(shown.text, id)
  if (form === null) return yield* Effect.dieMessage(`${path} has no form ${id}: ${shown.status}`)
  return yield* visitor.submit(form.action, filledIn(form, changes))
})

/** The same; answers the view that follows a redirect, or the view that was shown instead. */
export const submitted = Effect.fn("submitted")(function*(...form: Parameters<typeof posted>) {
  const [visitor] = form
  const answer = yield* posted(...form)
  if (answer.location === null) return answer
  expect(answer.status).toBe(303)
  return yield* visitor.get(answer.location)
})

/** Presses the button of a view that switches to a workspace; the menu of the frame, which stands before the view, has one, too. */
export const switched = Effect.fn("switched")(function*(visitor: Visitor, path: string, workspace: string) {
  const { text } = yield* visitor.get(path)
  const form = formsIn(path, text).filter(({ action, controls }) =>
    action.startsWith("/app/do/switch_workspace") && controls.some(({ value }) => value === workspace)
  ).at(-1)
  if (form === undefined) return yield* Effect.dieMessage(`${path} does not lead to ${workspace}`)
  return yield* visitor.submit(form.action, form.controls.map(({ name, value }): [string, string] => [name, value]))
})

/** Forms of tabs that were opened before something changed in another tab. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import { newOwner, type Visitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { posted, switched } from "./Forms.ts"

type Changes = Parameters<typeof filledIn>[1]

/** Sends a form as it stood in a document. */
const sentFrom = (visitor: Visitor, html: string, id: string, changes: Changes = {}) => {
  const form = formIn(html, id)
  return form === null
    ? Effect.dieMessage(`The view has no form ${id}`)
    : visitor.submit(form.action, filledIn(form, changes))
}

const sameOrigin = { "sec-fetch-site": "same-origin" }

layer(programOf(), { excludeTestServices: true })("a form of another tab", (it) => {
  it.effect("stays in the workspace of its view when the person has switched, also when it is refused", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const { text } = yield* visitor.get("/app/pages/new")
      yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Second" })
      const refused = yield* sentFrom(visitor, text, "new-page", { name: "Acme", slug: "-" })
      expect([refused.status, formIn(refused.text, "new-page")?.action.includes(`workspace=${id}`)]).toEqual([422, true])
      const done = yield* sentFrom(visitor, refused.text, "new-page", { name: "Acme", slug: null })
      expect((yield* visitor.api("GET", "/pages")).body.data).toEqual([])
      const { body } = yield* visitor.api("GET", "/pages", undefined, { ...sameOrigin, "x-workspace": id })
      const [page] = body.data
      expect([done.status, done.location]).toEqual([303, `/app/pages/${page.id}/components?workspace=${id}`])
      const next = yield* visitor.get(done.location ?? "")
      expect([next.text.includes("Page created"), next.text.includes("This is in ")]).toEqual([true, true])
      yield* switched(visitor, done.location ?? "", id)
      expect((yield* visitor.get(`/app/pages/${page.id}/components`)).status).toBe(200)
    }))

  it.effect("changes nothing in the workspace of the session if the person has left that of the view", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const { text } = yield* visitor.get("/app/pages/new")
      yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Second" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from memberships where workspace_id = ${id}`
      const refused = yield* sentFrom(visitor, text, "new-page", { name: "Acme" })
      expect([refused.status, refused.text.includes("no longer a member")]).toEqual([404, true])
      expect((yield* visitor.api("GET", "/pages")).body.data).toEqual([])
    }))
})

/** The draft of a page: kept for all members, unseen by visitors, published or discarded, and never over a change that nobody saw. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, callJson, newKey, post } from "../../support/program/TestServer.ts"

const withPage = Effect.gen(function*() {
  const { secret } = yield* newKey()
  const { body: page } = yield* post("/api/v1/pages", { name: "Acme", theme: { accent: "#1f5fd6" } }, bearer(secret))
  const url = `/api/v1/pages/${page.id}`
  const update = (body: object) =>
    callJson(url, {
      method: "PATCH",
      headers: { ...bearer(secret), "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  const read = Effect.map(callJson(url, { headers: bearer(secret) }), ({ body }) => body)
  return { secret, page, read, update }
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a draft of a page", (it) => {
  it.scoped("holds what differs, with who and when; visitors see nothing of it", () =>
    Effect.gen(function*() {
      const { page, read, secret, update } = yield* withPage
      expect(page.draft).toBeNull()
      const kept = yield* update({ draft: "keep", name: "Acme Status", theme: { accent: null, radius: 4 }, description: "" })
      expect([kept.status, kept.body.name, kept.body.draft.by]).toEqual([200, "Acme", expect.any(String)])
      expect(kept.body.draft.fields).toEqual({ name: "Acme Status", theme: { accent: null, radius: 4 } })
      yield* update({ draft: "keep", theme: { radius: page.theme.radius }, seo: { noindex: true } })
      const draft = (yield* read).draft
      expect(draft.fields).toEqual({ name: "Acme Status", theme: { accent: null }, seo: { noindex: true } })
      const seen = yield* callJson(`/api/v1/public/pages/${page.slug}`, {})
      expect(JSON.stringify(seen.body)).not.toContain("Acme Status")
      const { body } = yield* callJson("/api/v1/pages", { headers: bearer(secret) })
      expect(Object.keys(body.data[0])).not.toContain("draft")
    }))

  it.scoped("is published with what is sent along, or discarded, or gone once nothing differs", () =>
    Effect.gen(function*() {
      const { read, update } = yield* withPage
      yield* update({ draft: "keep", name: "Draft", theme: { accent: null } })
      const published = yield* update({ draft: "publish", name: "Final" })
      expect([published.body.name, published.body.theme.accent, published.body.draft]).toEqual(["Final", null, null])
      yield* update({ draft: "keep", name: "Other" })
      expect((yield* update({ draft: "discard" })).body).toMatchObject({ name: "Final", draft: null })
      yield* update({ draft: "keep", name: "Other" })
      expect((yield* update({ draft: "keep", name: "Final" })).body.draft).toBeNull()
      expect((yield* read).name).toBe("Final")
    }))

  it.scoped("conflicts with changes that its writer has not seen", () =>
    Effect.gen(function*() {
      const { page, read, update } = yield* withPage
      const first = (yield* update({ draft: "keep", name: "Draft", since: page.updatedAt })).body
      const second = yield* update({ draft: "keep", name: "Other draft", since: page.updatedAt })
      expect([second.status, second.body.error.code]).toEqual([409, "conflict"])
      expect((yield* update({ draft: "keep", slug: `s-${page.slug}`.slice(0, 40), since: first.draft.at })).status).toBe(200)
      const changed = (yield* update({ description: "New words" })).body
      expect(changed.draft.fields.name).toBe("Draft")
      const stale = yield* update({ draft: "publish" })
      expect([stale.status, (yield* read).name]).toEqual([409, "Acme"])
      const seen = yield* update({ draft: "publish", since: changed.updatedAt })
      expect([seen.status, seen.body.name, seen.body.description]).toEqual([200, "Draft", "New words"])
      expect((yield* update({ name: "Late", since: page.updatedAt })).status).toBe(409)
    }))

  it.scoped("is refused where it would not hold: who may see the page, and values that cannot be published", () =>
    Effect.gen(function*() {
      const { read, update } = yield* withPage
      for (
        const field of [{ password: "a shared password" }, { visibility: "private" }, { theme: { tokens: { text: "url(x)" } } }]
      ) {
        expect((yield* update({ draft: "keep", ...field })).status).toBe(422)
      }
      expect((yield* read).draft).toBeNull()
    }))
})

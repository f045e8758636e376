import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Pages } from "../../../src/store/page/Pages.ts"
import { ground, newWorkspace } from "../../pages/Fixtures.ts"

const pathsOf = (error: unknown) =>
  error instanceof ValidationFailed && Array.isArray(error.details) ? error.details.map(({ path }) => path) : error

layer(ground)("Status pages", (it) => {
  it.effect("are found by id and by slug, in their own workspace only", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const [mine, other] = [yield* newWorkspace(), yield* newWorkspace()]
      const page = yield* pages.create(mine, { name: "Found Inc" })
      expect(page.slug).toBe("found-inc")
      expect(yield* pages.record(mine, page.id)).toEqual(page)
      expect(yield* pages.record(mine, "found-inc")).toEqual(page)
      const named = yield* Effect.flatMap(Pages, (stored) => stored.findByName(mine, "FOUND inc"))
      expect(Option.getOrThrow(named).id).toBe(page.id)
      expect(yield* Effect.flip(pages.record(other, page.id))).toBeInstanceOf(NotFound)
      expect(yield* Effect.flip(pages.record(other, "found-inc"))).toBeInstanceOf(NotFound)
      expect(yield* pages.list({ workspaceId: other, scopes: ["read"], operations: null })).toEqual([])
    }))

  it.effect("contain every setting with its effective value", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace("Europe/Berlin")
      const page = yield* pages.create(workspaceId, {
        name: "Settled",
        theme: { preset: "grid" },
        settings: { uptimeDays: 30, subscriptions: { rss: false } }
      })
      expect(page.theme).toEqual({ preset: "grid", tokens: {}, radius: 3, customCss: "" })
      expect(page.settings).toMatchObject({ uptimeDays: 30, language: "auto", timezone: "Europe/Berlin" })
      expect(page.settings.subscriptions).toEqual({ email: true, webhook: true, slack: true, rss: false })
      expect(page.visibility).toBe("public")
    }))

  it.effect("number a slug made from the name, and reject a given one that is taken", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      const slugs = yield* Effect.forEach([1, 2, 3], () => pages.create(workspaceId, { name: "Twin" }))
      expect(slugs.map(({ slug }) => slug)).toEqual(["twin", "twin-2", "twin-3"])
      const refused = yield* Effect.flip(pages.create(workspaceId, { name: "Other", slug: "twin" }))
      expect(refused).toBeInstanceOf(Conflict)
    }))

  it.effect("created at the same time get their own slugs", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      const made = yield* Effect.all(Array.from({ length: 4 }, () => pages.create(workspaceId, { name: "Rush" })), {
        concurrency: "unbounded"
      })
      expect(new Set(made.map(({ slug }) => slug)).size).toBe(4)
    }))

  it.effect("may name a domain that another workspace names too, until one of them has verified it", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const sql = yield* SqlClient.SqlClient
      const [squatter, owner, late] = [yield* newWorkspace(), yield* newWorkspace(), yield* newWorkspace()]
      const customDomain = "status.owner.test"
      const first = yield* pages.create(squatter, { name: "Squatter", customDomain })
      const page = yield* pages.create(owner, { name: "Owner", customDomain })
      expect(page.customDomain).toBe(customDomain)
      yield* sql`update pages set domain_verified_at = now() where id = ${page.id}`
      expect(yield* Effect.flip(pages.create(late, { name: "Late", customDomain }))).toBeInstanceOf(Conflict)
      const both = sql`update pages set domain_verified_at = now() where id = ${first.id}`
      expect((yield* Effect.exit(both))._tag).toBe("Failure")
    }))

  it.effect("reject a domain that belongs to another page of the workspace", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      yield* pages.create(workspaceId, { name: "First", customDomain: "status.acme.test" })
      const refused = yield* Effect.flip(pages.create(workspaceId, { name: "Second", customDomain: "status.acme.test" }))
      expect(refused).toBeInstanceOf(Conflict)
      expect(refused.message).toContain("status.acme.test")
    }))

  it.effect("reject a reserved slug and invalid themes", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      expect(pathsOf(yield* Effect.flip(pages.create(workspaceId, { name: "A", slug: "docs", theme: { preset: "neon" } }))))
        .toEqual(["slug", "theme.preset"])
    }))

  it.effect("are not visible while private", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      yield* pages.create(workspaceId, { name: "Hidden", slug: "hidden-page", visibility: "private" })
      const visible = yield* Effect.flatMap(Pages, (stored) => stored.findVisible("hidden-page"))
      expect(Option.isNone(visible)).toBe(true)
    }))
})

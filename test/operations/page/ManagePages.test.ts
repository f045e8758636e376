import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManagePages, type PageListing } from "../../../src/operations/page/ManagePages.ts"
import { Pages } from "../../../src/store/page/Pages.ts"
import { ground, newMonitor, newWorkspace } from "../../pages/Fixtures.ts"

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
      expect(yield* pages.list({ workspaceId: other, scopes: ["read"], operations: null })).toEqual({
        data: [],
        next: null
      })
    }))

  it.effect("are listed with the components that some monitors feed, directly or by a manifest", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const components = yield* ManageComponents
      const [mine, other] = [yield* newWorkspace(), yield* newWorkspace()]
      const viewer = { workspaceId: mine, scopes: ["read"] as const, operations: null }
      const [web, mail, unused] = [
        yield* newMonitor(mine, "web"),
        yield* newMonitor(mine, "mail"),
        yield* newMonitor(mine, "none")
      ]
      const sql = yield* SqlClient.SqlClient
      yield* sql`update monitors set kind = 'manifest' where id = ${mail}`
      // Both are of the same instant, so only the random parts of their ids order them.
      const both = [yield* pages.create(mine, { name: "One" }), yield* pages.create(mine, { name: "Two" })]
      const [one, two] = both.sort((left, right) => (left.id < right.id ? -1 : 1))
      if (one === undefined || two === undefined) return expect.unreachable()
      yield* pages.create(mine, { name: "Three" })
      yield* components.create(mine, one.id, { name: "Site", monitorIds: [web] })
      yield* components.create(mine, one.id, { name: "By hand" })
      yield* components.create(mine, two.id, { name: "Both", monitorIds: [mail, web] })
      yield* components.create(mine, two.id, { name: "Relay", manifest: { monitorId: mail, key: "relay" } })
      const fedBy = (monitorIds: ReadonlyArray<MonitorId>, which: Partial<PageListing> = {}) =>
        Effect.map(pages.list(viewer, { ...which, monitorIds }), ({ data, next }) => [
          data.map((page) => [page.name, page.components.map(({ name }) => name)]),
          next
        ])
      expect(yield* fedBy([web])).toEqual([[[one.name, ["Site"]], [two.name, ["Both"]]], null])
      expect(yield* fedBy([mail])).toEqual([[[two.name, ["Both", "Relay"]]], null])
      expect(yield* fedBy([unused])).toEqual([[], null])
      expect(yield* fedBy([])).toEqual([[], null])
      expect(yield* fedBy([mail, web], { limit: 1 })).toEqual([[[one.name, ["Site"]]], one.id])
      expect(yield* fedBy([mail, web], { after: one.id, components: false })).toEqual([[[two.name, []]], null])
      const stranger = { ...viewer, workspaceId: other }
      expect(yield* pages.list(stranger, { monitorIds: [web] })).toEqual({ data: [], next: null })
    }))

  it.effect("are listed with the number of components that show each status, as the components themselves do", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const components = yield* ManageComponents
      const sql = yield* SqlClient.SqlClient
      const mine = yield* newWorkspace()
      const viewer = { workspaceId: mine, scopes: ["read"] as const, operations: null }
      const web = yield* newMonitor(mine, "web")
      const [page, other, empty] = [
        yield* pages.create(mine, { name: "Many" }),
        yield* pages.create(mine, { name: "Other" }),
        yield* pages.create(mine, { name: "Empty" })
      ]
      const byHand = yield* components.create(mine, page.id, { name: "By hand", manual: true })
      const fixed = yield* components.create(mine, page.id, { name: "Fixed", manual: true })
      yield* components.create(mine, page.id, { name: "Watched", monitorIds: [web] })
      yield* components.create(mine, page.id, { name: "Pushed", push: true })
      yield* components.create(mine, page.id, { name: "Unseen", manual: true, hidden: true })
      const elsewhere = yield* components.create(mine, other.id, { name: "Elsewhere", manual: true })
      yield* components.override(mine, fixed.id, { status: "partial_outage" })
      // The second incident names a component of a page that it is not on.
      for (
        const [id, pageIds, componentId, kind, status] of [
          ["inc_counts1", [page.id], byHand.id, "incident", "investigating"],
          ["inc_counts2", [page.id], elsewhere.id, "maintenance", "in_progress"]
        ] as const
      ) {
        const affected = JSON.stringify([{ componentId, status: kind === "incident" ? "major_outage" : "maintenance" }])
        yield* sql`
          insert into incidents (id, workspace_id, kind, title, status, impact, public, automatic, page_ids, components, started_at,
                                 updated_at)
          values (${id}, ${mine}, ${kind}, 'T', ${status}, 'minor', true, false, ${[
          ...pageIds
        ]}::text[], ${affected}::jsonb, now(), now())`
      }
      const { data } = yield* pages.list(viewer, { counts: true })
      for (const { components: shown, counts } of data) {
        const expected: Record<string, number> = {}
        for (const { hidden, status } of shown) {
          const place = hidden ? "hidden" : status
          expected[place] = (expected[place] ?? 0) + 1
        }
        expect(Object.fromEntries(Object.entries(counts ?? {}).filter(([, count]) => count > 0))).toEqual(expected)
      }
      const countsOf = (id: string) => data.find((one) => one.id === id)?.counts
      expect(countsOf(page.id)).toMatchObject({ major_outage: 1, partial_outage: 1, hidden: 1 })
      expect(countsOf(other.id)).toMatchObject({ operational: 1, maintenance: 0 })
      expect(Object.values(countsOf(empty.id) ?? {}).every((count) => count === 0)).toBe(true)
      const bare = yield* pages.list(viewer, { counts: true, components: false })
      expect(bare.data.map(({ counts }) => counts)).toEqual(data.map(({ counts }) => counts))
      expect(bare.data.every(({ components: none }) => none.length === 0)).toBe(true)
      expect((yield* pages.list(viewer)).data.every((one) => !("counts" in one))).toBe(true)
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
      expect(page.theme).toEqual({
        preset: "grid",
        mode: null,
        accent: null,
        tokens: {},
        fontSans: null,
        fontMono: null,
        radius: 3,
        customCss: ""
      })
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
})

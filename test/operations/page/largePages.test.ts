/** Pages with as many components as the caps allow are read and encoded over many turns, and lists of them are bounded. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { defaultCaps } from "../../../src/domain/workspace/Caps.ts"
import { pageJson, pageListJson } from "../../../src/http/page/PageJson.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { ground, newWorkspace } from "../../pages/Fixtures.ts"
import { turnsDuring } from "../../support/measure/Turns.ts"

const many = defaultCaps.components.most

/** A page with so many components, copied from one. */
const largePage = Effect.fn("largePage")(function*(workspaceId: WorkspaceId, name: string) {
  const sql = yield* SqlClient.SqlClient
  const { create } = yield* ManagePages
  const { id } = yield* create(workspaceId, { name })
  const first = yield* Effect.flatMap(ManageComponents, (components) => components.create(workspaceId, id, { name: "First" }))
  yield* sql`
    insert into components
    select (jsonb_populate_record(first, jsonb_build_object(
      'id', left(first.id, 20) || lpad(number::text, 10, '0'), 'key', 'copy-' || number, 'position', number))).*
    from components first, generate_series(2, ${many}) number where first.id = ${first.id}`
  return id
})

const bodyOf = (response: { readonly body: { readonly _tag: string } }) =>
  "body" in response.body && response.body.body instanceof Uint8Array
    ? JSON.parse(new TextDecoder().decode(response.body.body))
    : expect.unreachable()

layer(ground)("Pages with the most components", (it) => {
  it.effect("leave turns to others while they are read and encoded", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      const id = yield* largePage(workspaceId, "Large")
      const read = yield* turnsDuring(pages.record(workspaceId, id))
      const encoded = yield* turnsDuring(pageJson(read.result))
      // About twenty components in one turn.
      expect(read.turns).toBeGreaterThanOrEqual(many / 25)
      expect(encoded.turns).toBeGreaterThanOrEqual(many / 25)
      const page = bodyOf(encoded.result)
      expect([page.id, page.components.length, page.components[1].key]).toEqual([id, many, "copy-2"])
    }))

  it.effect("end a list early, which goes on after its last page", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const workspaceId = yield* newWorkspace()
      const viewer = { workspaceId, scopes: ["read"] as const, operations: null }
      // All are of the same instant, so only their random parts order them.
      const ids = (yield* Effect.forEach(["One", "Two", "Three"], (name) => largePage(workspaceId, name))).sort()
      const first = yield* pages.list(viewer)
      expect([first.data.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 2), ids[1]])
      const second = yield* pages.list(viewer, { after: first.next })
      expect([second.data.map(({ id }) => id), second.next]).toEqual([ids.slice(2), null])
      const one = yield* pages.list(viewer, { limit: 1 })
      expect([one.data.length, one.next]).toEqual([1, ids[0]])
      expect(bodyOf(yield* pageListJson(second))).toMatchObject({ data: [{ id: ids[2] }], next: null })
      // Without components, they are no reason to end.
      const names = yield* pages.list(viewer, { components: false })
      expect([names.data.map(({ components, groups, id }) => [id, components, groups]), names.next]).toEqual([
        ids.map((id) => [id, [], []]),
        null
      ])
    }))
})
